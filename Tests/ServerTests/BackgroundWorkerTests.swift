import Blobs
import Bytes
import Crypto
import Locks
import MemoryDisk
import Posix
import EventLoop
import Testing

@testable import Server

@Suite("The background worker, which computes digests")
struct BackgroundWorkerTests {
    /// The jobs that ran, in their order.
    private final class Book: Sendable {
        private let lines = Lock<[Int]>([])
        var all: [Int] { lines.withLock { $0 } }
        func write(_ line: Int) { lines.withLock { $0.append(line) } }
    }

    /// Keeps an assistant busy until it is opened.
    private final class Gate: Sendable {
        private let begun = BlockingQueue<Int>(limit: 1)
        private let opened = BlockingQueue<Int>(limit: 1)

        func hold(_ assistant: BackgroundWorker) {
            assistant.offer { [self] in
                _ = begun.put(1)
                _ = opened.take()
            }
            _ = begun.take()
        }

        func open() { _ = opened.put(1) }
    }

    @Test("accepted work is done in the order in which it came")
    func order() {
        let (assistant, book) = (BackgroundWorker(), Book())
        let begun = BlockingQueue<Int>(limit: 1)
        for number in 0..<200 {
            assistant.offer {
                _ = begun.put(number)
                book.write(number)
            }
            // It was taken, so that there is room for the next.
            #expect(begun.take() == [number])
        }
        assistant.stop()
        #expect(book.all == Array(0..<200))
    }

    @Test("an offer never blocks: one job may wait while another is done, and a further one is refused")
    func backPressure() {
        let (assistant, book, gate) = (BackgroundWorker(), Book(), Gate())
        gate.hold(assistant)
        for number in 0..<100 { assistant.offer { book.write(number) } }
        #expect(book.all.isEmpty)
        gate.open()
        assistant.stop()
        #expect(book.all == [0])
    }

    @Test("its end waits for the running and the waiting job; later offers are refused")
    func stops() {
        let (assistant, book, gate) = (BackgroundWorker(), Book(), Gate())
        gate.hold(assistant)
        assistant.offer { book.write(1) }
        let stopper = Thread.start(name: "stops") {
            assistant.stop()
            book.write(2)
        }
        gate.open()
        stopper.join()
        assistant.offer { book.write(3) }
        #expect(book.all == [1, 2])
    }

    /// Three pieces and a part of one; no block is like another, 7,001 being a prime.
    private static let length = 128 * 7_001

    private static func octets(_ seed: Int) -> [UInt8] {
        var octets = (0..<7_001).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ $0 >> 9) ^ seed) }
        while octets.count < length { octets += octets }
        return octets
    }

    /// Writes a file as an upload does, and what could not be written once more.
    ///
    /// - Returns: how often something could not be.
    private static func upload(_ octets: [UInt8], _ upload: UploadFile) throws -> Int {
        var failures = 0
        while upload.written < octets.count {
            let rest = octets[Int(upload.written)...].prefix(100_000)
            do throws(Errno) { try upload.append(Array(rest)) } catch {
                #expect(error == .noSpace)
                failures += 1
            }
        }
        return failures
    }

    @Test("a write that fails while it is digested is reported to its caller; written again, it is in the digest once", arguments: 0..<3, 0..<6)
    func failure(call: Int, seed: Int) throws {
        let assistant = BackgroundWorker()
        let disk = MemoryDisk(root: "/data")
        let folder = UploadFolder(path: "/data/uploads", disk: disk, assistant: { assistant.offer($0) })
        try folder.prepare()
        let upload = try folder.create(Identifier(high: 1, low: 1), length: Int64(Self.length), description: [])
        let octets = Self.octets(seed)
        disk.fail(after: call, .fails(.noSpace))
        // Three pieces are full, so each of these calls writes one.
        #expect(try Self.upload(octets, upload) == 1)
        #expect(try upload.complete() == Digest.sha256(octets))
        #expect(disk.files[upload.partPath] == octets)
        assistant.stop()
    }

    @Test("eight uploads on threads of their own share it, it ends in the middle of them, and every digest is right")
    func shared() throws {
        let assistant = BackgroundWorker()
        let disk = MemoryDisk(root: "/data")
        let folder = UploadFolder(path: "/data/uploads", disk: disk, assistant: { assistant.offer($0) })
        try folder.prepare()
        let halfway = BlockingQueue<Int>(limit: 8)
        let threads = (1...8).map { number in
            Thread.start(name: "uploads") {
                do {
                    let octets = Self.octets(number)
                    let upload = try folder.create(Identifier(high: 2, low: UInt64(number)), length: Int64(octets.count), description: [])
                    #expect(try Self.upload(Array(octets[..<500_000]), upload) == 0)
                    _ = halfway.put(number)
                    #expect(try Self.upload(octets, upload) == 0)
                    #expect(try upload.complete() == Digest.sha256(octets))
                } catch { Issue.record("\(error)") }
            }
        }
        _ = halfway.take(maximum: 1)
        assistant.stop()
        for thread in threads { thread.join() }
    }
}
