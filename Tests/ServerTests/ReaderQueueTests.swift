import Bytes
import Family
import Rooms
import Testing
import Wire

@testable import Server

@Suite("Jobs that wait for the readers, guarantee `fair`")
struct ReaderQueueTests {
    /// A job with a number; questions are of a member of a family.
    private static func job(_ kind: ReaderQueue.Class, _ number: UInt64, family: UInt64 = 1, member: UInt64 = 1, isCounted: Bool = true) -> ReaderQueue.Job {
        let payer = WorkOwner(family: Identifier(high: 0, low: family), member: Identifier(high: 1, low: member))
        return .init(
            kind: kind, payer: kind == .question ? payer : nil, isCounted: kind == .question && isCounted,
            request: .session(number, .signIn(token: "")))
    }

    /// The next job of a thread, by its number.
    private static func take(_ queue: inout ReaderQueue, _ thread: Int) -> UInt64? {
        guard let job = queue.take(thread: thread), case .session(let number, _) = job.request else { return nil }
        return number
    }

    @Test("the first thread does short jobs only; the others take short jobs and questions in turn")
    func roles() {
        var queue = ReaderQueue(threads: 3)
        for number in 1...4 as ClosedRange<UInt64> { #expect(queue.put(Self.job(.question, number, family: number)) == true) }
        for number in 11...13 as ClosedRange<UInt64> { #expect(queue.put(Self.job(.arrival, number)) == true) }
        #expect(queue.put(Self.job(.request, 21)) == true)
        #expect(Self.take(&queue, 0) == 11)
        #expect(Self.take(&queue, 1) == 21)
        // A short job is over, so a question comes next.
        #expect(Self.take(&queue, 1) == 1)
        #expect(Self.take(&queue, 1) == 12)
        #expect(Self.take(&queue, 0) == 13)
        #expect(Self.take(&queue, 0) == nil)
        #expect(Self.take(&queue, 1) == 2)
        #expect(Self.take(&queue, 2) == 3)
        #expect(Self.take(&queue, 2) == 4)
        #expect(Self.take(&queue, 2) == nil && queue.count == 0)
    }

    @Test("families take turns with one question each, and one family never has all threads")
    func turns() {
        var queue = ReaderQueue(threads: 3)
        for number in 1...4 as ClosedRange<UInt64> { _ = queue.put(Self.job(.question, number)) }
        #expect(Self.take(&queue, 1) == 1)
        #expect(Self.take(&queue, 2) == nil, "the other thread waits for another family")
        _ = queue.put(Self.job(.question, 11, family: 2))
        #expect(queue.threadToWake() == 2)
        #expect(queue.threadToWake() == nil, "nobody is woken twice")
        #expect(Self.take(&queue, 2) == 11)
        _ = queue.put(Self.job(.question, 12, family: 2))
        #expect(Self.take(&queue, 1) == 2)
        #expect(Self.take(&queue, 2) == 12)
        #expect(Self.take(&queue, 2) == nil)
        // The end of a family's question is the turn of its next one, on whatever thread is free.
        _ = queue.put(Self.job(.arrival, 21))
        #expect(Self.take(&queue, 1) == 21)
        #expect(queue.threadToWake() == 2)
        #expect(Self.take(&queue, 2) == 3)
        // A single thread takes them in turn as well.
        var single = ReaderQueue(threads: 1)
        _ = single.put(Self.job(.question, 1))
        #expect(Self.take(&single, 0) == 1)
    }

    /// A join of a family.
    private static func join(_ number: UInt64, family: UInt64) -> ReaderQueue.Job {
        .init(
            kind: .arrival, payer: nil, family: Identifier(high: 0, low: family), isCounted: false,
            request: .session(number, .join(person: 1, Join(family: Identifier(high: 0, low: family), client: Identifier(high: 2, low: 1)))))
    }

    @Test("A family that floods joins and lists delays a join and a list of another family by one turn each")
    func flood() {
        var queue = ReaderQueue(threads: 3)
        for number in 1...500 as ClosedRange<UInt64> { #expect(queue.put(Self.join(number, family: 1)) == true) }
        for number in 501...1_000 as ClosedRange<UInt64> { #expect(queue.put(Self.job(.question, number, member: number / 10)) == true) }
        _ = queue.put(Self.join(2_001, family: 2))
        _ = queue.put(Self.job(.question, 2_002, family: 2))
        #expect(queue.waiting(.arrival) == 501)
        #expect(Self.take(&queue, 0) == 1)
        #expect(Self.take(&queue, 0) == 2_001, "the other family's join comes after one of the flood")
        // The second thread takes short jobs and questions in turn.
        #expect(Self.take(&queue, 1) == 2)
        #expect(Self.take(&queue, 1) == 501)
        #expect(Self.take(&queue, 1) == 3)
        #expect(Self.take(&queue, 1) == 2_002, "the other family's list comes after one of the flood")
        // A family that joins later waits for one turn of each family that waits already.
        _ = queue.put(Self.join(3_001, family: 3))
        _ = queue.put(Self.join(2_003, family: 2))
        for expected: UInt64 in [4, 3_001, 2_003] { #expect(Self.take(&queue, 0) == expected) }
    }

    @Test("Sign-ins, whose family is not known, and joins of all families are taken in turn")
    func signIns() {
        var queue = ReaderQueue(threads: 3)
        for number in 1...3 as ClosedRange<UInt64> { _ = queue.put(Self.job(.arrival, number)) }
        for number in 11...12 as ClosedRange<UInt64> { _ = queue.put(Self.join(number, family: number)) }
        _ = queue.put(Self.job(.request, 21))
        for expected: UInt64? in [11, 21, 1, 12, 2, 3, nil] { #expect(Self.take(&queue, 0) == expected) }
        #expect(queue.count == 0)
    }

    @Test("questions are bounded per member and per family, also while they are answered; reads of missed changes are not counted")
    func bounds() {
        var queue = ReaderQueue(threads: 3)
        let each = UInt64(ReaderQueue.questionsOfMember)
        for number in 0..<each { #expect(queue.put(Self.job(.question, number)) == true) }
        #expect(Self.take(&queue, 1) == 0)
        #expect(queue.put(Self.job(.question, 99)) == false)
        #expect(queue.put(Self.job(.question, 99, isCounted: false)) == true)
        #expect(queue.takeRefusals() == [.init(kind: .question, waiting: Int(each), refused: 1)])
        #expect(queue.takeRefusals() == [])
        #expect(Self.take(&queue, 1) == 1)
        #expect(queue.put(Self.job(.question, 100)) == true, "one was answered")
        var member: UInt64 = 2
        var taken = each
        while queue.put(Self.job(.question, 0, member: member)) {
            taken += 1
            if taken % each == 0 { member += 1 }
        }
        #expect(taken == UInt64(ReaderQueue.questionsOfFamily))
        #expect(queue.put(Self.job(.question, 0, family: 2)) == true)
    }

    @Test("each class accepts its bounded number of jobs, however full the others are", arguments: ReaderQueue.Class.allCases)
    func classes(kind: ReaderQueue.Class) {
        var queue = ReaderQueue(threads: 3)
        for other in ReaderQueue.Class.allCases where other != kind {
            var number: UInt64 = 0
            while queue.put(Self.job(other, number, isCounted: false)) { number += 1 }
        }
        _ = queue.takeRefusals()
        for number in 0..<kind.limit { #expect(queue.put(Self.job(kind, UInt64(number), isCounted: false)) == true) }
        #expect(queue.put(Self.job(kind, 0, isCounted: false)) == false)
        #expect(queue.takeRefusals() == (kind == .preparation ? [] : [.init(kind: kind, waiting: kind.limit, refused: 1)]))
    }

    @Test("a preparation is done while nothing else waits; a closed queue wakes all threads and gives no job")
    func ends() {
        var queue = ReaderQueue(threads: 3)
        _ = queue.put(Self.job(.preparation, 1))
        _ = queue.put(Self.job(.question, 2))
        #expect(Self.take(&queue, 0) == nil)
        #expect(Self.take(&queue, 1) == 2)
        #expect(Self.take(&queue, 1) == 1)
        #expect(Self.take(&queue, 2) == nil)
        #expect(queue.threadToWake() == nil)
        _ = queue.put(Self.job(.question, 3))
        queue.close()
        #expect(queue.threadToWake() == 0)
        #expect(queue.threadToWake() == 2)
        #expect(Self.take(&queue, 1) == nil && queue.isClosed)
        #expect(queue.put(Self.job(.arrival, 4)) == false)
    }
}
