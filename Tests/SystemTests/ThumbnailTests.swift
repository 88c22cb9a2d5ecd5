import HTTPClient
import Posix
import TestSupport
import Testing

extension SystemTests {
    /// `GET /documents/<id>/thumbnail` of the built server, with programs that are hostile, and with those of Debian where they are installed.
    @Suite("Small pictures by confined programs, deploy/THREATS.md") struct ThumbnailTests {
        private let folder: TemporaryFolder
        private let demo: Demo
        private var data: String { folder.path + "/data" }

        init() throws {
            folder = try TemporaryFolder()
            demo = try Demo(in: folder.path + "/data")
        }

        /// A server that finds this script as `pdftoppm`, and no other program.
        private func server(_ script: String) throws -> RunningServer {
            try Files.makeFolder(folder.path + "/tools")
            try Files.write(Array(script.utf8), to: folder.path + "/tools/pdftoppm", mode: 0o755)
            return try RunningServer(data, launcher: ["/usr/bin/env", "PATH=\(folder.path)/tools"])
        }

        /// Uploads a file; asks for its picture.
        private func upload(_ server: RunningServer, _ path: String, _ type: String) throws -> String {
            let huddle = HuddleProgram(server, token: demo.parents[0].token)
            let answer = try huddle.run("docs", "upload", path, "--type", type, "--athlete", demo.athletes[0].name, "--json")
            try #require(answer.ending == .exited(0), "\(answer.errors)")
            return try #require(try answer.json()["id"]?.string)
        }

        private func thumbnail(_ server: RunningServer, _ id: String) throws -> HTTPReply {
            try CurlClient().perform(
                HTTPRequest(
                    "GET", "http://127.0.0.1:\(server.port)/documents/\(id)/thumbnail", fields: [("Authorization", "Bearer \(demo.parents[0].token)")]))
        }

        private func pdf() throws -> String {
            let path = folder.path + "/a.pdf"
            try Files.write(Array(Self.page("(Hello) Tj").utf8), to: path)
            return path
        }

        private static func page(_ words: String, box: String = "0 0 612 792") -> String {
            let content = "BT /F1 24 Tf 72 700 Td \(words) ET"
            return """
                %PDF-1.4
                1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
                2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
                3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [\(box)] /Contents 4 0 R /Resources <</Font <</F1 <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>>>>> endobj
                4 0 obj <</Length \(content.utf8.count)>> stream
                \(content)
                endstream endobj
                trailer <</Root 1 0 R>>
                %%EOF
                """
        }

        /// Writes what it found out into the comment of a picture.
        private static let spy = """
            #!/usr/bin/python3
            import os, socket, sys, ctypes, signal
            found = []
            def attempt(name, body):
                try:
                    body()
                    found.append(name)
                except (OSError, MemoryError):
                    pass
            # 3 is this script.
            def inherited():
                for number in range(4, 60):
                    try: os.fstat(number); return
                    except OSError: pass
                raise OSError
            attempt("descriptors of the server", inherited)
            file = sys.argv[-1]
            data = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(file))))
            attempt("own file", lambda: open(file, "rb").read(4) == b"%PDF" or 1 / 0)
            attempt("database", lambda: open(data + "/huddle.db", "rb"))
            attempt("folder", lambda: os.listdir(data))
            attempt("neighbour", lambda: os.listdir(os.path.dirname(file)))
            attempt("passwd", lambda: open("/etc/passwd"))
            attempt("environ", lambda: open("/proc/%d/environ" % os.getppid(), "rb"))
            attempt("own for writing", lambda: open(file, "r+b"))
            attempt("new file", lambda: open("/tmp/huddle-spy", "w"))
            attempt("removal", lambda: os.remove(file))
            attempt("network", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM))
            attempt("local socket", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            attempt("process", os.fork)
            attempt("signal", lambda: os.kill(os.getppid(), signal.SIGCONT))
            attempt("memory", lambda: bytearray(3 << 30))
            attempt("descriptors", lambda: [os.dup(1) for _ in range(200)])
            if os.environ.keys() - {"PATH", "HOME", "LC_ALL", "LC_CTYPE"}: found.append("environment")
            words = ",".join(found).encode()
            os.write(1, b"\\xff\\xd8\\xff\\xfe" + (len(words) + 2).to_bytes(2, "big") + words
                + b"\\xff\\xc0\\x00\\x11\\x08\\x00\\x10\\x00\\x10\\x03\\x01\\x11\\x00\\x02\\x11\\x00\\x03\\x11\\x00\\xff\\xd9")
            """

        @Test("a program that a file has exploited reads that file and nothing else, changes nothing, has no network, starts nothing")
        func takenOver() throws {
            guard Files.exists("/usr/bin/python3"), Confinement.isPossible else { return }
            let server = try server(Self.spy)
            let answer = try thumbnail(server, try upload(server, try pdf(), "resume"))
            #expect(answer.head.status == 200, "\(String(decoding: answer.content, as: UTF8.self))")
            let comment = answer.content.dropFirst(6).prefix { $0 != 0xFF }
            #expect(String(decoding: comment, as: UTF8.self) == "own file")
            try server.stop()
        }

