import Bytes
import ClientWorld
import Family
import Sync
import Testing
import Wire

@Suite("Sync engine: connection, cursor and snapshot")
struct EngineConnectionTests {
    @Test("The engine connects, signs in, joins the only family, and applies the snapshot at its end")
    func firstJoin() {
        var engine = SyncEngine(World.configuration())
        #expect(engine.start(now: 0) == [.connect(afterMilliseconds: 0)])
        #expect(engine.connected(now: 1) == [.send(.signIn(token: "t"))])
        #expect(engine.receive(World.welcome(), now: 2).sent == [.join(Join(family: World.family, client: World.client))])
        #expect(engine.receive(World.joined(10, byChanges: false), now: 3).sent.isEmpty)
        #expect(engine.receive(.snapshot(sequence: 10, records: [World.school(20, "Ohio")]), now: 4) == [])
        #expect(engine.record(World.id(20)) == nil)
        #expect(engine.receive(.snapshotEnd(sequence: 10), now: 5) == [.replaced])
        #expect(engine.name(20) == "Ohio")
        #expect(engine.cursor == Cursor(epoch: "e1", sequence: 10))
        #expect(engine.phase == .syncing)
        #expect(engine.receive(.live(sequence: 10), now: 6) == [.notify(.live(sequence: 10))])
        #expect(engine.phase == .live)
    }

    @Test("A program that does one thing joins quietly, if the server supports it")
    func quietly() {
        var configuration = World.configuration()
        configuration.isQuiet = true
        for features in [Feature.allCases, Feature.allCases.filter { $0 != .quiet }] {
            var engine = SyncEngine(configuration)
            _ = engine.start(now: 0)
            _ = engine.connected(now: 1)
            let sent = engine.receive(World.welcome(features: features), now: 2).sent
            #expect(sent == [.join(Join(family: World.family, client: World.client, isQuiet: features.contains(.quiet)))])
        }
    }

