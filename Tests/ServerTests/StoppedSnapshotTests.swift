import Bytes
import Family
import Posix
import EventLoop
import Rooms
import Store
import StoreSQLite
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("Snapshots that take long, guarantee `fair`")
struct StoppedSnapshotTests {
    private let folder: TemporaryFolder
    private let lines = LogLines()
    private let reactor: Reactor
    private let events: Mailbox<ShardEvent>
    /// Two families, the first with 100 schools.
    private let families: [Identifier]

    init() throws {
        folder = try TemporaryFolder()
        reactor = try Reactor()
        events = Mailbox<ShardEvent>(waker: reactor.waker)
        let store = try FamilyStore(path: folder.path + "/huddle.db", environment: MachineEnvironment.make(Limits()))
        var families: [Identifier] = []
        for name in ["Rivera", "Okafor"] {
            guard case .family(let created) = try store.perform(.createFamily(name: name, zone: "UTC", parent: "Ana")).0.get() else {
                throw Unexpected("no family")
            }
            families.append(created.family)
            guard let field = Kind.school.declaration.index(of: "name") else { throw Unexpected("no name") }
            let operations = (0..<(name == "Rivera" ? 100 : 0)).map { number in
                let patch = FieldPatch(assignments: [.init(field: field, value: .text("School \(number)"))])
                return Operation(kind: .school, id: Identifier(high: 9, low: UInt64(number)), action: .create(athlete: nil, patch: patch))
            }
            guard !operations.isEmpty else { continue }
            let client = Identifier(high: 7, low: 7)
            _ = try store.commit([
                Proposal(
                    family: created.family, member: created.member, context: .all, mutation: Mutation(client: client, id: 1, operations: operations),
                    session: 1)
            ])
        }
        self.families = families
    }

    /// Answers the requests by one thread that takes questions, with no time before a stop.
    ///
    /// - Returns: the sessions in the order of their answers, with the names of these.
    private func answers(_ requests: [ReadRequest]) throws -> [(session: SessionID, what: String)] {
        let pool = ReaderPool(events: events, log: lines.log, longest: 0)
        defer { pool.stop() }
        for (number, request) in requests.enumerated() {
            let family = if case .snapshot(let family) = request { family } else { families[1] }
            #expect(pool.submit(SessionID(number), request, WorkOwner(family: family, member: families[0])))
        }
        // Of the first thread, which does what is short, and one more: what they do is decided by the order of the requests.
        for _ in 0..<2 { pool.start(try StoreReader(path: folder.path + "/huddle.db", environment: MachineEnvironment.make(Limits()))) }
        var found: [(session: SessionID, what: String)] = []
        while found.count < requests.count {
            reactor.tick(waitingAtMost: 10)
            for case .answered(let session, let answer, _, _) in events.drain() {
                switch answer {
                case .snapshot(let frames, _, _): found.append((session, "snapshot \(frames.isEmpty ? "of nothing" : "whole")"))
                case .changes: found.append((session, "changes"))
                default: found.append((session, "\(answer)"))
                }
            }
        }
        return found
    }

    @Test("A snapshot is stopped while others wait, they have their turns, and then it is read whole")
    func stopped() throws {
        let changes = ReadRequest.changes(family: families[1], after: 0)
        let found = try answers([.snapshot(family: families[0]), changes, changes, changes])
        #expect(found.map(\.session) == [1, 2, 3, 0])
        #expect(found.map(\.what) == ["changes", "changes", "changes", "snapshot whole"])
        #expect(lines.count("event=read_stopped", "request=snapshot") == 3)
    }

    @Test("A snapshot is not stopped while nobody else waits, however long it takes")
    func alone() throws {
        let found = try answers([.snapshot(family: families[0]), .snapshot(family: families[0])])
        #expect(found.map(\.what) == ["snapshot whole", "snapshot whole"])
        #expect(lines.count("event=read_stopped") == 0)
    }
}