        @Test("one that writes without end, takes too much memory, fails, or gives no picture costs a 404, and is not started again", arguments: [
            "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done", "exit 1", "echo '<svg onload=alert(1)>'", "kill -9 $$", "exit 0",
            "x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done", "exec sleep 1000",
        ])
        func hostile(_ script: String) throws {
            guard Confinement.isPossible else { return }
            let server = try server("#!/bin/sh\n\(script)\n")
            let id = try upload(server, try pdf(), "resume")
            for _ in 0..<2 {
                let answer = try thumbnail(server, id)
                #expect(answer.head.status == 404)
                #expect(String(decoding: answer.content, as: UTF8.self).contains("\"code\":\"no_thumbnail\""))
                // From now on it would give something.
                try Files.write(Array("#!/bin/sh\nprintf '\\377\\330\\377\\300\\0\\021\\010\\0\\020\\0\\020\\003\\001\\021\\0\\002\\021\\0\\003\\021\\0\\377\\331'\n".utf8), to: folder.path + "/tools/pdftoppm", mode: 0o755)
            }
            // Another file shows that it was the file that was remembered.
            let other = folder.path + "/b.pdf"
            try Files.write(Array(Self.page("(Other) Tj").utf8), to: other)
            #expect(try thumbnail(server, try upload(server, other, "resume")).head.status == 200)
            try server.stop()
        }

        @Test("without programs there are no pictures, and no errors: the log says so once")
        func none() throws {
            try Files.makeFolder(folder.path + "/tools")
            let server = try RunningServer(data, launcher: ["/usr/bin/env", "PATH=\(folder.path)/tools"], errors: .piped)
            let line = try server.child.readErrorLine()
            let answer = try thumbnail(server, try upload(server, try pdf(), "resume"))
            #expect(answer.head.status == 404 && String(decoding: answer.content, as: UTF8.self).contains("no_thumbnail"))
            #expect(line?.contains("event=thumbnails") == true, "\(line ?? "nothing")")
            server.child.kill(Signals.terminate)
            _ = try server.child.wait(timeoutMilliseconds: 10_000)
        }

        @Test("a server that ends also ends the programs that it started")
        func ends() throws {
            guard Confinement.isPossible else { return }
            let server = try server("#!/bin/sh\nexec sleep 987.25\n")
            let id = try upload(server, try pdf(), "resume")
            let socket = try Socket.connectTCP(host: "127.0.0.1", port: server.port)
            try Socket.sendAll(socket.raw, Array("GET /documents/\(id)/thumbnail HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(demo.parents[0].token)\r\n\r\n".utf8))
            func sleepers() throws -> Int {
                try Files.list("/proc").count { name in
                    Int(name) != nil && ((try? Files.read("/proc/\(name)/cmdline")).map { String(decoding: $0, as: UTF8.self) } ?? "").contains("987.25")
                }
            }
            let deadline = Clock.monotonicMilliseconds() + 10_000
            while try sleepers() == 0 { try #require(Clock.monotonicMilliseconds() < deadline, "the program is not started") }
            try server.kill()
            while try sleepers() > 0 { try #require(Clock.monotonicMilliseconds() < deadline + 10_000, "the program outlives the server") }
        }

        // MARK: Debian's

        @Test("pdftoppm shows the first page, of a small file and of one that is made to be large")
        func poppler() throws {
            guard Files.exists("/usr/bin/pdftoppm"), Confinement.isPossible else { return }
            let server = try RunningServer(data, launcher: ["/usr/bin/env", "PATH=/usr/bin"])
            let answer = try thumbnail(server, try upload(server, try pdf(), "transcript"))
            #expect(answer.head.status == 200 && answer.head["content-type"] == "image/jpeg" && answer.content.starts(with: [0xFF, 0xD8]))
            #expect((1_000..<100_000).contains(answer.content.count), "\(answer.content.count) octets")
            let begun = Clock.monotonicMilliseconds()
            for (name, text) in [("wide", Self.page("(x) Tj", box: "0 0 100000000 100000000")), ("loop", Self.page("/F1 1 Tf " + String(repeating: "(x) Tj ", count: 400_000)))] {
                let path = "\(folder.path)/\(name).pdf"
                try Files.write(Array(text.utf8), to: path)
                let status = try thumbnail(server, try upload(server, path, "resume")).head.status
                #expect(status == 200 || status == 404)
            }
            #expect(Clock.monotonicMilliseconds() - begun < 40_000)
            try server.stop()
        }

        @Test("ffmpeg shows the first frame; a playlist that poses as a video gives no picture")
        func ffmpeg() throws {
            guard Files.exists("/usr/bin/ffmpeg"), Confinement.isPossible else { return }
            let server = try RunningServer(data, launcher: ["/usr/bin/env", "PATH=/usr/bin"])
            for name in ["a.mp4", "a.mov", "a.avi"] {
                let path = folder.path + "/" + name
                let made = try Programs.run(
                    "/usr/bin/ffmpeg", ["-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc=duration=1:size=1280x720:rate=10", "-pix_fmt", "yuv420p", path])
                try #require(made.ending == .exited(0), "\(made.errors)")
                let answer = try thumbnail(server, try upload(server, path, "highlight_video"))
                #expect(answer.head.status == 200 && answer.content.starts(with: [0xFF, 0xD8]), "\(name)")
                #expect((1_000..<100_000).contains(answer.content.count), "\(name): \(answer.content.count) octets")
            }
            let path = folder.path + "/list.mp4"
            try Files.write(Array("\u{0}\u{0}\u{0}\u{18}ftypmp42#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n".utf8) + [UInt8](repeating: 10, count: 5_000), to: path)
            #expect(try thumbnail(server, try upload(server, path, "highlight_video")).head.status == 404)
            try server.stop()
        }
    }
}
