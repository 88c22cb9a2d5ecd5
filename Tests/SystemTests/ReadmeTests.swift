import Posix
import TestSupport
import Testing

extension SystemTests {
    /// What the README shows, against a fresh server: every command of its transcripts prints what stands there, but for ids, moments and
    /// numbers; what it says can be typed is understood; the files that it names are there.
    @Suite("The README") struct ReadmeTests {
        private static func readme() throws -> String {
            String(decoding: try Files.read(Programs.root + "/README.md"), as: UTF8.self)
        }

        /// The commands of its transcripts, each with the lines that follow it.
        private static func transcript() throws -> [(command: String, output: [String])] {
            var steps: [(command: String, output: [String])] = []
            var isInside = false
            for line in try readme().split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
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

        @Test("its transcript is what the programs print")
        func transcripts() throws {
            let (folder, demo, server) = try Demo.served()
            let carmen = HuddleProgram(server, token: demo.parents[0].token)
            let steps = try Self.transcript()
            #expect(steps.count >= 10 && steps.contains { $0.command.hasPrefix("huddle docs upload") })
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

        @Test("what it says can be typed in the conversation is understood there")
        func typed() throws {
            let (_, demo, server) = try Demo.served()
            let text = try Self.readme()
            let section = try #require(text.split(separator: "## Try it").last?.split(separator: "\n## ").first)
            let typed = section.matches(of: #/`(/[a-z]+( [^`]*)?)`/#).map { String($0.output.1) }
            #expect(typed.contains("/events") && typed.contains { $0.hasPrefix("/edit 1 ") })
            let answer = try HuddleProgram(server, token: demo.parents[0].token).run([], input: typed.joined(separator: "\n") + "\n")
            #expect(answer.ending == .exited(0), "\(answer.errors)")
            for word in ["There is no", "Write:", "Refused"] { #expect(!answer.output.contains(word), "\(answer.output)") }
            #expect(answer.output.contains("start time 08:45"), "\(answer.output)")
        }

        @Test("the files and folders that it names are there")
        func files() throws {
            let paths = try Self.readme().matches(of: #/`((?:\./)?(?:deploy|proto|Tests|Sources|\.ci)/[A-Za-z0-9_./-]+)`/#).map { String($0.output.1) }
            #expect(paths.count > 10)
            for path in Set(paths) { #expect(Files.exists(Programs.root + "/" + path), "\(path)") }
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
