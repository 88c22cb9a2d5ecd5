import Posix

/// Node, for the tests of JavaScript.
package enum NodeProgram {
    /// The top of the source tree.
    package static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    /// The path of node 18 or newer.
    ///
    /// - Returns: `nil`, with a printed line, if there is none. With `HUDDLE_REQUIRE_NODE=1`, as in `Tools/test.sh`, the
    ///   caller fails then.
    package static func path(for subject: String) -> String? {
        let check = "process.exit(Number(process.versions.node.split('.')[0]) >= 18 ? 0 : 1)"
        let path = Environment.value("HUDDLE_NODE") ?? "node"
        if (try? ChildProcess.run([path, "-e", check]))?.ending == .exited(0) { return path }
        print("\(subject): SKIPPED, because there is no node (18 or newer)")
        return nil
    }

    /// Whether a test without node has to fail.
    package static var isRequired: Bool { Environment.value("HUDDLE_REQUIRE_NODE") == "1" }
}
