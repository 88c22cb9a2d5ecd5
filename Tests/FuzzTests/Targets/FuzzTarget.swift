/// A parser or state machine, with the promises that must hold for every possible input.
///
/// One body serves two purposes: the fuzzer (`Tools/fuzz.sh`) looks for octets that break it, the tests replay the kept
/// ones.
struct FuzzTarget: Sendable {
    /// The name of its folder in `corpus`.
    let name: String
    /// The target's dictionary for the fuzzer, a file of `dictionaries`; `nil` for binary grammars.
    let dictionary: String?
    /// - Throws: `Broken` if a promise does not hold. A trap is a find as well.
    let run: @Sendable ([UInt8]) throws -> Void

    init(_ name: String, dictionary: String? = nil, _ run: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.name = name
        self.dictionary = dictionary
        self.run = run
    }

    static let all: [FuzzTarget] = grammars + calendars + documents + frames + webSockets + compression + requests + connections + archives + uploads + passkeys + options + machines

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A promise that an input broke.
struct Broken: Error, CustomStringConvertible {
    let description: String
}

func hold(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(Broken) {
    if !condition { throw Broken(description: sentence()) }
}

/// Octets as choices: a program for a state machine, or the cuts of a stream. After the last octet it returns zeros, so
/// every input is valid.
struct Choices {
    private let octets: [UInt8]
    private var position = 0

    init(_ octets: [UInt8]) { self.octets = octets }

    var isEmpty: Bool { position >= octets.count }

    mutating func octet() -> UInt8 {
        guard position < octets.count else { return 0 }
        defer { position += 1 }
        return octets[position]
    }

    mutating func below(_ count: Int) -> Int { count <= 1 ? 0 : Int(octet()) % count }

    mutating func chance() -> Bool { octet() & 1 == 1 }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// At most this many octets, unchanged.
    mutating func take(_ count: Int) -> [UInt8] {
        let end = min(position + count, octets.count)
        defer { position = end }
        return Array(octets[position..<end])
    }

    /// All remaining octets, unchanged.
    mutating func rest() -> [UInt8] { take(octets.count) }
}
