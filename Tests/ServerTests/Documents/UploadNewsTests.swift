import Blobs
import Bytes
import Posix
import Store
import TestSupport
import Testing

@testable import Server

@Suite("Reports to a family about an upload, proto/uploads.md", .serialized)
struct UploadNewsTests {
    private let server: TestShard
    private let table: UploadTable

    init() throws {
        server = try TestShard()
        let folder = server.folder.path
        table = UploadTable(services: server.shard.services, limits: server.limits, reportProgress: server.shard.hub.report, folder: UploadFolder(path: folder + "/uploads"), blobs: BlobFolder(path: folder + "/blobs"))
        try table.load()
        server.shard.site.add(UploadRoutes.all { [unowned table] in table })
        server.shard.tick.uploads = table
    }

    /// More than a buffer of content has, so that the octets of a piece go to the disk before the next one comes.
    private static let piece = 300_000

    /// Begins an upload of four pieces, of which the first octets come now.
    private func begin(_ octets: Int) throws -> TestClient {
        let client = try server.connect()
        let values = ["family": "\(server.parent.family)", "athlete": "\(server.athlete.member)", "type": "transcript", "title": "Fall", "filename": "a.txt"]
        let metadata = values.map { "\($0) \(Base64.encode(Array($1.utf8)))" }.joined(separator: ",")
        client.send(
            text: "POST /files HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(server.parent.token)\r\nTus-Resumable: 1.0.0\r\nUpload-Length: \(4 * Self.piece)\r\n"
                + "Content-Type: application/offset+octet-stream\r\nContent-Length: \(4 * Self.piece)\r\nUpload-Metadata: \(metadata)\r\n\r\n" + String(repeating: "a", count: octets))
        return client
    }

    @Test("a pause when its connection breaks, and a cancellation when it is removed")
    func broken() throws {
        let room = try server.live(server.athlete)
        let sender = try begin(Self.piece)
        #expect(try room.skip(to: "upload") == "upload running")
        sender.leave()
        #expect(try room.skip(to: "upload") == "upload paused")
        let id = try #require(try Files.list(server.folder.path + "/uploads").first { $0.hasSuffix(".json") }?.dropLast(5))
        let remover = try server.connect()
        remover.send(text: "DELETE /files/\(id) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(server.parent.token)\r\nTus-Resumable: 1.0.0\r\n\r\n")
        #expect(try room.skip(to: "upload") == "upload cancelled")
    }

    @Test("the progress, at most once per second at any speed, and then again")
    func throttled() throws {
        let room = try server.live(server.athlete)
        let begun = Clock.monotonicMilliseconds()
        let sender = try begin(0)
        var frames = [try room.skip(to: "upload")]
        for part in 1...60 {
            sender.send(text: String(repeating: "a", count: 10_000))
            for _ in 0..<4 { server.turn() }
            frames += try room.soFar().filter { $0.hasPrefix("upload") }
            if part == 30 {
                let seconds = (Clock.monotonicMilliseconds() - begun) / UploadTable.tellInterval
                #expect(frames.count <= 1 + Int(seconds), "\(frames)")
                server.pass(milliseconds: UploadTable.tellInterval)
                frames = []
            }
        }
        #expect(!frames.isEmpty && frames.allSatisfy { $0 == "upload running" })
        let seconds = (Clock.monotonicMilliseconds() - begun) / UploadTable.tellInterval
        #expect(frames.count <= 1 + Int(seconds), "\(frames)")
    }

    @Test("a cancellation when its content differs from its declaration")
    func refused() throws {
        let room = try server.live(server.athlete)
        let sender = try begin(0)
        #expect(try room.skip(to: "upload") == "upload running")
        sender.send(text: String(repeating: "\u{0}", count: Self.piece))
        #expect(try room.skip(to: "upload") == "upload cancelled")
    }
}
