import HTTPClient
import Posix
import PseudoTerminal
import Sessions
import Sync
import TestCertificates
import TestSupport
import Testing
import Wire

extension SystemTests {
    /// `huddle docs …` against the built server, through networks and programs that fail.
    @Suite("Documents at the terminal, proto/cli.md") struct DocumentCommandTests {
        private let folder: TemporaryFolder
        private let demo: Demo
        private var parent: Demo.Member { demo.parents[0] }
        private var athlete: Demo.Member { demo.athletes[0] }

        /// Octets of a video: more than the server stores between two syncs, so that the stored part is not only the last portion.
        private static let octets = 12_000_000

        init() throws {
            folder = try TemporaryFolder()
            demo = try Demo(in: folder.path + "/data")
        }

        private func file(_ name: String) -> String { folder.path + "/" + name }

        /// A file that begins as one of its kind does.
        private func make(_ name: String, _ head: String, octets count: Int = 5_000) throws -> String {
            var source = SplitMix64(seed: UInt64(count))
            var octets = Array(head.utf8)
            while octets.count < count { withUnsafeBytes(of: source.next()) { octets += $0 } }
            try Files.write(octets, to: file(name))
            return file(name)
        }

        private func video(_ name: String = "fall_highlights.mp4", octets: Int = Self.octets) throws -> String {
            try make(name, "\u{0}\u{0}\u{0}\u{18}ftypmp42", octets: octets)
        }

        private func pdf(_ name: String = "t.pdf") throws -> String { try make(name, "%PDF-1.4\n") }

