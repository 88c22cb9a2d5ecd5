import EngineScripts
import Posix
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
