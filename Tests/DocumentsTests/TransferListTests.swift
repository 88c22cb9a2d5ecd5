import Bytes
import ClientWorld
@testable import Documents
import Posix
import SQLite
@testable import Sessions
import Testing

@Suite("Transfers of one user")
struct TransferListTests {
    static func id(_ number: UInt64) -> Identifier { Identifier(high: 7, low: number) }

    static let new = NewUpload(
        family: id(1), athlete: id(2), type: "transcript", title: "Fall grades", description: "Nine terms", school: id(3), replaces: id(4), fileName: "Fall_grades.pdf")
    static let upload = FileTransfer(.upload(new), path: "/home/x/Fall_grades.pdf", stamp: FileStamp(octets: 1_000, changed: 5))
    static let download = FileTransfer(.download(.init(document: id(9), octets: 500, sha256: "abcd")), path: "/home/x/copy.pdf")

    static func words(_ list: TransferList) -> [String] { list.rows.map { $0.words(columns: 0) } }

    @Test("R138 R140 An upload goes from the queue to its end: a bar, then it is reported and deleted, its location after its row")
    func uploads() throws {
        var list = TransferList()
        func add(_ transfer: FileTransfer) -> Int? { list.add(transfer) }
        func take(_ report: DocumentReport, now: Int64) -> [TransferList.Effect] { list.take(report, now: now) }
        func again(_ number: Int) -> FileTransfer? { list.again(number) }
        let number = try #require(add(Self.upload))
        #expect(add(Self.download) == number + 1)
        #expect(Self.words(list) == ["waits for its turn", "waits for its turn"] && list.unfinished == 2)
        #expect(take(.began(number), now: 0) == [])
        let stamp = FileStamp(octets: 1_000, changed: 5, sha256: "ff")
        var read = Self.upload
        read.stamp = stamp
        #expect(take(.read(number, stamp), now: 0) == [.keep(number, read)])
        #expect(take(.read(number, stamp), now: 0) == [])
        #expect(take(.resumed(number, octets: 250), now: 0) == [])
        #expect(take(.progress(number, octets: 500), now: 1_000) == [])
        #expect(Self.words(list)[0] == "50%  250 B/s  0:02 left")
        #expect(take(.waits(number, milliseconds: 1_001, reason: "Gone."), now: 1_100) == [])
        #expect(Self.words(list)[0] == "Gone. Trying again in 2 s; the part so far is kept.")
        #expect(take(.done(number, document: Self.id(5), key: "k"), now: 2_000) == [.forget(number, key: "k"), .say("Uploaded Fall grades.")])
        #expect(Self.words(list) == ["uploaded", "waits for its turn"])
        #expect(take(.done(number + 1, document: Self.id(9), key: nil), now: 2_000) == [.forget(number + 1, key: nil), .say("/home/x/copy.pdf is here.")])
        #expect(list.unfinished == 0 && list.underway(isKept: true) == "" && list.farewell(isKept: true) == [])
        list.dismiss()
        #expect(list.rows.isEmpty)
        // A finished transfer gets no further reports.
        #expect(take(.done(number, document: nil, key: "k"), now: 0) == [] && again(number) == nil)
    }

    @Test("R139 A transfer that the network ended is stored and resumes by itself; a refused one, or one without its file, is reported, deleted, and retried by hand", arguments: [
        (DocumentFailure.offline("Upload failed. Please try again. No route."), true, "Upload failed. Please try again. No route. It continues when the server is back; R tries now."),
        (.refused(status: 401, code: "token_unknown", sentence: "Sign in again."), true, "Upload failed: Sign in again."),
        (.refused(status: 507, code: "quota_exceeded", sentence: "No room."), false, "Upload failed: No room. R tries again."),
        (.file("/home/x/Fall_grades.pdf has changed."), false, "Upload failed: /home/x/Fall_grades.pdf has changed. R tries again."),
        (.cancelled, false, "Stopped. R continues it."),
    ] as [(DocumentFailure, Bool, String)])
    func failures(failure: DocumentFailure, isKept: Bool, words: String) throws {
        var list = TransferList()
        func add(_ transfer: FileTransfer) -> Int? { list.add(transfer) }
        func take(_ report: DocumentReport, now: Int64) -> [TransferList.Effect] { list.take(report, now: now) }
        func again(_ number: Int) -> FileTransfer? { list.again(number) }
        func resume() -> [DocumentJob] { list.resume() }
        let number = try #require(add(Self.upload))
        _ = take(.began(number), now: 0)
        let effects = take(.failed(number, failure), now: 0)
        #expect(effects.contains(.forget(number, key: nil)) == !isKept)
        #expect(Self.words(list) == [words])
        #expect(list.unfinished == (isKept ? 1 : 0) && list.underway(isKept: true) == "")
        #expect(resume() == (isKept ? [.transfer(number, Self.upload)] : []))
        // One report is enough.
        #expect(resume() == [])
        #expect(again(number) == Self.upload && Self.words(list) == ["waits for its turn"])
    }

