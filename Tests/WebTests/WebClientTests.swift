import EngineScripts
import Posix
import TestSupport
import Testing

@Suite("The web client's modules, in node")
struct WebClientTests {
    @Test("Kinds, limits, features and error codes in JavaScript are those of the declarations", arguments: GeneratedModules.all.map(\.path))
    func generated(path: String) throws {
        let text = try #require(GeneratedModules.all.first { $0.path == path }?.text)
        let file = GeneratedModules.site + path
        if Environment.value("HUDDLE_WRITE_PROTO") != nil { try Files.write(Array(text.utf8), to: file, mode: 0o644) }
        let held = (try? Files.read(file)).map { String(decoding: $0, as: UTF8.self) }
        #expect(held == text, "\(path) differs from the declarations: run this test with HUDDLE_WRITE_PROTO=1")
    }

    @Test("The server's program embeds every file of the web client")
    func embedded() throws {
        let text = try EmbeddedFiles.text
        if Environment.value("HUDDLE_WRITE_PROTO") != nil { try Files.write(Array(text.utf8), to: EmbeddedFiles.path, mode: 0o644) }
        #expect(String(decoding: try Files.read(EmbeddedFiles.path), as: UTF8.self) == text, "Sources/CWebClient/CWebClient.c differs from the folder: run this test with HUDDLE_WRITE_PROTO=1")
    }

    @Test("No text becomes HTML, a style or a script")
    func sinks() throws {
        let sinks = [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "createContextualFragment", "srcdoc", "eval(", "new Function", "setTimeout(\"", "javascript:", "style:",
            "\"style\"", "import(\"", "new Date(", "Date.UTC", "Date.parse",
        ]
        for path in try EmbeddedFiles.paths() where path.hasSuffix(".js") {
            let text = String(decoding: try Files.read(GeneratedModules.site + path), as: UTF8.self)
            for sink in sinks where text.contains(sink) {
                #expect(sink == "import(\"" && !text.split(separator: "\n").contains { $0.contains(sink) && !$0.contains("@") }, "\(path) has \(sink)")
            }
        }
        let page = String(decoding: try Files.read(GeneratedModules.site + "index.html"), as: UTF8.self)
        #expect(!page.contains("style=") && !page.contains("onload") && page.contains("<noscript>"))
    }

    @Test("The engine in JavaScript passes every script of proto/sync")
    func scripts() throws {
        guard let node = NodeProgram.path(for: "Scripts in JavaScript") else {
            #expect(!NodeProgram.isRequired, "there is no node")
            return
        }
        let folder = NodeProgram.root + "/Tests/Web"
        for file in try Files.list(folder).sorted() where file.hasSuffix(".test.js") {
            let answer = try ChildProcess.run([node, "--test", "\(folder)/\(file)"], timeoutMilliseconds: 120_000)
            let told = String(decoding: answer.output, as: UTF8.self)
            #expect(answer.ending == .exited(0), "\(file): \(told.suffix(4_000))")
        }
    }

    /// Worlds to replay: `HUDDLE_WORLDS=5000` for more.
    static var worlds: Int { Environment.value("HUDDLE_WORLDS").flatMap { Int($0) } ?? 500 }

    @Test("The engine in JavaScript does what the Swift engine does in 500 random worlds, action by action and state by state")
    func recordedWorlds() throws {
        guard let node = NodeProgram.path(for: "Recorded worlds") else {
            #expect(!NodeProgram.isRequired, "there is no node")
            return
        }
        let folder = try TemporaryFolder()
        var inputs: [String: Int] = [:]
        var next: UInt64 = 1
        while next <= UInt64(Self.worlds) {
            // One process for many worlds; the file stays small.
            let seeds = next..<min(next + 50, UInt64(Self.worlds) + 1)
            next = seeds.upperBound
            var lines: [UInt8] = []
            for seed in seeds {
                var world = RandomWorld(seed: seed)
                world.run(60)
                lines += world.lines
                inputs.merge(world.inputs) { $0 + $1 }
            }
            let file = folder.path + "/worlds.jsonl"
            try Files.write(lines, to: file)
            let answer = try ChildProcess.run([node, NodeProgram.root + "/Tests/Web/replay.js", file], timeoutMilliseconds: 120_000)
            try #require(answer.ending == .exited(0), "seeds \(seeds): \(String(decoding: answer.output + answer.errors, as: UTF8.self).prefix(6_000))")
        }
        guard Self.worlds >= 500 else { return }
        for input in ["connected", "disconnected", "timer", "receive", "perform", "undo", "retry", "split", "drop", "look", "resolve", "restore", "adopt", "takeOver", "save", "read", "rejoin", "context", "ask"] {
            #expect(inputs[input] ?? 0 >= 20, "\(input) was tried \(inputs[input] ?? 0) times")
        }
    }

    @Test("A recorded world detects an engine that acts otherwise")
    func plantedFault() throws {
        guard let node = NodeProgram.path(for: "Recorded worlds, planted faults") else { return }
        var world = RandomWorld(seed: 1)
        world.run(60)
        let folder = try TemporaryFolder()
        let text = String(decoding: world.lines, as: UTF8.self)
        for (right, wrong) in [("\"wake\":30000", "\"wake\":30001"), ("\"phase\":\"live\"", "\"phase\":\"syncing\""), ("{\"connect\":", "{\"connected\":")] {
            let altered = text.split(separator: right, omittingEmptySubsequences: false).joined(separator: wrong)
            #expect(altered != text, "\(right) never happens")
            try Files.write(Array(altered.utf8), to: folder.path + "/world.jsonl")
            let answer = try ChildProcess.run([node, NodeProgram.root + "/Tests/Web/replay.js", folder.path + "/world.jsonl"])
            #expect(answer.ending == .exited(1), "\(wrong) was not noticed")
        }
    }

    @Test("The modules have no type errors")
    func types() throws {
        guard (try? ChildProcess.run(["tsc", "--version"]))?.ending == .exited(0) else {
            print("Types of the web client: SKIPPED, because there is no tsc (Debian's node-typescript)")
            #expect(!NodeProgram.isRequired, "there is no tsc")
            return
        }
        let answer = try ChildProcess.run(["tsc", "--project", NodeProgram.root + "/Sources/WebClient/jsconfig.json"], timeoutMilliseconds: 120_000)
        #expect(answer.ending == .exited(0), "\(String(decoding: answer.output, as: UTF8.self).prefix(4_000))")
    }
}
