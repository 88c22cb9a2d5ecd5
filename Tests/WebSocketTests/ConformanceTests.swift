import Posix
import Testing

/// Runs the scripts of `Tools/conformance`.
private struct Script {
    var ending: ChildProcess.Ending?
    var output: String
    var errors: String

    static let folder = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Tools/conformance"

    init(_ arguments: [String], seconds: Int = 240) throws {
        let (ending, output, errors) = try ChildProcess.run(arguments, timeoutMilliseconds: seconds * 1_000)
        self.ending = ending
        self.output = String(decoding: output, as: UTF8.self)
        self.errors = String(decoding: errors, as: UTF8.self)
    }

    /// A full run takes half an hour to hours, mostly in Python.
    static func autobahn(_ arguments: [String]) throws -> Script {
        try Script(["python3", folder + "/autobahn.py"] + arguments, seconds: arguments.contains("all") ? 12 * 3_600 : 240)
    }
}

/// Third-party software at the other end. One at a time: each test waits for processes.
@Suite("Conformance, both ways round", .serialized)
struct ConformanceTests {
    private static let programs = (try? Program.path().split(separator: "/").dropLast().joined(separator: "/")).map { "/" + $0 } ?? ""
    private static let isFull = Environment.value("HUDDLE_AUTOBAHN") == "full"

    /// Whether the suite is installed; if not, the test prints a warning, and with HUDDLE_AUTOBAHN=full it fails.
    private func hasAutobahn() throws -> Bool {
        let found = try Script.autobahn([Self.isFull ? "setup" : "check"])
        if found.ending == .exited(0) { return true }
        Standard.write(error: "AUTOBAHN IS NOT RUN. \(found.errors)")
        if Self.isFull { Issue.record("HUDDLE_AUTOBAHN=full, and there is no Autobahn: \(found.errors)") }
        return false
    }

    @Test("Autobahn reports every case OK, none non-strict, none unimplemented", arguments: ["server", "client"])
    func autobahn(side: String) throws {
        guard try hasAutobahn() else { return }
        let run = try Script.autobahn([side, Self.isFull ? "all" : "fast", "--programs", Self.programs])
        #expect(run.ending == .exited(0), "\(run.output)\(run.errors)")
        // At least the chapters of RFC 6455 were run.
        #expect(run.output.contains("| 6 | ") && run.output.contains("| 7 | "))
    }

    @Test("The websockets package of PyPI works with every parameter of compression, and messages of every kind", arguments: [
        ("server", "wsecho", ["--compression=generous"]), ("client", "wsclient", []),
    ])
    func websockets(side: String, program: String, options: [String]) throws {
        let python = Environment.value("HUDDLE_PYTHON") ?? Script.folder + "/../../.build/venv/bin/python"
        guard let found = try? Script([python, "-c", "import websockets"]), found.ending == .exited(0) else {
            Standard.write(error: "WEBSOCKETS IS NOT RUN: \(python) does not have it (Tools/test.sh makes it).\n")
            if Environment.value("HUDDLE_REQUIRE_PYTHON") == "1" { Issue.record("there is no Python with websockets") }
            return
        }
        let run = try Script([python, Script.folder + "/peer.py", side, Self.programs + "/" + program] + options)
        #expect(run.ending == .exited(0), "\(run.errors)")
        #expect(Int(run.output.split(separator: "\n").first ?? "") ?? 0 > 300)
    }
}