        /// The output of `docs upload`: "3c7335  uploaded Fall".
        private func id(_ answer: Programs.Answer) throws -> String {
            try #require(answer.ending == .exited(0), "\(answer.errors)")
            return try String(#require(answer.output.split(separator: " ").first))
        }

        @Test("A file whose name is not UTF-8 is uploaded under the name that a person sees, and saved into such a folder")
        func names() throws {
            let server = try RunningServer(folder.path + "/data")
            let huddle = HuddleProgram(server, token: parent.token)
            _ = try pdf()
            let script = """
                cd '\(folder.path)' && f=$(printf 'caf\\351.pdf') && d=$(printf 'd\\351') && cp t.pdf "$f" && mkdir "$d" || exit 9
                '\(try Programs.path("huddle"))' docs upload "$f" --type transcript --title Cafe --athlete '\(athlete.name)' || exit 8
                '\(try Programs.path("huddle"))' docs download Cafe --output "$d/" || exit 7
                cmp t.pdf "$d"/*.pdf
                """
            let answer = try Programs.run("/bin/sh", ["-c", script], environment: huddle.environment)
            #expect(answer.ending == .exited(0), "\(answer)")
            #expect(try huddle.run("docs", "--json").lines().first?["fields"]?["file_name"]?.string == "caf\u{FFFD}.pdf")
        }

        // MARK: The plain way

        @Test("R121 R123 R125 R143 R149 upload, list, versions, download, figures, delete and restore; in words and as JSON")
        func whole() throws {
            let server = try RunningServer(folder.path + "/data")
            let huddle = HuddleProgram(server, token: parent.token)
            #expect(try huddle.run("docs").output.hasPrefix("No documents yet. Upload videos, transcripts, and other documents to share with coaches"))
            let path = try pdf("Spring_transcript.pdf")
            let first = try huddle.run("docs", "upload", path, "--type", "Transcript", "--athlete", athlete.name, "--description", "Nine terms")
            let old = try id(first)
            #expect(first.output == "\(old)  uploaded Spring transcript\n" && first.errors == "")
            let second = try huddle.run("docs", "upload", try make("b.pdf", "%PDF-1.7\n"), "--replaces", old, "--json")
            let document = try #require(try second.json()["id"]?.string)
            #expect(try second.json()["title"]?.string == "Spring transcript" && second.errors == "")

            let listed = try huddle.run("documents").output.split(separator: "\n")
            #expect(listed.count == 2 && listed[1].hasPrefix(document.suffix(6)) && listed[1].contains("Transcript"), "\(listed)")
            #expect(listed[1].contains("  2  ") && listed[1].contains("4.9 KB") && listed[1].contains(athlete.name), "\(listed)")
            for word in [old, document] {
                let versions = try huddle.run("docs", "versions", word).output.split(separator: "\n")
                #expect(versions.count == 3 && versions[1].hasPrefix(document.suffix(6)) && versions[2].hasPrefix(old), "\(versions)")
                #expect(versions[1].contains(parent.name))
            }
            #expect(try huddle.run("docs", "versions", old, "--json").lines().map { $0["fields"]?["version"]?.integer } == [2, 1])
            #expect(try huddle.run("docs", "--type", "resume,transcript", "--json").lines().count == 1)
            #expect(try huddle.run("docs", "--type", "resume,rec_letter", "--json").lines().count == 0)
            #expect(try huddle.run("docs", "--type", "resume,", "--json").ending == .exited(2))
            #expect(try huddle.run("docs", "--shared").output == "No matches. Try fewer filters.\n")

            let got = try huddle.run("docs", "download", old, "--output", file("got.pdf"))
            #expect(got.output == "\(file("got.pdf"))  4.9 KB\n" && got.errors == "", "\(got.errors)")
            #expect(try Files.read(file("got.pdf")) == Files.read(path))
            try Files.makeFolder(file("into"))
            for name in ["Spring_transcript.pdf", "Spring_transcript (2).pdf"] {
                let inside = try huddle.run("docs", "download", old, "--output", file("into"), "--json")
                #expect(try inside.json()["file"]?.string == file("into/" + name), "\(inside.errors)")
                #expect(try inside.json()["octets"]?.integer == 5_000 + 1)
            }
            let again = try huddle.run("docs", "download", document, "--output", file("got.pdf"))
            #expect(again.ending == .exited(1) && again.errors.contains("already exists. Choose another name"), "\(again.errors)")
            #expect(try Files.read(file("got.pdf")) == Files.read(path))

            let figures = try huddle.run("stats", "documents")
            #expect(figures.output.hasPrefix("1 document, 0 shared, most are Transcript\n"), "\(figures.output)")
            #expect(try huddle.run("docs", "rm", document).ending == .exited(0))
            #expect(try huddle.run("docs", "download", document, "--output", file("gone")).ending == .exited(2))
            let restored = try huddle.run("docs", "restore", document)
            #expect(restored.ending == .exited(0) && restored.output.contains("restored Spring transcript"), "\(restored.errors)")
            #expect(try huddle.run("docs", "download", document, "--output", file("back.pdf")).ending == .exited(0))
            try server.stop()
        }

        @Test("R134 R135 R139 a refused file is reported in one sentence, with the status of proto/cli.md, and is not kept")
        func refusals() throws {
            let server = try RunningServer(folder.path + "/data")
            let huddle = HuddleProgram(server, token: parent.token)
            let huge = try video("huge.mp4", octets: 1_000)
            let hole = try Files.openForUpdating(huge)
            try Files.cut(hole.raw, to: 104_857_601)
            let paper = try pdf()
            let who = ["--athlete", athlete.name]
            let cases: [([String], Int32, String)] = [
                ([paper], 2, "Add --type: one of highlight_video"),
                ([paper, "--type", "transcript"], 2, "Whose document is it? Take --athlete with one of: \(demo.athletes.map(\.name).joined(separator: ", "))"),
                ([paper, "--type", "poem"] + who, 2, "--type is one of"),
                ([paper, "--type", "highlight_video"] + who, 3, "Invalid file type. Highlight Video requires .mp4, .mov, .avi."),
                ([try make("fake.pdf", "GIF89a"), "--type", "resume"] + who, 3, "Invalid file type. This isn't a real .pdf file"),
                ([huge, "--type", "highlight_video"] + who, 1, "File exceeds 100MB limit. Please compress or choose a smaller file."),
                ([file("none.pdf"), "--type", "resume"] + who, 1, "none.pdf cannot be read: No such file or directory."),
                ([folder.path, "--type", "resume"] + who, 1, "is not a file."),
                ([try make("empty.pdf", "", octets: 0), "--type", "resume"] + who, 1, "empty.pdf is empty."),
                ([paper, "--replaces", "nothing"], 2, "There is no document 'nothing'."),
                ([paper, "--type", "resume", "--school", "nowhere"] + who, 2, "There is no school 'nowhere'."),
            ]
            for (words, status, sentence) in cases {
                let answer = try huddle.run(["docs", "upload"] + words)
                #expect(answer.ending == .exited(status), "\(words): \(answer.errors)")
                #expect(answer.errors.hasPrefix("huddle: ") && answer.errors.contains(sentence), "\(answer.errors)")
                #expect(answer.errors.split(separator: "\n").count == 1 && answer.output == "", "\(answer.errors)")
            }
            // One that is refused does not keep the others back, and each has its line.
            let several = try huddle.run(["docs", "upload", paper, file("fake.pdf"), file("none.pdf"), "--type", "resume", "--json"] + who)
            #expect(several.ending == .exited(1))
            let lines = try several.lines()
            #expect(lines.count == 3 && lines[0]["id"] != nil && lines[1]["code"]?.string == "file_type" && lines[2]["file"]?.string == file("none.pdf"))
            #expect(try huddle.run("docs", "--json").lines().count == 1)
            try server.stop()
        }

        @Test("a batch carries files over one sign-in: later lines name, share, download and delete the upload of an earlier line; a failure holds up no other", arguments: [false, true])
        func batch(asJSON: Bool) throws {
            let server = try RunningServer(folder.path + "/data")
            let huddle = HuddleProgram(server, token: parent.token)
            let lines = """
                docs upload '\(try pdf())' --type transcript --title "In a batch" --athlete '\(athlete.name)'
                docs upload '\(try make("fake.pdf", "GIF89a"))' --type resume --athlete '\(athlete.name)'
                docs versions "In a batch"
                add school name="Batch College"
                docs share "In a batch" --school "Batch College"
                docs shares "In a batch"
                docs download "In a batch" --output '\(file("got.pdf"))'
                docs unshare "In a batch"
                docs
                rm document "In a batch"
                docs

                """
            let answer = try huddle.run(["batch"] + (asJSON ? ["--json"] : []), input: lines)
            #expect(answer.ending == .exited(3), "\(answer.errors)")
            #expect(try Files.read(file("got.pdf")) == Files.read(file("t.pdf")))
            if asJSON {
                let told = try answer.lines()
                #expect(told.map { $0["status"]?.integer } == [0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0], "\(answer.output)")
                #expect(told[1]["error"]?.string?.hasPrefix("Upload failed: Invalid file type.") == true)
                #expect(answer.output.contains("\"output\":[{\"id\":") && told[10]["line"]?.integer == 11)
            } else {
                #expect(answer.errors.hasPrefix("huddle: line 2: Upload failed: Invalid file type.") && answer.errors.split(separator: "\n").count == 1, "\(answer.errors)")
                for words in ["uploaded In a batch", "http://127.0.0.1:", "Batch College  until ", "\(file("got.pdf"))  4.9 KB", "Link revoked.", "deleted", "No documents yet."] {
                    #expect(answer.output.contains(words), "\(words) is not in \(answer.output)")
                }
            }
            try server.stop()
        }

        @Test("R128 R148 read aloud, documents are sentences, with the number of active filters and the way to upload")
        func spoken() throws {
            let server = try RunningServer(folder.path + "/data")
            let huddle = HuddleProgram(server, token: parent.token)
            _ = try id(try huddle.run("docs", "upload", try pdf("Spring_transcript.pdf"), "--type", "transcript", "--athlete", athlete.name))
            let told = try huddle.run(["--plain"], input: "/docs\n/docs --type resume,transcript --shared\n").output
            #expect(told.contains("\nFilter documents. 0 filters active.\n1. Spring transcript. Transcript. Shared with 0 schools. Uploaded "), "\(told)")
            #expect(told.contains("Filter documents. 3 filters active.\nNo documents match your filters."), "\(told)")
            #expect(told.contains("\nUpload new document: in another terminal, huddle docs upload FILE --type TYPE."), "\(told)")
            // A pipe of lines gets the table.
            #expect(try huddle.run([], input: "/docs\n").output.contains("TITLE"))
            try server.stop()
        }

        // MARK: Breaks

        private static let uploads = ["SIGKILL", "SIGINT"]

        @Test("R141 the program is killed or stopped in the middle of an upload: the same command continues where it was", arguments: uploads)
        func killedClient(_ signal: String) throws {
            let server = try RunningServer(folder.path + "/data")
            let relay = try StallingRelay(server.port, .up, stallAfter: 9_500_000)
            defer { relay.end() }
            let huddle = HuddleProgram(server, token: parent.token, url: relay.url)
            let words = ["docs", "upload", try video(), "--type", "highlight_video", "--athlete", athlete.name]
            let program = try huddle.start(words[0], words[1], words[2], words[3], words[4], words[5], words[6])
            try relay.waitForStall()
            // Octets that the relay has passed on may still lie in a buffer of the kernel, which is lost with the connection.
            try Parts.wait(in: folder.path + "/data/uploads", octets: 9_000_000)
            if signal == "SIGINT" {
                program.kill(Signals.interrupt)
                let told = try program.readErrorLine()
                #expect(told == "huddle: Stopped. The server keeps the part so far for a day: the same command continues it.")
                #expect(try program.wait(timeoutMilliseconds: 10_000) == .exited(1))
            } else {
                program.kill()
                #expect(try program.wait(timeoutMilliseconds: 10_000) == .killed(signal: Signals.kill))
            }
            relay.letGo(cutting: true)
            _ = relay.takeCounts()
            let document = try id(try huddle.run(words))
            let sent = relay.takeCounts().up
            #expect(sent < Self.octets - 8_000_000, "\(sent) octets were sent again")
            let got = try huddle.run("docs", "download", document, "--output", file("got.mp4"))
            #expect(got.ending == .exited(0), "\(got.errors)")
            #expect(try Files.read(file("got.mp4")) == Files.read(words[2]))
            #expect(try huddle.run("docs", "--json").lines().count == 1)
            try server.stop()
        }

        @Test("R137 the server is killed in the middle of an upload: the program waits, continues by itself, and nothing is lost or doubled")
        func killedServer() throws {
            let server = try RunningServer(folder.path + "/data")
            let relay = try StallingRelay(server.port, .up, stallAfter: 9_500_000)
            defer { relay.end() }
            let huddle = HuddleProgram(server, token: parent.token, url: relay.url)
            let path = try video()
            let program = try huddle.start("docs", "upload", path, "--type", "highlight_video", "--athlete", athlete.name, "--json")
            try relay.waitForStall()
            try server.kill()
            relay.letGo(cutting: true)
            try server.restart()
            let line = try #require(try program.readLine(timeoutMilliseconds: 30_000))
            #expect(try program.wait(timeoutMilliseconds: 10_000) == .exited(0))
            let document = try #require(try JSONValue(line)["id"]?.string)
            let got = try huddle.run("docs", "download", document, "--output", file("got.mp4"))
            #expect(got.ending == .exited(0), "\(got.errors)")
            #expect(try Files.read(file("got.mp4")) == Files.read(path))
            #expect(try huddle.run("docs", "--json").lines().count == 1)
            try server.stop()
        }

        @Test("a download that was cut, by a killed server and by a killed program, continues; the file appears only when it is whole")
        func download() throws {
            let server = try RunningServer(folder.path + "/data")
            let path = try video()
            let document = try id(try HuddleProgram(server, token: parent.token).run("docs", "upload", path, "--type", "highlight_video", "--athlete", athlete.name))
            let relay = try StallingRelay(server.port, .down, stallAfter: 5_000_000)
            defer { relay.end() }
            let huddle = HuddleProgram(server, token: parent.token, url: relay.url)
            let killed = try huddle.start("docs", "download", document, "--output", file("got.mp4"))
            try relay.waitForStall()
            // Octets that the relay has passed on may still lie in a buffer of the kernel: they are the program's when they are in the file.
            try Parts.wait(in: folder.path, octets: 4_000_000)
            killed.kill()
            _ = try killed.wait(timeoutMilliseconds: 10_000)
            relay.letGo(cutting: true)
            #expect(!Files.exists(file("got.mp4")))
            relay.stallAgain()
            _ = relay.takeCounts()

            let program = try huddle.start("docs", "download", document, "--output", file("got.mp4"))
            try relay.waitForStall()
            try server.kill()
            relay.letGo(cutting: true)
            try server.restart()
            #expect(try program.wait(timeoutMilliseconds: 30_000) == .exited(0))
            #expect(try Files.read(file("got.mp4")) == Files.read(path))
            let got = relay.takeCounts().down
            #expect(got < Self.octets - 3_000_000, "\(got) octets came again")
            #expect(try Files.list(folder.path).filter { $0.hasSuffix(".part") } == [])
            try server.stop()
        }

        // MARK: What is seen

        @Test("R138 on a terminal: a bar, percent, and the result; after a stop, how to continue")
        func bar() throws {
            let server = try RunningServer(folder.path + "/data")
            let relay = try StallingRelay(server.port, .up, stallAfter: 6_500_000)
            defer { relay.end() }
            let huddle = HuddleProgram(server, token: parent.token, url: relay.url)
            let path = try video()
            let terminal = try huddle.open("docs", "upload", path, "--type", "highlight_video", "--athlete", athlete.name)
            try relay.waitForStall()
            let isShown = try terminal.wait { $0.line(0).hasPrefix("fall_highlights.mp4  [#####") && $0.line(0).contains("%  ") }
            #expect(isShown, "\(terminal.screen.text)")
            try terminal.type("\u{3}")
            #expect(try terminal.wait(for: "huddle: Stopped. The server keeps the part so far for a day"), "\(terminal.screen.text)")
            #expect(try terminal.waitForEnd() == .exited(1))
            relay.letGo(cutting: true)
            let again = try huddle.open("docs", "upload", path, "--type", "highlight_video", "--athlete", athlete.name)
            #expect(try again.wait(for: "uploaded fall highlights"), "\(again.screen.text)")
            #expect(again.screen.line(0).hasPrefix("It continues at "), "\(again.screen.text)")
            #expect(try again.waitForEnd() == .exited(0))
            try server.stop()
        }

        @Test("the family sees the uploader, the title, the progress, a pause and the end; line mode says so in words")
        func room() throws {
            let server = try RunningServer(folder.path + "/data")
            let relay = try StallingRelay(server.port, .up, stallAfter: 9_500_000)
            defer { relay.end() }
            let witness = try LiveClient(server, athlete.token)
            try witness.waitUntilLive()
            let other = HuddleProgram(server, token: demo.parents[1].token)
            let lines = try other.start("--plain", "--timeout", "60")
            while let line = try lines.readLine(), !line.hasSuffix("/help lists the commands, /quit leaves.") {}
            let huddle = HuddleProgram(server, token: parent.token, url: relay.url)
            let path = try video()
            let words = ["docs", "upload", path, "--type", "highlight_video", "--athlete", athlete.name, "--title", "Fall highlights"]
            let program = try huddle.start(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], words[8])
            let begun = try witness.wait { if case .upload(let upload) = $0 { upload } else { nil } }
            #expect(begun.title == "Fall highlights" && begun.member == parent.id && begun.athlete == athlete.id && begun.state == .running)
            #expect(begun.total == Int64(Self.octets + 4))
            try relay.waitForStall()
            program.kill()
            relay.letGo(cutting: true)
            let paused = try witness.wait { if case .upload(let upload) = $0, upload.state != .running { upload } else { nil } }
            #expect(paused.state == .paused && paused.id == begun.id && paused.octets > 8_000_000)
            #expect(witness.session.engine.uploads[begun.id]?.percent.map { (60..<90).contains($0) } == true)
            let document = try id(try huddle.run(words))
            let over = try witness.wait { if case .upload(let upload) = $0, upload.isOver { upload } else { nil } }
            #expect(over.state == .finished && over.id == begun.id && "\(over.id)".hasSuffix(document))
            #expect(witness.session.engine.uploads.isEmpty)
            var told: [String] = []
            while !told.contains(where: { $0.contains("added document Fall highlights") }), let line = try lines.readLine() { told.append(line) }
            #expect(told.contains { $0.hasPrefix("\(parent.name) is uploading Fall highlights, ") && $0.hasSuffix("%") }, "\(told)")
            lines.closeInput()
            withExtendedLifetime(other) {}
            try server.stop()
        }

