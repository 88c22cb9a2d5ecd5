import Posix
import TestSupport
import Testing

extension SystemTests {
    /// Tests the pages for users against a fresh server: every command of a transcript prints the lines below it, apart from ids, times and
    /// numbers; the client accepts every command that a page says to type; the files that a page names exist.
    @Suite("The README and the tour") struct ReadmeTests {
        private static func text(_ page: String = "README.md") throws -> String {
            String(decoding: try Files.read(Programs.root + "/" + page), as: UTF8.self)
        }

        /// The commands of a page's transcripts, each with the lines that follow it.
        private static func transcript(_ page: String) throws -> [(command: String, output: [String])] {
            var steps: [(command: String, output: [String])] = []
            var isInside = false
            for line in try text(page).split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
                if line.hasPrefix("```") {
                    isInside = line == "```console"
                } else if isInside, line.hasPrefix("$ ") {
                    steps.append((String(line.dropFirst(2)), []))
                } else if isInside, !steps.isEmpty {
                    steps[steps.count - 1].output.append(line)
                }
            }
            return steps
        }

        /// A line without what differs from family to family and from day to day; "…" and what follows it is anything.
        private static func shape(_ line: String) -> String {
            var line = line.split(separator: "\u{FEFF}", omittingEmptySubsequences: false).joined()
            if let rest = line.firstRange(of: "…") { line = String(line[..<rest.lowerBound]) }
            let uuid = #/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/#
            line = line.replacing(uuid, with: "ID").replacing(#/^[0-9a-f]{6} /#, with: "ID ").replacing(#/#[0-9]+|--before [0-9]+/#, with: "#N")
            line = line.replacing(#/#N ([A-Z][a-z]{2} [0-9]+ )?[0-9]{2}:[0-9]{2} /#, with: "#N TIME ")
            return line.replacing(#/ {2,}/#, with: "  ")
        }

        @Test("The programs print the transcripts of the README and of the tour", arguments: ["README.md", "docs/TOUR.md"])
        func transcripts(page: String) throws {
            let (folder, demo, server) = try Demo.served()
            let carmen = HuddleProgram(server, token: demo.parents[0].token)
            let steps = try Self.transcript(page)
            #expect(steps.count >= 2)
            if page == "docs/TOUR.md" { #expect(steps.count >= 10 && steps.contains { $0.command.hasPrefix("huddle docs upload") }) }
            try Files.write(Array("%PDF-1.4\n%%EOF\n".utf8), to: folder.path + "/Fall_transcript.pdf")
            for (command, output) in steps {
                // As the shell does.
                let words = Self.words(command).map { $0.hasPrefix("~/") ? folder.path + $0.dropFirst() : $0 }
                try #require(words.first == "huddle", "\(command)")
                // The machine may be busy: what is slow is not what is shown.
                let answer = try carmen.run(Array(words.dropFirst()) + ["--timeout", "25"])
                let said = (answer.output + answer.errors).split(whereSeparator: \.isNewline).map(String.init)
                try #require(said.count == output.count, "\(command) printed\n\(said.joined(separator: "\n"))")
                for (wanted, got) in zip(output, said) {
                    let (wanted, isCut) = (Self.shape(wanted), wanted.hasSuffix("…"))
                    #expect(isCut ? Self.shape(got).hasPrefix(wanted) : Self.shape(got) == wanted, "\(command)")
                }
            }
        }

        @Test("The client accepts every command that the README says to type")
        func typed() throws {
            let (_, demo, server) = try Demo.served()
            let text = try Self.text()
            let section = try #require(text.split(separator: "## Try it").last?.split(separator: "\n## ").first)
            let typed = section.matches(of: #/`(/[a-z]+( [^`]*)?)`/#).map { String($0.output.1) }
            #expect(typed.contains("/events") && typed.contains { $0.hasPrefix("/edit 1 ") })
            let answer = try HuddleProgram(server, token: demo.parents[0].token).run([], input: typed.joined(separator: "\n") + "\n")
            #expect(answer.ending == .exited(0), "\(answer.errors)")
            for word in ["There is no", "Write:", "Refused"] { #expect(!answer.output.contains(word), "\(answer.output)") }
            #expect(answer.output.contains("start time 08:45"), "\(answer.output)")
        }

        @Test("The files and folders that a page names exist", arguments: ["README.md", "docs/TOUR.md", "docs/FAMILY.md", "docs/ARCHITECTURE.md", "CONTRIBUTING.md"])
        func files(page: String) throws {
            let paths = try Self.text(page).matches(of: #/`((?:\./)?(?:deploy|docs|proto|Tests|Tools|\.ci)/[A-Za-z0-9_./-]+)`/#).map { String($0.output.1) }
            #expect(!paths.isEmpty)
            // NAME in capitals is for the reader to fill in.
            for path in Set(paths) where !path.contains("NAME") { #expect(Files.exists(Programs.root + "/" + path), "\(path)") }
        }

        /// As a shell splits them, with double quotes.
        private static func words(_ command: String) -> [String] {
            var words: [String] = []
            var word = ""
            var isQuoted = false
            for character in command + " " {
                if character == "\"" {
                    isQuoted.toggle()
                } else if character == " ", !isQuoted {
                    if !word.isEmpty { words.append(word) }
                    word = ""
                } else {
                    word.append(character)
                }
            }
            return words
        }
    }
}
