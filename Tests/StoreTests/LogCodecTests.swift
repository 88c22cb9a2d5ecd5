import Bytes
import Family
import Store
import Testing
import Wire

@Suite("The octets of the log, and the value of a committed change", .bothEngines)
struct LogCodecTests {
    /// Whether the log's octets are those of a `change` frame, and both read as the same change.
    private func agrees(_ octets: [UInt8], _ comment: Comment) throws {
        let change = try #require(LogCodec.decode(octets), comment)
        #expect(LogCodec.encode(change) == octets, comment)
        #expect(ServerFrame.change(change).encode() == octets, comment)
        // Without the schema: some of these changes have members that no record has together.
        guard case .change(change) = try octets.withUnsafeBytes({ try ServerFrame.decode($0) }) else { throw Unexpected() }
    }

    @Test("Whatever random families do, a row of the log is octet for octet the change frame of its value", arguments: 1...4 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        let world = try World(seed: seed)
        var family = try RandomFamily(world, seed: seed)
        try family.hurry(steps: 120)
        try family.live(steps: 40)
        let rows = try world.reader.changes(family: family.home.family, after: 0, maxOctets: .max).frames
        #expect(rows.count > 50)
        for row in rows { try agrees(row.frame, "seed \(seed), change \(row.sequence)") }
        for committed in family.episodes.compactMap(\.answer.committed) { #expect(LogCodec.decode(committed.frame) == committed.change, "seed \(seed)") }
    }

    @Test("Changes with every member, and with none that can be left out")
    func shapes() throws {
        func id(_ number: UInt64) -> Identifier { Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_0000 | number) }
        let overlap = OverlapOverride(reason: "Both \"parents\" agreed\n", pairs: [OverlapPair(id(1), id(2))])
        let entry = ChangeEntry(kind: .message, id: id(3), version: 2, effect: .delete)
        let restored = ChangeEntry(
            kind: .message, id: id(4), version: 3, effect: .restore(athlete: nil, fields: Fields(.message), createdAt: 7, createdBy: id(5)))
        try agrees(LogCodec.encode(Change(sequence: 1, at: 0, member: id(5), client: nil, mutation: nil, entries: [])), "none")
        try agrees(
            LogCodec.encode(
                Change(
                    sequence: 9_007_199_254_740_991, at: -1, member: id(5), client: id(6), mutation: 8, overlap: overlap, undoes: 4,
                    entries: [entry, restored])), "all")
    }

    @Test("A row that is not a change is not read as one")
    func damaged() {
        for text in ["", "{}", "[]", #"{"type":"ack","mutation":1,"records":[]}"#, #"{"type":"change","seq":1}"#] {
            #expect(LogCodec.decode(Array(text.utf8)) == nil, "\(text)")
        }
    }
}