    @Test("R141 An earlier program's transfer is listed immediately, resumes in order when the server responds, and can be cancelled before")
    func kept() {
        var list = TransferList()
        func add(_ transfer: FileTransfer) -> Int? { list.add(transfer) }
        func resume() -> [DocumentJob] { list.resume() }
        func stop(_ number: Int) -> [TransferList.Effect]? { list.stop(number) }
        list.takeOver([(7, Self.upload), (9, Self.download)])
        #expect(Self.words(list) == Array(repeating: "continues where it stopped when the server answers", count: 2))
        #expect(list.farewell(isKept: true) == ["2 transfers are not finished; they continue when huddle runs next."])
        // A second takeover changes nothing; a new transfer has its own number.
        list.takeOver([(9, Self.upload)])
        #expect(add(Self.upload) == 10)
        #expect(stop(10) == nil)
        #expect(stop(9) == [.forget(9, key: nil)])
        #expect(resume() == [.transfer(7, Self.upload)])
        #expect(stop(7) == nil)
    }

    @Test("Before the user leaves, the list names running transfers and their future")
    func leaving() throws {
        var list = TransferList()
        func add(_ transfer: FileTransfer) -> Int? { list.add(transfer) }
        func take(_ report: DocumentReport, now: Int64) -> [TransferList.Effect] { list.take(report, now: now) }
        let number = try #require(add(Self.upload))
        _ = take(.began(number), now: 0)
        _ = take(.progress(number, octets: 450), now: 10)
        #expect(list.underway(isKept: true) == "Fall grades is on its way (45%). It continues when huddle runs next.")
        #expect(list.underway(isKept: false) == "Fall grades is on its way (45%). It stops when you leave; the same upload continues where it stopped.")
        #expect(list.farewell(isKept: true) == ["1 transfer is not finished; it continues when huddle runs next."])
        #expect(list.farewell(isKept: false).first?.contains("is not finished") == true)
        _ = add(Self.download)
        #expect(list.underway(isKept: true) == "2 files are on their way. They continue when huddle runs next.")
    }

    @Test("The list holds transfers up to the limit, and the last twenty finished ones")
    func bounds() {
        var list = TransferList()
        func add(_ transfer: FileTransfer) -> Int? { list.add(transfer) }
        func take(_ report: DocumentReport, now: Int64) -> [TransferList.Effect] { list.take(report, now: now) }
        for _ in 0..<JobLine.limit { #expect(add(Self.upload) != nil) }
        #expect(add(Self.upload) == nil)
        for row in list.rows { _ = take(.done(row.number, document: nil, key: nil), now: 0) }
        #expect(list.rows.count == 20 && list.rows.first?.number == 81)
        #expect(add(Self.upload) == 101)
    }

    // MARK: In the store

    @Test("A stored transfer reads back, and a damaged one is dropped", arguments: [upload, download, FileTransfer(.upload(new), path: "/ü\n\"")])
    func saved(transfer: FileTransfer) {
        var transfer = transfer
        transfer.stamp?.sha256 = "00ff"
        let octets = transfer.saved
        #expect(FileTransfer.read(saved: octets) == transfer)
        for length in 0..<octets.count { #expect(FileTransfer.read(saved: Array(octets[..<length])) == nil) }
        #expect(FileTransfer.read(saved: Array("{}".utf8)) == nil && FileTransfer.read(saved: Array("{\"path\":\"x\",\"octets\":1}".utf8)) == nil)
        // A newer program may store more fields.
        #expect(FileTransfer.read(saved: Array(octets.dropLast() + Array(",\"further\":[1]}".utf8))) == transfer)
    }

    @Test("The store has the unfinished transfers, in order, also for the next process; one unreadable row harms no other")
    func store() throws {
        let home = try CacheFixture()
        do {
            let cache = try Cache.open(home.place, World.parent).cache
            try cache.keep(Self.download, number: 9)
            try cache.keep(Self.download, number: 7)
            try cache.keep(Self.upload, number: 7)
            try cache.keep(Self.upload, number: 11)
            try cache.forget(transfer: 11)
            try cache.forget(transfer: 99)
        }
        let cache = try Cache.open(home.place, World.parent).cache
        try cache.database.execute("INSERT INTO transfer VALUES (8, 'no transfer')")
        let kept = try cache.transfers()
        #expect(kept.map(\.number) == [7, 9] && kept.map(\.transfer) == [Self.upload, Self.download])
    }

    @Test("A file is the same by its digest if both are known, otherwise by length and time")
    func stamps() {
        let stamp = FileStamp(octets: 5, changed: 7, sha256: "a")
        #expect(stamp.fits(FileStamp(octets: 5, changed: 8, sha256: "a")) && stamp.fits(FileStamp(octets: 5, changed: 7)))
        #expect(!stamp.fits(FileStamp(octets: 5, changed: 7, sha256: "b")) && !stamp.fits(FileStamp(octets: 5, changed: 8)) && !stamp.fits(FileStamp(octets: 6, changed: 7, sha256: "a")))
    }
}
