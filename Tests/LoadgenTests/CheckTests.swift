import TestSupport
import Testing

@testable import loadgen

@Suite("Delivery check: each number once, in order")
struct DeliveryCheckTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let numbers: [Int64]
        let sent: Int64
        let lost: Int
        let duplicates: Int
        let late: Int
    }

    static let cases = [
        Case(testDescription: "nothing wrong", numbers: [1, 2, 3], sent: 3, lost: 0, duplicates: 0, late: 0),
        Case(testDescription: "nothing at all", numbers: [], sent: 2, lost: 2, duplicates: 0, late: 0),
        Case(testDescription: "one lost in the middle", numbers: [1, 3], sent: 3, lost: 1, duplicates: 0, late: 0),
        Case(testDescription: "the first lost", numbers: [2, 3], sent: 3, lost: 1, duplicates: 0, late: 0),
        Case(testDescription: "the last lost", numbers: [1, 2], sent: 3, lost: 1, duplicates: 0, late: 0),
        Case(testDescription: "doubled immediately", numbers: [1, 1, 2], sent: 2, lost: 0, duplicates: 1, late: 0),
        Case(testDescription: "doubled later", numbers: [1, 2, 3, 1], sent: 3, lost: 0, duplicates: 1, late: 0),
        Case(testDescription: "two changed places", numbers: [2, 1, 3], sent: 3, lost: 0, duplicates: 0, late: 1),
        Case(testDescription: "late and then doubled", numbers: [3, 1, 1, 2], sent: 3, lost: 0, duplicates: 1, late: 2),
        Case(testDescription: "a number never sent", numbers: [0, 1], sent: 1, lost: 0, duplicates: 1, late: 0),
        Case(testDescription: "a duplicate does not hide a loss", numbers: [1, 1, 3], sent: 3, lost: 1, duplicates: 1, late: 0),
    ]

    @Test("counts exactly what is wrong", arguments: cases)
    func counts(_ each: Case) {
        var check = DeliveryCheck()
        for number in each.numbers { check.receive(number) }
        #expect(check.lost(of: each.sent) == each.lost)
        #expect(check.duplicates == each.duplicates)
        #expect(check.late == each.late)
    }

    @Test("agrees with a set, whatever comes", arguments: [UInt64(1), 2, 3, 4])
    func property(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var check = DeliveryCheck()
        var seen: Set<Int64> = []
        var repeats = 0
        for _ in 0..<2_000 {
            let number = Int64.random(in: 1...1_000, using: &random)
            if !seen.insert(number).inserted { repeats += 1 }
            check.receive(number)
        }
        #expect(check.received == seen.count, "seed \(seed)")
        #expect(check.duplicates == repeats, "seed \(seed)")
        #expect(check.lost(of: 1_000) == 1_000 - seen.count, "seed \(seed)")
    }

    @Test("a gap past the bound is still counted as lost")
    func bound() {
        var check = DeliveryCheck()
        check.receive(Int64(DeliveryCheck.maxMissing) * 10)
        check.receive(1)
        #expect(check.lost(of: Int64(DeliveryCheck.maxMissing) * 10) == DeliveryCheck.maxMissing * 10 - 1)
    }
}

@Suite("Sequence check: one more each time")
struct SequenceCheckTests {
    @Test("counts gaps and repeats", arguments: [
        ([11, 12, 13], 0, 0), ([12, 13], 1, 0), ([11, 15], 3, 0), ([11, 11, 12], 0, 1), ([11, 12, 11], 0, 1), ([10], 0, 1),
    ])
    func counts(_ each: (numbers: [Int64], missing: Int64, repeated: Int)) {
        var check = SequenceCheck(head: 10)
        for number in each.numbers { check.receive(number) }
        #expect(check.missing == each.missing)
        #expect(check.repeated == each.repeated)
    }
}

@Suite("Ack ledger")
struct AckLedgerTests {
    @Test("an answer finds the time its message was meant to leave")
    func answers() {
        var ledger = AckLedger(limit: 3)
        #expect([10, 20, 30].map { ledger.send(intended: $0) } == [1, 2, 3])
        #expect(!ledger.hasRoom)
        #expect(ledger.answer(2, isAck: true) == 20)
        #expect(ledger.hasRoom)
        #expect(ledger.answer(1, isAck: false) == 10)
        #expect(ledger.answer(3, isAck: true) == 30)
        #expect((ledger.acked, ledger.rejected, ledger.outstanding, ledger.unexpected) == (2, 1, 0, 0))
    }

    @Test("a second answer, or one to a message never sent, is unexpected", arguments: [Int64(1), 0, -1, 2, 5, .max, .min])
    func unexpected(number: Int64) {
        var ledger = AckLedger(limit: 2)
        _ = ledger.send(intended: 1)
        #expect(ledger.answer(1, isAck: true) == 1)
        #expect(ledger.answer(number, isAck: true) == nil)
        #expect(ledger.unexpected == 1)
        #expect(ledger.acked == 1)
    }

    @Test("a message whose answer never comes stays outstanding")
    func outstanding() {
        var ledger = AckLedger(limit: 2)
        _ = ledger.send(intended: 1)
        for round in 2..<40 {
            let number = ledger.send(intended: Int64(round))
            #expect(ledger.answer(number, isAck: true) == Int64(round))
        }
        #expect(ledger.outstanding == 1)
    }

    @Test("messages that wait for room leave in order, each with its own time")
    func waiting() {
        var ledger = AckLedger(limit: 1)
        for intended in [5, 6, 7] { ledger.wait(intended: Int64(intended)) }
        #expect(ledger.unsent == 3)
        #expect([ledger.takeWaiting(), ledger.takeWaiting(), ledger.takeWaiting(), ledger.takeWaiting()] == [5, 6, 7, nil])
        #expect(ledger.unsent == 0)
    }

    @Test("above the bound the schedule is not kept, and the report says so")
    func bound() {
        var ledger = AckLedger(limit: 1)
        for intended in 0..<(AckLedger.maxWaiting + 3) { ledger.wait(intended: Int64(intended)) }
        #expect(ledger.overflowed == 3)
        #expect(ledger.unsent == AckLedger.maxWaiting + 3)
    }
}
