import Posix
import PseudoTerminal
import TestSupport
import Testing

@Suite("Typing members, in the full screen", .serialized, .lane(.terminals))
struct ActivityScreenTests {
    @Test("A terminal shows that another member types until the message is there; switched off, nothing is sent")
    func typing() throws {
        let folder = try TemporaryFolder()
        let demo = try Demo(in: folder.path + "/data")
        let server = try RunningServer(folder.path + "/data")
        let one = try FullScreenTests.open(server, demo.parents[0], folder, [], rows: 30)
        let other = try FullScreenTests.open(server, demo.parents[1], folder, [], rows: 30)
        for terminal in [one, other] { try FullScreenTests.expect(terminal, " is here") }
        let line = "\(demo.parents[1].name) is typing …"
        try other.type("Are we late?")
        try FullScreenTests.expect(one, line)
        try other.type("\r")
        #expect(try one.wait { $0.text.contains("Are we late?") && !$0.text.contains(line) })
        try other.type("/set typing off\r")
        try FullScreenTests.expect(other, "typing is off now.")
        try other.type("Nobody saw this coming")
        try FullScreenTests.expect(other, "> Nobody saw this coming")
        try other.type("\r")
        var wasTold = false
        #expect(
            try one.wait {
                if $0.text.contains(line) { wasTold = true }
                return $0.text.contains("Nobody saw this coming")
            })
        #expect(!wasTold)
    }
}
