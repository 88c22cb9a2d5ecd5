import Bytes
import Family
import JSON
import SQLite
import Testing
import Wire

@testable import Store

/// The parts of long changes that a digest and a list read (guarantee `fair`).
@Suite("Outlines of long changes", .bothEngines)
struct OutlineTests {
    private let world: World
    private let home: World.Home
    private let reader: Identifier

    init() throws {
        world = try World()
        home = try world.home()
        reader = world.newID()
    }

    private func digest(after: Int64 = 0) throws -> DigestAnswer {
        guard case .digest(let digest) = try travelled(
            .digest(try world.reader.digest(family: home.family, member: reader, DigestRequest(request: 1, after: after))))
        else { throw Unexpected() }
        return digest
    }

    private func write(_ count: Int, letters: Int) throws {
        for number in 0..<count {
            try world.mutate(
                home, home.parent,
                create(.school, world.newID(), ["name": .text("School \(number)"), "notes": .text(String(repeating: "a", count: letters))]))
        }
    }

    /// As an earlier program wrote changes.
    private func forgetOutlines() throws {
        try world.change { engine in
            for sequence in 1...(try engine.log.head(family: 1)) {
                guard let frame = try engine.log.frame(family: 1, sequence: sequence) else { continue }
                try engine.log.replace(family: 1, sequence: sequence, frame: frame, outline: nil)
            }
        }
    }

    @Test("A digest of long changes is the same with and without their outlines; short changes have none")
    func same() throws {
        try write(5, letters: 9_000)
        try write(5, letters: 10)
        try world.mutate(
            home, home.parent,
            create(.message, world.newID(), ["text": .text(String(repeating: "€", count: 3_900)), "mentions": .set([SetElement(id: home.parent, name: "Ana")])]))
        #expect(try world.count("outlines") == 6)
        let answer = try digest()
        #expect(answer.isComplete && answer.messages == 1 && answer.records.count >= 11)
        let outlined = try world.reader.digest(family: home.family, member: reader, DigestRequest(request: 1, after: 0))
        try forgetOutlines()
        #expect(try world.reader.digest(family: home.family, member: reader, DigestRequest(request: 1, after: 0)) == outlined)
    }

    @Test("Neither a digest nor a list that follows reads the frame of a long change", .sqliteOnly("It damages rows"))
    func framesAreNotRead() throws {
        try write(1, letters: 10)
        _ = try world.page(home, ListRequest(request: 1, kind: .school, before: nil, limit: 10)).get()
        try write(3, letters: 9_000)
        try Database(path: world.path, mode: .readWrite).execute("UPDATE log SET frame = zeroblob(length(frame)) WHERE length(frame) > 4000")
        #expect(try digest().kinds.contains { $0.kind == .school && $0.created == 4 })
        #expect(try world.page(home, ListRequest(request: 1, kind: .school, before: nil, limit: 10)).get().records.count == 4)
    }

    @Test("Old changes without outlines are read up to a bound in octets, the newest, and the digest says so")
    func bounded() throws {
        try write(6, letters: 9_000)
        try forgetOutlines()
        let head = try digest().sequence
        world.reader.digestOctets = 30_000
        let answer = try digest()
        #expect(!answer.isComplete && answer.after == head - 3 && answer.changes == 3)
        // One alone is read however long it is.
        world.reader.digestOctets = 10
        #expect(try digest().after == head - 1)
        #expect(try digest(after: head).isComplete)
    }

    @Test("The outline of a change says what the outline of its frame says")
    func codec() throws {
        let change = Change(
            sequence: 7, at: 8, member: home.parent, client: nil, mutation: nil,
            entries: [
                ChangeEntry(
                    kind: .message, id: world.newID(), version: 1,
                    effect: .create(athlete: nil, fields: Fields(.message))),
                ChangeEntry(kind: .trip, id: world.newID(), version: 3, effect: .delete),
                ChangeEntry(kind: .event, id: world.newID(), version: 2, effect: .update([])),
            ])
        let outline = ChangeOutline(change)
        let decoded = try outline.encode().withUnsafeBytes { octets throws(JSONError) in try ChangeOutline.decode(octets) }
        #expect(decoded == outline)
        let frame = ServerFrame.change(change).encode()
        #expect(try frame.withUnsafeBytes { octets throws(JSONError) in try ChangeOutline.decode(octets) } == outline)
    }
}