    @Test("The engine returns with the cursor and applies missed changes")
    func resume() {
        var engine = World.live()
        let actions = engine.disconnected(closeCode: nil, now: 10)
        #expect(actions.connects.count == 1)
        #expect(engine.connected(now: 20).sent == [.signIn(token: "t")])
        #expect(
            engine.receive(World.welcome(), now: 21).sent
                == [.join(Join(family: World.family, client: World.client, cursor: Cursor(epoch: "e1", sequence: 10)))])
        _ = engine.receive(World.joined(12, byChanges: true), now: 22)
        let change = engine.receive(World.change(11, [World.created(30, "Utah")]), now: 23)
        #expect(change.contains(.changed([World.id(30)])))
        _ = engine.receive(World.change(12, [World.updated(30, version: 2, ["name": .text("Yale")])]), now: 24)
        _ = engine.receive(.live(sequence: 12), now: 25)
        #expect(engine.name(30) == "Yale")
        #expect(engine.cursor?.sequence == 12)
    }

    @Test("The engine respects a server's return time; afterwards its own waits apply again", arguments: [700, 20_000] as [Int64])
    func returnAfter(wait: Int64) throws {
        var engine = World.live()
        let told = engine.receive(.drain(retryAfter: wait), now: 1)
        #expect(told == [], "nobody has to read about it")
        let first = try #require(engine.disconnected(closeCode: CloseCode.restarting.rawValue, now: 2).connects.first)
        #expect((wait...wait + Backoff.first).contains(first))
        let second = try #require(engine.disconnected(closeCode: nil, now: 3).connects.first)
        #expect(second <= Backoff.first * 2)
    }

    @Test("The engine obeys a draining server in every phase; a busy response to a sign-out does not affect the connection")
    func drains() throws {
        var engine = SyncEngine(World.configuration())
        _ = engine.start(now: 0)
        _ = engine.connected(now: 0)
        for frames in [[], [World.welcome()], [World.welcome(), World.joined(10, byChanges: false)]] {
            for frame in frames { _ = engine.receive(frame, now: 1) }
            #expect(engine.receive(.drain(retryAfter: 20_000), now: 2) == [])
            let first = try #require(engine.disconnected(closeCode: CloseCode.restarting.rawValue, now: 3).connects.first)
            #expect((20_000...20_000 + Backoff.first).contains(first))
            _ = engine.connected(now: 4)
        }
        var live = World.live()
        _ = live.signOut(now: 1)
        let busy = Rejection(.busy, "Sign out again in a moment.", retryAfter: 20_000)
        #expect(live.receive(.error(busy, request: nil), now: 2).notices == [.failed(busy, request: nil)])
        let back = try #require(live.disconnected(closeCode: nil, now: 3).connects.first)
        #expect(back <= Backoff.first * 2)
    }

    @Test("A context has a number if the server supports it, so that another refusal is not taken for its own")
    func numberedContext() {
        var engine = World.live()
        let asked = engine.ask(now: 1) { .list(ListRequest(request: $0, kind: .message, limit: 5)) }
        #expect(asked?.request == 1)
        #expect(engine.setContext(.athlete(World.athlete), now: 2).sent == [.tagged(.context(.athlete(World.athlete)), request: 2)])
        let other = Rejection(.busy, "b", retryAfter: 100)
        #expect(engine.receive(.error(other, request: 1), now: 3).notices == [.failed(other, request: 1)])
        #expect(engine.receive(.tagged(.context(.athlete(World.athlete)), request: 2), now: 4).notices == [.context(.athlete(World.athlete))])
        _ = engine.setContext(.athlete(World.other), now: 5)
        let refused = Rejection(.notFound, "n")
        #expect(engine.receive(.error(refused, request: 3), now: 6).notices == [.failed(refused, request: nil)])
        #expect(engine.configuration.context == .athlete(World.athlete))

        var first = SyncEngine(World.configuration())
        _ = first.start(now: 0)
        World.enter(&first, features: [])
        #expect(first.setContext(.all, now: 1).sent == [.context(.all)])
        #expect(first.receive(.error(refused, request: nil), now: 2).notices == [.failed(refused, request: nil)])
    }

    @Test("The returns of a thousand clients with different times stay apart")
    func spread() {
        var arrivals: [Int64] = []
        for number in 0..<1_000 {
            var engine = SyncEngine(World.configuration(seed: UInt64(number)))
            _ = engine.start(now: 0)
            World.enter(&engine)
            _ = engine.receive(.drain(retryAfter: 500 + Int64(number)), now: 1)
            arrivals += engine.disconnected(closeCode: CloseCode.restarting.rawValue, now: 2).connects
        }
        let busiest = Dictionary(grouping: arrivals) { $0 / 100 }.values.map(\.count).max() ?? 0
        #expect(arrivals.count == 1_000 && busiest < 150, "\(busiest) in a tenth of a second")
    }

    @Test("A change that was applied before is ignored")
    func repeated() {
        var engine = World.live()
        _ = engine.receive(World.change(11, [World.created(30, "Utah")]), now: 1)
        #expect(engine.receive(World.change(11, [World.created(30, "Utah")]), now: 2) == [])
        #expect(engine.receive(World.change(3, [World.created(31, "Reed")]), now: 2) == [])
        #expect(engine.cursor?.sequence == 11)
        #expect(engine.faultCount == 0)
    }

    @Test("A gap is a fault: the engine leaves and resumes from its cursor")
    func gap() {
        var engine = World.live()
        let actions = engine.receive(World.change(12, [World.created(30, "Utah")]), now: 1)
        #expect(actions.notices.first == .fault(.gap(expected: 11, got: 12)))
        #expect(actions.disconnects == [1002])
        #expect(actions.connects.count == 1)
        #expect(engine.faultCount == 1)
        #expect(engine.cursor?.sequence == 10)
        #expect(engine.record(World.id(30)) == nil)
        #expect(engine.receive(World.change(11, [World.created(30, "Utah")]), now: 2) == [], "frames of a connection that was left")
    }

    @Test("A change of a version that is not held requests a snapshot")
    func diverged() {
        var engine = World.live()
        let actions = engine.receive(World.change(11, [World.updated(20, version: 6, ["name": .text("X")])]), now: 1)
        #expect(actions.notices.first == .fault(.diverged(World.id(20))))
        _ = engine.connected(now: 2)
        #expect(engine.receive(World.welcome(), now: 3).sent == [.join(Join(family: World.family, client: World.client))])
    }

    @Test("A change of a message too old for the snapshot is ignored")
    func oldMessage() {
        var engine = World.live()
        let entry = ChangeEntry(
            kind: .message, id: World.id(77), version: 2, effect: .update(World.patch(.message, ["text": .text("x")]).assignments))
        _ = engine.receive(World.change(11, [entry]), now: 1)
        #expect(engine.faultCount == 0)
        #expect(engine.cursor?.sequence == 11)
    }

    @Test("A reset takes a snapshot and keeps pending mutations and drafts")
    func reset() throws {
        var engine = World.live()
        let refused = try engine.perform([World.update(20, base: 3, ["name": .text("Mine")])], at: 0, now: 1).mutation
        _ = engine.receive(.reject(mutation: refused, Rejection(.conflict, "c")), now: 2)
        let kept = try engine.perform([World.create(40, "New")], at: 0, now: 2).mutation
        _ = engine.disconnected(closeCode: 1001, now: 3)
        _ = engine.connected(now: 4)
        _ = engine.receive(World.welcome(), now: 4)
        let joined = engine.receive(World.joined(5, byChanges: false, epoch: "e2"), now: 5)
        #expect(joined.sent.isEmpty)
        #expect(engine.receive(.reset(.epochChanged), now: 5).notices == [.reset(.epochChanged)])
        _ = engine.receive(.snapshot(sequence: 5, records: [World.school(50, "Elm")]), now: 6)
        #expect(engine.name(20) == "Ohio", "what was there is shown until the snapshot is whole")
        _ = engine.receive(.snapshotEnd(sequence: 5), now: 7)
        let live = engine.receive(.live(sequence: 5), now: 8)
        #expect(engine.name(20) == nil)
        #expect(engine.name(50) == "Elm")
        #expect(engine.name(40) == "New")
        #expect(engine.cursor == Cursor(epoch: "e2", sequence: 5))
        #expect(live.sentMutations == [kept])
        #expect(engine.drafts.map(\.id) == [refused])
    }

    @Test("In another log a sequence is another change: pending undos are reported and dropped", arguments: [true, false])
    func undoOfAnotherEpoch(isAhead: Bool) throws {
        var engine = World.live()
        let refused = try engine.undo(8, at: 0, now: 0).mutation
        _ = engine.receive(.reject(mutation: refused, Rejection(.conflict, "c")), now: 1)
        _ = engine.disconnected(closeCode: 1001, now: 1)
        let waiting = try engine.undo(9, at: 0, now: 2).mutation
        let kept = try engine.perform([World.create(40, "New")], at: 0, now: 2).mutation
        _ = engine.connected(now: 4)
        _ = engine.receive(World.welcome(), now: 4)
        var actions: [SyncAction] = []
        if isAhead { actions += engine.receive(.error(Rejection(.cursorAhead, "ahead"), request: nil), now: 5) }
        actions += engine.receive(World.joined(5, byChanges: false, epoch: isAhead ? "e1" : "e2"), now: 5)
        let told = actions.notices.compactMap { if case .rejected(let id, let rejection) = $0 { (id, rejection.code) } else { nil } }
        #expect(told.map(\.0) == [waiting, refused] && told.allSatisfy { $0.1 == .notFound })
        _ = engine.receive(.snapshot(sequence: 5, records: []), now: 6)
        _ = engine.receive(.snapshotEnd(sequence: 5), now: 7)
        #expect(engine.receive(.live(sequence: 5), now: 8).sentMutations == [kept])
        #expect(engine.drafts.isEmpty && engine.pending.map(\.id) == [kept])
    }

    @Test("Records from a server of 0.1.0 are loaded again; pending mutations, drafts and undos stay")
    func epochOfTheDatabase() throws {
        var before = World.live()
        let refused = try before.perform([World.update(20, base: 3, ["name": .text("Mine")])], at: 0, now: 0).mutation
        _ = before.receive(.reject(mutation: refused, Rejection(.conflict, "c")), now: 1)
        let undo = try before.undo(9, at: 0, now: 1).mutation
        let kept = try before.perform([World.create(40, "New")], at: 0, now: 1).mutation
        _ = before.disconnected(closeCode: nil, now: 1)
        var engine = SyncEngine(World.configuration())
        engine.restore(try #require(before.savedState))
        _ = engine.start(now: 2)
        _ = engine.connected(now: 3)
        let join = engine.receive(World.welcome(), now: 4).sent
        #expect(join == [.join(Join(family: World.family, client: World.client, cursor: Cursor(epoch: "e1", sequence: 10)))])
        let epoch = Cursor.epoch(of: World.family, database: "e1")
        var actions = engine.receive(World.joined(12, byChanges: false, epoch: epoch), now: 5)
        actions += engine.receive(.reset(.epochChanged), now: 5)
        actions += engine.receive(.snapshot(sequence: 12, records: [World.school(20, "Theirs", version: 4)]), now: 6)
        actions += engine.receive(.snapshotEnd(sequence: 12), now: 7)
        actions += engine.receive(.live(sequence: 12), now: 8)
        #expect(actions.sentMutations == [undo] && engine.pending.map(\.id) == [undo, kept])
        #expect(engine.drafts.map(\.id) == [refused])
        #expect(engine.name(20) == "Theirs" && engine.name(40) == "New")
        #expect(engine.cursor == Cursor(epoch: epoch, sequence: 12))
    }

    @Test("In the same log pending undos are sent, after any break")
    func undoOfTheSameEpoch() throws {
        var engine = World.live()
        _ = engine.disconnected(closeCode: 1001, now: 1)
        let waiting = try engine.undo(9, at: 0, now: 2).mutation
        #expect(World.resume(&engine, at: 10, now: 3).sentMutations == [waiting])
    }

    @Test("An interrupted snapshot is requested again")
    func cutSnapshot() {
        var engine = SyncEngine(World.configuration())
        _ = engine.start(now: 0)
        _ = engine.connected(now: 0)
        _ = engine.receive(World.welcome(), now: 0)
        _ = engine.receive(World.joined(10, byChanges: false), now: 0)
        _ = engine.receive(.snapshot(sequence: 10, records: [World.school(20, "Ohio")]), now: 0)
        _ = engine.disconnected(closeCode: nil, now: 1)
        #expect(engine.cursor == nil)
        World.enter(&engine, now: 2)
        #expect(engine.records(of: .school).count == 2)
    }

    @Test("A cursor from the future rejoins without one, on the same connection")
    func cursorAhead() throws {
        var engine = World.live()
        let kept = try engine.perform([World.create(40, "New")], at: 0, now: 1).mutation
        _ = engine.disconnected(closeCode: nil, now: 1)
        _ = engine.connected(now: 2)
        _ = engine.receive(World.welcome(), now: 2)
        let actions = engine.receive(.error(Rejection(.cursorAhead, "ahead"), request: nil), now: 3)
        #expect(actions.sent == [.join(Join(family: World.family, client: World.client))])
        #expect(actions.notices == [.reset(nil)])
        _ = engine.receive(World.joined(2, byChanges: false), now: 4)
        _ = engine.receive(.snapshotEnd(sequence: 2), now: 4)
        #expect(engine.receive(.live(sequence: 2), now: 4).sentMutations == [kept])
    }

    @Test("Frames that are not allowed in the phase are faults", arguments: [
        ServerFrame.snapshot(sequence: 10, records: []), .snapshotEnd(sequence: 10), World.joined(10, byChanges: true), World.welcome(),
        .live(sequence: 11), .token(token: "x", family: World.family, member: World.parent),
    ])
    func outOfPlace(frame: ServerFrame) {
        var engine = World.live()
        let actions = engine.receive(frame, now: 1)
        #expect(engine.faultCount == 1)
        #expect(actions.connects.count == 1)
        #expect(engine.phase == .offline)
    }

    @Test("Close codes decide whether the engine returns", arguments:
        [nil, 1000, 1001, 1006, 1011, 1012, 1013, 4000, 4001, 4002, 4003, 4004] as [UInt16?])
    func reconnects(code: UInt16?) {
        var engine = World.live()
        let actions = engine.disconnected(closeCode: code, now: 1)
        #expect(actions.connects.count == 1)
        #expect(actions.stops.isEmpty)
    }

    @Test("Codes for stopping stop the engine", arguments: [1002, 1003, 1007, 1008, 1009, 1010, 4500, 4501, 4502, 4999] as [UInt16])
    func stops(code: UInt16) {
        var engine = World.live()
        let actions = engine.disconnected(closeCode: code, now: 1)
        #expect(actions == [.stop(.closed(code))])
        #expect(engine.phase == .stopped)
        #expect(engine.disconnected(closeCode: nil, now: 2) == [])
    }

    @Test("An invalid token stops the engine; it retries a busy server")
    func refusals() {
        var engine = SyncEngine(World.configuration())
        _ = engine.start(now: 0)
        _ = engine.connected(now: 0)
        let busy = engine.receive(.error(Rejection(.busy, "busy"), request: nil), now: 1)
        #expect(busy.connects.count == 1)
        #expect(busy.stops.isEmpty)
        _ = engine.connected(now: 2)
        #expect(engine.receive(.error(Rejection(.tokenUnknown, "no"), request: nil), now: 3).stops == [.tokenUnknown])
    }

    @Test("With several families and none named, the engine asks")
    func families() {
        var engine = SyncEngine(World.configuration())
        _ = engine.start(now: 0)
        _ = engine.connected(now: 0)
        let actions = engine.receive(World.welcome(families: [World.id(1), World.id(9)]), now: 1)
        guard case .familyUnclear(let list)? = actions.stops.first else {
            Issue.record("no stop in \(actions)")
            return
        }
        #expect(list.map(\.family) == [World.id(1), World.id(9)])
    }

    @Test("Waits grow to 15 s with full jitter and start from the beginning after live")
    func backoff() {
        var engine = World.live()
        var waits: [Int64] = []
        for attempt in 0..<200 {
            let wait = engine.disconnected(closeCode: nil, now: Int64(attempt)).connects.first ?? -1
            let ceiling: Int64 = min(15_000, 250 << Int64(min(attempt, 10)))
            #expect((0...ceiling).contains(wait), "attempt \(attempt)")
            waits.append(wait)
        }
        #expect(waits.max() ?? 0 > 12_000)
        #expect(waits.suffix(100).min() ?? .max < 3_000)
        _ = World.resume(&engine, at: 10)
        #expect(engine.disconnected(closeCode: nil, now: 0).connects.first ?? .max <= 250)
    }

    @Test("A follower without records first learns the epoch, then its position")
    func followBySequence() {
        var engine = SyncEngine(.init(token: "t", client: World.client, resumeAfter: 4, holdsRecords: false, seed: 1))
        _ = engine.start(now: 0)
        _ = engine.connected(now: 0)
        _ = engine.receive(World.welcome(), now: 0)
        let first = engine.receive(World.joined(10, byChanges: false), now: 0)
        #expect(first == [.disconnect(closeCode: 1000), .connect(afterMilliseconds: 0)])
        _ = engine.connected(now: 1)
        #expect(
            engine.receive(World.welcome(), now: 1).sent
                == [.join(Join(family: World.family, client: World.client, cursor: Cursor(epoch: "e1", sequence: 4)))])
        _ = engine.receive(World.joined(10, byChanges: true), now: 1)
        // Nothing is held, so any change follows.
        let change = engine.receive(World.change(5, [World.updated(20, version: 9, ["name": .text("X")])]), now: 2)
        #expect(change.notices.count == 1)
        #expect(engine.faultCount == 0)
        #expect(engine.cursor?.sequence == 5)
    }

    @Test("A context requested while offline is requested at the next join; a refused one falls back")
    func context() {
        var engine = World.live()
        _ = engine.disconnected(closeCode: nil, now: 0)
        #expect(engine.setContext(.athlete(World.athlete), now: 0) == [])
        _ = engine.connected(now: 1)
        let join = engine.receive(World.welcome(), now: 1).sent
        #expect(
            join == [
                .join(
                    Join(
                        family: World.family, client: World.client, context: .athlete(World.athlete),
                        cursor: Cursor(epoch: "e1", sequence: 10)))
            ])
        _ = engine.receive(World.joined(10, byChanges: true), now: 1)
        _ = engine.receive(.live(sequence: 10), now: 1)
        #expect(engine.setContext(.athlete(World.id(99)), now: 2).sent == [.tagged(.context(.athlete(World.id(99))), request: 1)])
        let refused = engine.receive(.error(Rejection(.notFound, "nobody"), request: 1), now: 3)
        #expect(refused.notices == [.failed(Rejection(.notFound, "nobody"), request: nil)])
        #expect(engine.context == .all)
    }

    @Test("A returning client requests its last season; a season that is gone is given up, with a notice", arguments: [true, false])
    func returning(returns: Bool) {
        var saved = SavedState(client: World.client, family: World.family, member: World.parent)
        saved.context = .athlete(World.athlete)
        saved.cursor = Cursor(epoch: "e1", sequence: 10)
        var configuration = SyncEngine.Configuration(token: "t", client: World.client, family: World.family, seed: 1)
        configuration.returnsToContext = returns
        var engine = SyncEngine(configuration)
        engine.restore(saved)
        // Stored records are shown immediately.
        #expect(engine.context == .athlete(World.athlete))
        _ = engine.start(now: 0)
        _ = engine.connected(now: 0)
        func join(_ context: Context?) -> ClientFrame {
            .join(Join(family: World.family, client: World.client, context: context, cursor: Cursor(epoch: "e1", sequence: 10)))
        }
        #expect(engine.receive(World.welcome(), now: 1).sent == [join(returns ? .athlete(World.athlete) : nil)])
        guard returns else { return }
        let gone = Rejection(.notFound, "There is no such athlete in this family.", field: "context")
        let answer = engine.receive(.error(gone, request: nil), now: 2)
        #expect(answer.sent == [join(nil)] && answer.notices == [.failed(gone, request: nil)])
        _ = engine.receive(World.joined(10, byChanges: true), now: 3)
        #expect(engine.context == .all)
    }
}
