import Glibc
import Posix
import Screen
import Terminal

/// A full screen that shows what happens to it, for tests on a pseudo-terminal. Keys: q ends, e calls exit, c traps, s overflows the stack,
/// z stops, o opens the editor, b rings, n notifies, r draws again.
@main
enum Program {
    static func main() { run() }

    private static func run() {
        do {
            let screen = try FullScreen()
            let demo = Demo(screen)
            while try demo.turn() {}
            screen.finish()
        } catch let error as TerminalFeatures.Unsuitable {
            Standard.write(error: error.sentence + "\n")
            exit(2)
        } catch {
            Standard.write(error: "\(error)\n")
            exit(1)
        }
    }
}

final class Demo {
    private let screen: FullScreen
    private var lines: [String] = []
    private var editor: ExternalEditor?
    private var draws = 0

    init(_ screen: FullScreen) {
        self.screen = screen
        draw()
    }

    /// - Returns: false when the program is to end.
    func turn() throws(Errno) -> Bool {
        var others: [Poll.Item] = []
        if let editor { others.append(Poll.Item(editor.raw, .readable)) }
        var events = try screen.wait(until: nil, &others)
        if let editor, let result = try editor.result() {
            self.editor = nil
            lines.append("edited \(result.text ?? "nothing")")
            events += result.events
        }
        for event in events {
            switch event {
            case .ending: return false
            case .input(.key(let key)):
                lines.append("key \(key.name)")
                if key == .character("q") { return false }
                try act(key)
            case .input(.paste(let text)): lines.append("paste \(text.split(separator: "\n").joined(separator: "|"))")
            case .input(.mouse(let mouse)): lines.append("mouse \(mouse.action) \(mouse.point.column),\(mouse.point.row)")
            case .input(.focus(let isIn)): lines.append("focus \(isIn)")
            case .resized: lines.append("resized")
            case .resumed: lines.append("resumed")
            }
        }
        if !events.isEmpty { draw() }
        return true
    }

    private func act(_ key: Key) throws(Errno) {
        switch key {
        case .character("e"): exit(3)
        case .character("c"): preconditionFailure("asked to trap")
        case .character("s"): Standard.write(error: "\(deep(1))")
        case .character("z"): for event in screen.suspend() { lines.append("\(event)") }
        case .character("o"): editor = try ExternalEditor("old text", screen)
        case .character("b"): screen.bell()
        case .character("n"): screen.notify("Carmen\u{1B}: hello")
        case .character("r"): screen.redraw()
        default: break
        }
    }

    /// Without an end, and not turned into a loop.
    @inline(never)
    private func deep(_ number: Int) -> Int {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
            buffer[number % 4_096] = 1
            return deep(number + 1) + Int(buffer[0])
        }
    }

    private func draw() {
        draws += 1
        var canvas = Canvas(screen.size)
        canvas.box(canvas.bounds, Theme.dark[.frame], title: "\(screen.size.columns) × \(screen.size.rows)")
        for (row, line) in lines.suffix(canvas.size.rows - 3).enumerated() { canvas.draw(line, at: 2, row + 1, Theme.dark[.accent]) }
        canvas.draw("日本 👨‍👩‍👧‍👦 end", at: 2, canvas.size.rows - 2)
        canvas.cursor = Point(2, canvas.size.rows - 2)
        screen.show(canvas)
    }
}
