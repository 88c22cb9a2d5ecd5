import Posix
import PseudoTerminal
import TestSupport
import Testing

@Suite("Messages that are changed", .serialized, .lane(.terminals))
struct RewriteTests {
    @Test("A message that was changed elsewhere in the meantime is a conflict; the text of a deleted message stays in the line")
    func rewrites() throws {
        let folder = try TemporaryFolder()
        let demo = try Demo(in: folder.path + "/data")
        let server = try RunningServer(folder.path + "/data")
        let screen = try FullScreenTests.open(server, demo.parents[0], folder)
        let other = HuddleProgram(server, token: demo.parents[0].token)
        try FullScreenTests.expect(screen, "? for keys")
        try screen.type("helo wrld\r")
        #expect(try screen.wait { $0.text.contains("│ helo wrld") && !$0.text.contains("wrld …") && !$0.text.contains("pending") }, "\(screen.screen.text)")
        try screen.type("\u{1B}[1;5Ae")
        try FullScreenTests.expect(screen, "> helo wrld")
        let id = try #require(try other.run("messages", "helo wrld", "--json").lines().first?["id"]?.string)
        #expect(try other.run("edit", "message", id, "hello, world").ending == .exited(0))
        try FullScreenTests.expect(screen, "hello, world (edited)")
        try screen.type("\u{15}hello everybody\r")
        try FullScreenTests.expect(screen, "Not saved: ")
        #expect(try other.run("messages", "hello", "--json").lines().map { $0["fields"]?["text"]?.string } == ["hello, world"])

        try screen.type("second thoughts\r")
        #expect(try screen.wait { $0.text.contains("│ second thoughts") && !$0.text.contains("thoughts …") && !$0.text.contains("pending") }, "\(screen.screen.text)")
        try screen.type("\u{1B}[1;5Ae")
        try FullScreenTests.expect(screen, "> second thoughts")
        #expect(try other.run("undo").ending == .exited(0))
        #expect(try screen.wait { !$0.text.contains("│ second thoughts") }, "\(screen.screen.text)")
        try screen.type(" indeed\r")
        try FullScreenTests.expect(screen, "The message was deleted. Enter sends the text as a new one.")
        try FullScreenTests.expect(screen, "> second thoughts indeed")
        try screen.type("\r")
        try FullScreenTests.expect(screen, "│ second thoughts indeed")
    }
}
