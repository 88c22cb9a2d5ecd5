import Blobs
import Bytes
import Crypto
import Family
import Ledger
import HTTP1
import Locks
import Posix
import Store
import StoreSQLite
import TestSupport
import Testing
import Wire

@testable import Server

/// A shard with a document and its share link, and four people: its family's parent, athlete and guest, and a stranger.
final class DocumentFixture {
    let server: TestShard
    let blobs: BlobFolder
    let content: [UInt8]
    let document = Identifier(high: 5, low: 1)
    let school = Identifier(high: 5, low: 2)
    private(set) var share: ShareCreated?
    private(set) var guest: SessionCreated?

    private final class Made: Sendable {
        let share = Lock<ShareCreated?>(nil)
        let guest = Lock<SessionCreated?>(nil)
    }

    static let school = "Rice <script>alert(1)</script> & Co"

    init(octets: Int = 100_000, name: String = "Fall highlights.pdf", type: String = "application/pdf", title: String = "Transcript", vfs: String? = nil) throws {
        let content = (0..<octets).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
        let made = Made()
        let document = document
        let school = school
        server = try TestShard(vfs: vfs) { store, folder, parent, athlete in
            let blob = try BlobFolder(path: folder + "/blobs").put(content, family: parent.family)
            let created = Operation(
                kind: .school, id: school, action: .create(athlete: nil, patch: Self.patch(.school, ["name": .text(DocumentFixture.school)])))
            let mutation = Mutation(client: Identifier(high: 9, low: 9), id: 1, operations: [created])
            _ = try store.commit([
                Proposal(family: parent.family, member: parent.member, context: .all, mutation: mutation, session: .max)
            ])
            let new = NewDocument(
                id: document, family: parent.family, member: parent.member, athlete: athlete.member,
                fields: Self.patch(.document, ["type": .text("transcript"), "title": .text(title)]),
                file: .init(name: name, type: type, octets: Int64(octets), sha256: blob.sha256))
            _ = try store.addDocument(new).0.get()
            let wish = NewShare(family: parent.family, member: parent.member, document: document, school: school)
            let share = try store.share(wish).0.get()
            made.share.withLock { $0 = share }
            guard case .invited(let invited) = try store.perform(.invite(NewInvite(family: parent.family, name: "Gil", role: .guest, by: parent.member))).0.get(),
                case .token(let guest) = try store.perform(.token(member: invited.member)).0.get()
            else { throw Unexpected("no guest") }
            made.guest.withLock { $0 = guest }
        }
        self.content = content
        blobs = BlobFolder(path: server.folder.path + "/blobs")
        share = made.share.withLock { $0 }
        guest = made.guest.withLock { $0 }
        server.shard.site.add(DocumentRoutes.all(server.shard.services, blobs))
    }

    private static func patch(_ kind: Kind, _ values: [String: Value]) -> FieldPatch {
        FieldPatch(
            assignments: values.compactMap { name, value in
                kind.declaration.index(of: name).map { FieldPatch.Assignment(field: $0, value: value) }
            }.sorted { $0.field < $1.field })
    }

    var path: String { "/documents/\(document)" }
    var sharePath: String { "/s/\(share?.token ?? "")" }

    /// One answer on a connection of its own.
    func ask(
        _ line: String, as who: SessionCreated? = nil, _ fields: String..., from address: String? = nil, content: String? = nil
    ) throws -> (status: Int, fields: HTTPFields, content: [UInt8]) {
        let client = try server.connect(from: address)
        let all = fields + (content.map { ["Content-Length: \($0.utf8.count)"] } ?? []) + (who.map { ["Authorization: Bearer \($0.token)"] } ?? []) + ["Connection: close"]
        client.send(text: "\(line) HTTP/1.1\r\nHost: huddle.example\r\n" + all.map { $0 + "\r\n" }.joined() + "\r\n" + (content ?? ""))
        try server.until("the end of the answer") { try client.receive(); return client.hasEnded }
        let (head, length) = try #require(try ResponseHead.parse(client.octets.span))
        return (head.status, head.fields, Array(client.octets[length...]))
    }

    /// The store's answer, on its own connection.
    func read<Answer>(_ body: (StoreReader) throws -> Answer) throws -> Answer {
        try body(try StoreReader(path: server.folder.path + "/huddle.db", environment: HuddleServer.environment(server.limits)))
    }

    /// Turns until the writer has done its work.
    func until(_ what: String, _ isSo: (StoreReader) throws -> Bool) throws {
        try server.until(what) { try read(isSo) }
    }

    func shareFigures() throws -> (views: Int64, downloads: Int64) {
        let links = try read { try $0.shares(family: server.parent.family, document: document) }
        return (links.first?.views ?? -1, links.first?.downloads ?? -1)
    }
}
