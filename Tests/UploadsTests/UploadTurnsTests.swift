import TestSupport
import Testing
import Uploads

@Suite("Turns of requests at one upload")
struct UploadTurnsTests {
    private typealias Action = UploadTurns.Action
    private typealias Progress = UploadTurns.Progress

    /// A request that began at 100, passed 50 octets to the disk and holds 7 more, last received at 1,000.
    private static func receiving(isWhole: Bool = false, isWriting: Bool = false) -> Progress {
        .receiving(.init(start: 100, given: 50, gathered: 7, isWhole: isWhole, isWriting: isWriting, heardAt: 1_000))
    }

    /// Turns in which request 1 has the turn.
    private static func held() -> UploadTurns {
        var turns = UploadTurns()
        #expect(turns.receive(.entered(1, .append(at: 100)), progress: nil, now: 0) == [.grant(1)])
        return turns
    }

    @Test("A request gets the turn of a free upload; the next ones get it in order of arrival")
    func order() {
        var turns = Self.held()
        #expect(turns.holder == 1 && !turns.isFree)
        #expect(turns.receive(.entered(2, .other), progress: .ending, now: 0) == [.yield(1, to: nil)])
        #expect(turns.receive(.entered(3, .ask), progress: .ending, now: 0) == [.yield(1, to: nil)])
        #expect(turns.receive(.ended, progress: nil, now: 0) == [.grant(2)])
        #expect(turns.receive(.looked, progress: .ending, now: 0) == [.yield(2, to: nil)])
        #expect(turns.receive(.ended, progress: nil, now: 0) == [.grant(3)])
        #expect(turns.receive(.ended, progress: nil, now: 0) == [])
        #expect(turns.isFree && !turns.isAwaited)
    }

    @Test("The request that created the upload has the turn from the beginning")
    func creation() {
        var turns = UploadTurns()
        #expect(turns.receive(.created(1), progress: nil, now: 0) == [] && turns.holder == 1)
        #expect(turns.receive(.entered(2, .append(at: 0)), progress: .beginning(offset: 0), now: 0) == [.yield(1, to: 0)])
        #expect(turns.receive(.ended, progress: nil, now: 0) == [.grant(2)])
    }

    @Test("A newer request that adds octets makes the older one yield only if its octets continue there", arguments: [
        (.beginning(offset: 100), 100, 1_000, true), (.beginning(offset: 100), 157, 1_000, false),
        // After all received octets, also while they arrive.
        (receiving(), 157, 1_000, true), (receiving(isWriting: true), 157, 1_000, true),
        // After the octets on disk, once the older client is silent.
        (receiving(), 150, 1_499, false), (receiving(), 150, 1_500, true), (receiving(isWriting: true), 150, 9_000, false),
        (receiving(), 100, 9_000, false), (receiving(), 151, 9_000, false),
        // With a checksum none of its octets count.
        (receiving(isWhole: true), 100, 1_000, true), (receiving(isWhole: true), 157, 9_000, false), (receiving(isWhole: true), 150, 9_000, false),
        // Its end is not known yet.
        (.ending, 3, 1_000, true), (.repeating, 3, 1_000, true),
    ] as [(UploadTurns.Progress, Int64, Int64, Bool)])
    func races(progress: UploadTurns.Progress, offset: Int64, now: Int64, yields: Bool) {
        var turns = Self.held()
        let actions = turns.receive(.entered(2, .append(at: offset)), progress: progress, now: now)
        #expect(actions == (yields ? [.yield(1, to: offset)] : [.refuseOffset(2, provided: offset)]))
        #expect(turns.isAwaited == yields && turns.holder == 1)
    }

    @Test("Of two clients that race from the same offset, one wins and the other is refused, however often it tries")
    func oneWins() {
        var turns = Self.held()
        for number in 2...40 as ClosedRange<UInt64> {
            #expect(turns.receive(.entered(number, .append(at: 100)), progress: Self.receiving(), now: 1_200) == [.refuseOffset(number, provided: 100)])
        }
        #expect(turns.receive(.ended, progress: nil, now: 1_300) == [] && turns.isFree)
    }

    @Test("A tus client that asks for the offset waits while octets arrive, and gets the stored offset when its patience ends")
    func patience() {
        var turns = Self.held()
        #expect(turns.receive(.entered(2, .ask), progress: Self.receiving(isWriting: true), now: 1_000) == [.lookLater])
        #expect(turns.receive(.entered(3, .ask), progress: Self.receiving(isWriting: true), now: 1_500) == [.lookLater])
        #expect(turns.receive(.looked, progress: Self.receiving(isWriting: true), now: 2_999) == [.lookLater])
        #expect(turns.receive(.looked, progress: Self.receiving(isWriting: true), now: 3_000) == [.answer(2), .lookLater])
        #expect(turns.receive(.looked, progress: Self.receiving(isWriting: true), now: 3_500) == [.answer(3)])
        #expect(turns.receive(.looked, progress: Self.receiving(isWriting: true), now: 3_600) == [] && !turns.isAwaited)
    }