        // MARK: Sharing

        @Test("a link for a school opens for anyone who has it, is counted, shown once, and ended immediately; a signed link works without a sign-in")
        func sharing() throws {
            let server = try RunningServer(folder.path + "/data")
            let huddle = HuddleProgram(server, token: parent.token)
            let document = try id(try huddle.run("docs", "upload", try pdf(), "--type", "transcript", "--athlete", athlete.name))
            let school = try #require(try huddle.run("schools", "--json").lines().first?["fields"]?["name"]?.string)
            func status(_ url: String) throws -> Int { try CurlClient().perform(HTTPRequest("GET", url)).head.status }
            #expect(try huddle.run("docs", "shares", document).output == "There is no link to t. huddle docs share makes one.\n")
            let made = try huddle.run("docs", "share", document, "--school", school, "--days", "7")
            let url = try String(#require(made.output.split(separator: "\n").first))
            #expect(url.hasPrefix("http://127.0.0.1:\(server.port)/s/") && made.output.contains("Anyone with this link can open t until "), "\(made.output)\(made.errors)")
            #expect(try status(url) == 200)
            #expect(try status(url + "/file") == 200)
            // Counted behind the answer: asked again until it is so.
            var listed = ""
            for _ in 0..<100 where !listed.contains("1 view, 1 download") { listed = try huddle.run("docs", "shares", document).output }
            #expect(listed.hasPrefix("\(school)  until ") && listed.contains("1 view, 1 download"), "\(listed)")
            #expect(try huddle.run("docs", "--shared").output.contains("Shared: 1"))
            #expect(try huddle.run("stats", "documents").output.hasPrefix("1 document, 1 shared"))
            #expect(try huddle.run("docs", "unshare", document, school).output == "Link revoked.\n")
            #expect(try status(url) == 404)
            #expect(try huddle.run("docs", "unshare", document).ending == .exited(3))
            #expect(try huddle.run("docs", "shares", document).output.contains("  ended "))
            let json = try huddle.run("docs", "shares", document, "--json").json()
            #expect(json["url"] == nil && json["views"]?.integer == 1 && json["downloads"]?.integer == 1 && json["ended_at"] != nil)

            let link = try huddle.run("docs", "link", document).output.split(separator: "\n")
            #expect(try status(String(link[0])) == 200)
            #expect(try status(String(link[0].dropLast(4))) == 404)
            try server.stop()
        }

        @Test("through TLS, with --tls-ca; without it nothing is sent, and the reason is shown")
        func encrypted() throws {
            let certificates = try CertificateFolder()
            let server = try RunningServer(folder.path + "/data", options: certificates.options)
            let huddle = HuddleProgram(server, token: parent.token, url: "wss://localhost:\(server.securePort)")
            let path = try pdf()
            let up = try huddle.run("docs", "upload", path, "--type", "resume", "--athlete", athlete.name, "--tls-ca", certificates.authority)
            let document = try id(up)
            let got = try huddle.run("docs", "download", document, "--output", file("got.pdf"), "--tls-ca", certificates.authority)
            #expect(got.ending == .exited(0), "\(got.errors)")
            #expect(try Files.read(file("got.pdf")) == Files.read(path))
            let distrusted = try huddle.run("docs", "download", document, "--output", file("no.pdf"), "--timeout", "2")
            #expect(distrusted.ending == .exited(5) && distrusted.errors.contains("--tls-ca FILE"), "\(distrusted.errors)")
            try server.stop()
        }
    }
}
