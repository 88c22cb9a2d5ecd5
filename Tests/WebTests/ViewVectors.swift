import EngineScripts
import Folding

/// The pages of `proto/views`: results of the Swift client for clients in other languages.
enum ViewVectors {
    static let folder = NodeProgram.root + "/proto/views/"

    static let pages: [String: @Sendable () -> String] = [
        "folding.json": folding, "queries.json": QueryVectors.page, "zones.json": ZoneVectors.page, "permissions.json": PermissionVectors.page,
        "rules.json": RuleVectors.page, "trips.json": TripVectors.page,
    ]

    /// One member or entry a line, so that a change is a small difference.
    static func lines(_ members: [(String, JSONValue)]) -> String {
        "{\n" + members.map { name, value in
            guard let elements = value.elements else { return "\(JSONValue.text(name)):\(value)" }
            return "\(JSONValue.text(name)):[\n" + elements.map(\.description).joined(separator: ",\n") + "\n]"
        }.joined(separator: ",\n") + "\n}\n"
    }

    private static func folding() -> String {
        let table = FoldingTable().value
        let texts = FoldingTable.texts.map { text in
            JSONValue.object(["text": .text(text), "folded": .text(String(decoding: FoldedText(text).octets, as: UTF8.self))])
        }
        // Each folded text with a number: its place in the order.
        let ordered = Set(FoldingTable.texts.map { FoldedText($0) }).sorted().map { JSONValue.text(String(decoding: $0.octets, as: UTF8.self)) }
        return lines(["shifted", "same", "listed"].map { ($0, table[$0] ?? .null) } + [("texts", .array(texts)), ("order", .array(ordered))])
    }
}