    @Test("When the older client is silent, a request for the offset gets the turn")
    func silence() {
        var turns = Self.held()
        #expect(turns.receive(.entered(2, .ask), progress: Self.receiving(), now: 1_100) == [.lookLater])
        #expect(turns.receive(.looked, progress: Self.receiving(), now: 1_499) == [.lookLater])
        #expect(turns.receive(.looked, progress: Self.receiving(), now: 1_500) == [.yield(1, to: nil)])
        #expect(turns.receive(.ended, progress: nil, now: 1_510) == [.grant(2)])
    }

    @Test("A request that does not wait makes the older one yield for all waiting ones, to the offset of the one that adds octets")
    func mixed() {
        var turns = Self.held()
        #expect(turns.receive(.entered(2, .ask), progress: Self.receiving(), now: 1_000) == [.lookLater])
        #expect(turns.receive(.entered(3, .append(at: 157)), progress: Self.receiving(), now: 1_000) == [.yield(1, to: 157)])
        #expect(turns.receive(.entered(4, .append(at: 9)), progress: Self.receiving(), now: 1_000) == [.refuseOffset(4, provided: 9), .yield(1, to: 157)])
        #expect(turns.receive(.ended, progress: nil, now: 1_010) == [.grant(2)])
        // It ends immediately, like a request for the offset.
        #expect(turns.receive(.ended, progress: nil, now: 1_010) == [.grant(3)])
    }

    @Test("At most eight requests wait; the next one is refused as busy and changes nothing")
    func bound() {
        var turns = Self.held()
        for number in 0..<UInt64(UploadTurns.maxWaiting) { _ = turns.receive(.entered(10 + number, .other), progress: .ending, now: 0) }
        #expect(turns.receive(.entered(99, .other), progress: .ending, now: 0) == [.refuseBusy(99)])
        for number in 0..<UInt64(UploadTurns.maxWaiting) { #expect(turns.receive(.ended, progress: nil, now: 0) == [.grant(10 + number)]) }
        #expect(turns.receive(.ended, progress: nil, now: 0) == [])
    }

    @Test("While the server itself has the turn, requests wait; those that wait when the upload is removed get the turn, one by one")
    func blockedAndRemoved() {
        var turns = UploadTurns()
        #expect(turns.receive(.blocked, progress: nil, now: 0) == [] && !turns.isFree)
        #expect(turns.receive(.entered(1, .ask), progress: nil, now: 0) == [])
        #expect(turns.receive(.entered(2, .other), progress: nil, now: 0) == [])
        #expect(turns.receive(.removed, progress: nil, now: 0) == [])
        #expect(turns.receive(.unblocked, progress: nil, now: 0) == [.grant(1)])
        #expect(turns.receive(.removed, progress: nil, now: 0) == [])
        #expect(turns.receive(.ended, progress: nil, now: 0) == [.grant(2)])
    }

    @Test("After any events, at most one request has the turn, every other one gets one action, and none waits at a free upload", arguments: 0..<50)
    func anything(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var turns = UploadTurns()
        var (now, next): (Int64, UInt64) = (1_000, 1)
        var holder: UInt64?
        var waiting: [UInt64] = []
        func handle(_ actions: [UploadTurns.Action]) {
            for action in actions {
                switch action {
                case .grant(let number):
                    #expect(holder == nil && waiting.first == number)
                    waiting.removeFirst()
                    holder = number
                case .yield(let number, _): #expect(holder == number)
                case .refuseBusy(let number), .refuseOffset(let number, _), .answer(let number):
                    #expect(waiting.contains(number))
                    waiting.removeAll { $0 == number }
                case .lookLater: #expect(holder != nil && !waiting.isEmpty)
                }
            }
        }
        for _ in 0..<400 {
            now += Int64.random(in: 0...400, using: &random)
            let progress: UploadTurns.Progress? =
                holder == nil
                ? nil
                : [.beginning(offset: 100), .ending, .repeating, Self.receiving(), Self.receiving(isWhole: true), Self.receiving(isWriting: true)]
                    .randomElement(using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0...2:
                let purposes: [UploadTurns.Purpose] = [.ask, .other, .append(at: 100), .append(at: 150), .append(at: 157)]
                waiting.append(next)
                handle(turns.receive(.entered(next, purposes.randomElement(using: &random) ?? .ask), progress: progress, now: now))
                next += 1
            case 3: handle(turns.receive(.looked, progress: progress, now: now))
            default:
                guard holder != nil else { continue }
                holder = nil
                handle(turns.receive(.ended, progress: nil, now: now))
            }
            #expect(turns.holder == holder && turns.isAwaited == !waiting.isEmpty && waiting.count <= UploadTurns.maxWaiting)
            #expect(holder != nil || waiting.isEmpty)
        }
    }
}
