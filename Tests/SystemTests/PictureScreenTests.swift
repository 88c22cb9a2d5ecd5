import Posix
import PseudoTerminal
import TestSupport
import Testing

extension SystemTests {
    /// The small picture of a document, on terminals that take pictures and on one that takes none.
    @Suite("R129 R147 Small pictures on a terminal") struct PictureScreenTests {
        /// One page, the left half red, the right half blue.
        private static let page = """
            %PDF-1.4
            1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
            2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
            3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 160 80] /Contents 4 0 R /Resources <<>>>> endobj
            4 0 obj <</Length 49>> stream
            1 0 0 rg 0 0 80 80 re f 0 0 1 rg 80 0 80 80 re f
            endstream endobj
            trailer <</Root 1 0 R>>
            %%EOF
            """

        @Test("The picture is shown with its document, goes with it, and the terminal is whole afterwards; where none is known, nothing is sent")
        func pictures() throws {
            guard Files.exists("/usr/bin/pdftoppm"), Confinement.isPossible else { return }
            let (folder, demo, server) = try Demo.served()
            let path = folder.path + "/Flag.pdf"
            try Files.write(Array(Self.page.utf8), to: path)
            let huddle = HuddleProgram(server, token: demo.parents[0].token)
            #expect(try huddle.run("docs", "upload", path, "--type", "resume", "--athlete", demo.athletes[0].name).ending == .exited(0))
            for (variables, begin, end) in [
                (["KITTY_WINDOW_ID": "1"], "\u{1B}_Ga=T,f=24,s=", "\u{1B}_Ga=d,d=I"), (["TERM_PROGRAM": "iTerm.app"], "\u{1B}]1337;File=inline=1;size=", "\u{1B}[2J"), ([:], "", ""),
            ] as [([String: String], String, String)] {
                let terminal = try huddle.open(columns: 110, variables: variables)
                try FullScreenTests.expect(terminal, "? for keys")
                try terminal.type("\u{1B}4")
                try FullScreenTests.expect(terminal, "1 of 1 total")
                try terminal.type("\r")
                try FullScreenTests.expect(terminal, "None. s makes one for a school.")
                func written() -> String { String(decoding: terminal.written, as: UTF8.self) }
                if begin.isEmpty {
                    try terminal.type("\u{1B}")
                    try FullScreenTests.expect(terminal, "n upload")
                    #expect(!written().contains("\u{1B}_G") && !written().contains("1337"))
                } else {
                    let isShown = try terminal.wait { _ in written().contains(begin) }
                    #expect(isShown, "\(terminal.screen.text)")
                    try terminal.type("\u{1B}")
                    let isGone = try terminal.wait { screen in
                        let all = written()
                        guard screen.text.contains("n upload"), let last = all.ranges(of: begin).last else { return false }
                        return all[last.upperBound...].contains(end)
                    }
                    #expect(isGone, "\(terminal.screen.text)")
                }
                #expect(terminal.screen.unknown.isEmpty, "\(terminal.screen.unknown)")
                try terminal.type("\u{18}\u{3}")
                #expect(try terminal.waitForEnd() == .exited(0))
                #expect(terminal.isCooked && !terminal.screen.isOtherScreen)
            }
        }
    }
}
