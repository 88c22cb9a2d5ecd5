import Family
import Testing

@Suite("Sizes of records, guarantee `bounded`")
struct RecordSizeTests {
    /// Octets of JSON at most: four a character, which is more than any escape of the shorter ones that a text may hold.
    private static func largest(_ type: FieldType) -> Int {
        switch type {
        case .line(let max), .text(let max): 4 * max
        case .set(let kind, let max):
            // Id, and name and role as the kinds of elements have them: three names and a role of 100 characters at the most.
            max * (100 + 4 * 4 * 100 + (kind == .member ? 0 : 100))
        case .json(let maxOctets, _): maxOctets
        case .url: 2 * 2_048
        case .choice, .flag, .integer, .decimal, .measure, .date, .time, .localDateTime, .zone, .state, .reference, .link: 256
        }
    }

    // The store takes a mutation of one operation without a savepoint, because nothing can refuse it once it has written.
    @Test("one record always fits into one change", arguments: Kind.allCases)
    func fits(kind: Kind) {
        let octets = kind.declaration.fields.reduce(1_024) { $0 + $1.name.utf8.count + 8 + Self.largest($1.type) }
        #expect(octets <= Limits().changeOctets, "\(kind.name): \(octets)")
    }
}
