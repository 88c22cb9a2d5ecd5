import Blobs
import Bytes
import Family
import Ledger
import Posix
import Server
import Store
import StoreSQLite
import TestSupport
import Testing

extension SystemTests {
    /// A document of the built server, fetched by curl and Python.
    @Suite("Documents fetched by other people's programs, proto/documents.md") struct DownloadProgramTests {
        private let folder: TemporaryFolder
        private let document = Identifier(high: 7, low: 7)
        private let token: String
        private var data: String { folder.path + "/data" }
        private var content: String { folder.path + "/content.mp4" }

        /// Octets of the document. HUDDLE_DOWNLOAD_OCTETS=104857600 makes `measured` a measurement.
        private static var octets: Int { Environment.value("HUDDLE_DOWNLOAD_OCTETS").flatMap { Int($0) } ?? 12_000_000 }

        init() throws {
            folder = try TemporaryFolder()
            let data = folder.path + "/data"
            try Files.makeFolder(data)
            let limits = Limits()
            let store = try FamilyStore(path: data + "/huddle.db", environment: HuddleServer.environment(limits))
            guard case .family(let family) = try store.perform(.createFamily(name: "Rivera", zone: "UTC", parent: "Ana")).0.get(),
                case .invited(let athlete) = try store.perform(
                    .invite(NewInvite(family: family.family, name: "Leo", role: .athlete, born: "2009-03-04", by: family.member))).0.get(),
                case .token(let session) = try store.perform(.token(member: family.member)).0.get()
            else { throw Unexpected("no family") }
            token = session.token
            try store.approve(athlete.member, in: family.family, by: family.member)
            let block = (0..<65_537).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) }
            var octets: [UInt8] = []
            octets.reserveCapacity(Self.octets + block.count)
            while octets.count < Self.octets { octets += block }
            try Files.write(octets, to: folder.path + "/content.mp4")
            let blob = try BlobFolder(path: data + "/blobs").put(octets, family: family.family)
            let values: [(String, Value)] = [("type", .text("highlight_video")), ("title", .text("Fall"))]
            let patch = FieldPatch(
                assignments: values.compactMap { name, value in
                    Kind.document.declaration.index(of: name).map { FieldPatch.Assignment(field: $0, value: value) }
                }.sorted { $0.field < $1.field })
            let new = NewDocument(
                id: document, family: family.family, member: family.member, athlete: athlete.member, fields: patch,
                file: .init(name: "Fall – 2026.mp4", type: "video/mp4", octets: Int64(octets.count), sha256: blob.sha256))
            _ = try store.addDocument(new).0.get()
        }

        @Test("curl continues a cut download, keeps its name, and gets 401 and 404; a reader that disconnects in the middle affects no other")
        func curl() throws {
            guard Files.exists("/usr/bin/curl") else { return }
            let server = try RunningServer(data)
            let url = "http://127.0.0.1:\(server.port)/documents/\(document)"
            let bearer = "Authorization: Bearer \(token)"
            func status(_ words: String...) throws -> String {
                try Programs.run("/usr/bin/curl", ["-s", "-m", "30", "-o", folder.path + "/got", "-w", "%{http_code}"] + words).output
            }
            let want = try Files.read(content, limit: 1 << 30)
            #expect(try status(url) == "401")
            #expect(try status("-H", bearer, "http://127.0.0.1:\(server.port)/documents/\(Identifier(high: 1, low: 1))") == "404")
            #expect(try status("-H", bearer, "-r", "0-4999999", url) == "206")
            #expect(try status("-H", bearer, "-C", "-", url) == "206")
            #expect(try Files.read(folder.path + "/got", limit: 1 << 30) == want)
            for _ in 0..<5 {
                // Gives up after a moment.
                _ = try Programs.run("/usr/bin/curl", ["-s", "-m", "1", "--limit-rate", "100k", "-o", "/dev/null", "-H", bearer, url])
            }
            #expect(try status("-H", bearer, url) == "200")
            #expect(try Files.read(folder.path + "/got", limit: 1 << 30) == want)
            let named = try Programs.run("/usr/bin/curl", ["-s", "-m", "30", "-D", "-", "-o", "/dev/null", "-I", "-H", bearer, url]).output
            #expect(named.contains("filename=\"Fall _ 2026.mp4\"; filename*=UTF-8''Fall%20%E2%80%93%202026.mp4"))
        }

        @Test("Tools/bench/downloads.py: one reader and ten at the same time, plain and TLS, get it whole while the server's memory stays flat")
        func measured() throws {
            let programs = String(try Programs.path("huddled").dropLast("/huddled".count))
            // The speed is a matter of `--least 0.8` on an idle machine.
            let answer = try Programs.run(
                Environment.value("HUDDLE_PYTHON") ?? "/usr/bin/python3",
                [
                    Programs.root + "/Tools/bench/downloads.py", "--programs", programs, "--data", data, "--document", "\(document)",
                    "--content", content, "--rounds", "3", "--least", "0.05",
                ], environment: Environment.all + ["HUDDLE_TOKEN=\(token)"])
            print(answer.output)
            #expect(answer.ending == .exited(0), "\(answer.output)\(answer.errors)")
            #expect(answer.output.split(separator: "\n").count == 4)
        }
    }
}
