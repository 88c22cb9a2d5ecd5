import Bytes
import Documents
import Testing

@Suite("The queue of jobs for a thread of transfers")
struct JobLineTests {
    static let file = DocumentDownload.File(document: Identifier(high: 1, low: 1), octets: 1_000, sha256: "ab")
    static func job(_ number: Int) -> DocumentJob { .transfer(number, FileTransfer(.download(file), path: "/tmp/\(number)")) }
    static let question = DocumentJob.links(Identifier(high: 1, low: 1))

    @Test("R140 The thread runs jobs one after the other; it begins with the first and ends after the last")
    func order() {
        var line = JobLine()
        func put(_ job: DocumentJob) -> JobLine.AddResult { line.put(job) }
        func next() -> DocumentJob? { line.next() }
        #expect(next() == nil)
        #expect([Self.job(1), Self.question, Self.job(2)].map { put($0) } == [.begins, .waits, .waits])
        #expect((0..<4).map { _ in next() } == [Self.job(1), Self.question, Self.job(2), nil])
        #expect(put(Self.job(3)) == .begins)
        #expect(put(Self.job(4)) == .waits)
    }

    @Test("The queue takes jobs up to its limit, refuses one more, and refuses all at its end")
    func limit() {
        var line = JobLine()
        func put(_ job: DocumentJob) -> JobLine.AddResult { line.put(job) }
        func next() -> DocumentJob? { line.next() }
        for number in 1...JobLine.limit { #expect(put(Self.job(number)) != .refused) }
        #expect(put(Self.job(0)) == .refused)
        #expect(next() == Self.job(1))
        #expect(put(Self.job(0)) == .waits)
        line.end()
        #expect(line.isStopped(1) && next() == nil && put(Self.job(5)) == .refused)
    }

    @Test("A waiting job is removed and reported; a running job is asked to stop, once")
    func stop() {
        var line = JobLine()
        func put(_ job: DocumentJob) -> JobLine.AddResult { line.put(job) }
        func next() -> DocumentJob? { line.next() }
        func stop(_ number: Int) -> Bool { line.stop(number) }
        func takeReports() -> [DocumentReport] { line.takeReports() }
        for number in 1...3 { _ = put(Self.job(number)) }
        #expect(next() == Self.job(1))
        #expect(stop(2) == true)
        #expect(takeReports() == [.failed(2, .cancelled)])
        #expect(stop(1) == false && line.isStopped(1) && !line.isStopped(3))
        // Started again before the thread noticed: the old run still ends, the new one does not.
        #expect(put(Self.job(1)) == .waits)
        #expect(line.isStopped(1))
        #expect(next() == Self.job(3) && next() == Self.job(1))
        #expect(!line.isStopped(1))
        #expect(stop(99) == false && takeReports() == [])
    }

    @Test("R138 The queue keeps only the last progress, at most ten times per second; it holds back nothing else; one wake-up is enough")
    func reports() {
        var line = JobLine()
        func put(_ job: DocumentJob) -> JobLine.AddResult { line.put(job) }
        func next() -> DocumentJob? { line.next() }
        func report(_ report: DocumentReport, _ now: Int64) -> Bool { line.report(report, now: now) }
        func takeReports() -> [DocumentReport] { line.takeReports() }
        _ = put(Self.job(1))
        _ = next()
        #expect(report(.began(1), 0))
        #expect(!report(.progress(1, octets: 10), 0))
        #expect(!report(.progress(1, octets: 20), 99))
        #expect(!report(.progress(1, octets: 30), 100))
        #expect(!report(.waits(1, milliseconds: 5, reason: "a"), 101))
        #expect(!report(.waits(1, milliseconds: 6, reason: "b"), 102))
        #expect(!report(.done(1, document: nil, key: nil), 103))
        #expect(takeReports() == [.began(1), .progress(1, octets: 30), .waits(1, milliseconds: 6, reason: "b"), .done(1, document: nil, key: nil)])
        #expect(takeReports() == [])
        // The next transfer reports its first progress immediately.
        _ = put(Self.job(2))
        _ = next()
        #expect(report(.progress(2, octets: 1), 104))
    }
}
