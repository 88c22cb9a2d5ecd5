import Bytes

/// Mutate frames of one size: a message whose text begins with a token and is filled up.
struct MutateFrame {
    /// Octets that the frame has around its filling, at the longest token.
    static let smallest = 300

    /// Octets of every frame.
    let size: Int
    private(set) var octets: [UInt8] = []

    private static let beginning = Array(#"{"type":"mutate","mutation":"#.utf8)
    private static let operation = Array(#","operations":[{"op":"create","kind":"message","id":""#.utf8)
    private static let fields = Array(#"","fields":{"text":""#.utf8)
    private static let end = Array(#""}}]}"#.utf8)
    private static let filling: [UInt8] = {
        let words = Array("practice moved to six, bring the catcher's gear and water; coach Rivera asks who can drive. ".utf8)
        return (0..<8_000).map { words[$0 % words.count] }
    }()

    init(size: Int) { self.size = size }

    /// Puts the next frame into `octets`.
    mutating func write(mutation: Int64, record: Identifier, token: LoadToken) {
        octets.removeAll(keepingCapacity: true)
        octets.append(contentsOf: MutateFrame.beginning)
        Decimal.append(mutation, to: &octets)
        octets.append(contentsOf: MutateFrame.operation)
        record.append(to: &octets)
        octets.append(contentsOf: MutateFrame.fields)
        token.append(to: &octets)
        let left = size - octets.count - MutateFrame.end.count
        // A text does not end in a blank, which the server would cut off.
        if left > 0 {
            octets.append(contentsOf: MutateFrame.filling[..<(left - 1)])
            octets.append(UInt8(ascii: "."))
        }
        octets.append(contentsOf: MutateFrame.end)
    }
}
