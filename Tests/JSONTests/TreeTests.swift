import JSON
import TestSupport
import Testing

@Suite("JSON values in memory")
struct TreeTests {
    private func octets(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("A tree reads as it was written", arguments: [
        "null", "true", "-7", "\"a\\\"b\"", "[]", "{}", "{\"a\":[1,{\"b\":null}],\"c\":\"d\",\"e\":false}",
    ])
    func texts(text: String) throws { #expect(try String(decoding: JSONTree(octets(text)).octets, as: UTF8.self) == text) }

    @Test("Random trees come back as they were", arguments: 1...50 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        func tree(_ depth: Int) -> JSONTree {
            switch random.next() % (depth == 0 ? 4 : 6) {
            case 0: .null
            case 1: .flag(random.next() % 2 == 0)
            case 2: .integer(Int64(bitPattern: random.next()))
            case 3: .text(String(random.next(), radix: 36))
            case 4: .list((0..<Int(random.next() % 4)).map { _ in tree(depth - 1) })
            default: .object((0..<Int(random.next() % 4)).map { .init(key: "k\($0)", value: tree(depth - 1)) })
            }
        }
        let made = tree(4)
        #expect(try JSONTree(made.octets) == made)
    }

    @Test("Members are found, replaced, added and taken out by their key; a member without a value is left out")
    func members() {
        var tree = JSONTree.object(of: ["a": .integer(1), "b": nil, "c": .text("x")])
        #expect(tree["a"]?.integer == 1 && tree["b"] == nil && tree["c"]?.text == "x" && tree["c"]?.integer == nil)
        tree["a"] = .flag(true)
        tree["d"] = .list([.null])
        tree["c"] = nil
        tree["z"] = nil
        #expect(tree.octets == octets("{\"a\":true,\"d\":[null]}"))
        #expect(tree["a"]?.flag == true && tree["d"]?.elements.count == 1 && tree.members.map(\.key) == ["a", "d"])
        var list = JSONTree.list([])
        list["a"] = .null
        #expect(list == .list([]) && list["a"] == nil && list.members.isEmpty && tree.elements.isEmpty)
    }

    @Test("The reader refuses a text that is not JSON, a key that comes twice, a fraction, and anything behind the value", arguments: ["", "{", "{\"a\":1,\"a\":2}", "1.5", "1 2", "[1,]"])
    func refuses(text: String) { #expect(throws: JSONError.self) { try JSONTree(octets(text)) } }
}
