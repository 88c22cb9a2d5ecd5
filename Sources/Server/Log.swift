import Locks
import Posix

/// Structured lines for the operator: `ts=… level=info event=… key=value …` or the same as JSON (`LogStyle`), one event
/// per line, on standard error.
///
/// Values are ids, codes, counts and durations: never a token, an address or a family's text. A client that provokes
/// lines cannot fill the disk with them: above `maxLinesPerSecond` of an event the lines are only counted, and the
/// count is logged with the next line. Lines that no client can provoke, like the steps of an upgrade, do not count
/// (`always`).
package final class Log: Sendable {
    package typealias Level = LogStyle.Level

    /// One field of a line.
    package struct Field: Sendable {
        let key: StaticString
        let value: String
        /// The value, if it is a number.
        let number: Int64?

        package init(_ key: StaticString, _ value: String) {
            self.key = key
            self.value = value
            number = nil
        }

        package init(_ key: StaticString, _ value: some BinaryInteger) {
            self.key = key
            self.value = String(value)
            number = Int64(exactly: value)
        }
    }

    /// The limit for each event. It is enough to understand a bad day, and few enough to keep: clients can provoke a
    /// dozen events, and rarely does more than one of them flood (7 MB per hour).
    static let maxLinesPerSecond = 20

    private struct Budget {
        var second: Int64 = 0
        /// The number of lines by event, so that a flood of one event does not hide another.
        var lines: [String: Int] = [:]
        var suppressed = 0
    }

    private let budget = Lock(Budget())
    private let style: LogStyle
    private let write: @Sendable (String) -> Void

    /// - Parameter write: takes one line with its line feed.
    package init(style: LogStyle = LogStyle(), write: @escaping @Sendable (String) -> Void) {
        self.style = style
        self.write = write
    }

    package func callAsFunction(_ level: Level = .info, _ event: StaticString, _ fields: [Field] = []) {
        guard style.takes(level) else { return }
        let now = Clock.wallMilliseconds()
        let second = now / 1000
        let name = "\(event)"
        let suppressed: Int? = budget.withLock { budget in
            var before = 0
            if budget.second != second {
                before = budget.suppressed
                budget = Budget(second: second)
            }
            guard budget.lines[name, default: 0] < Log.maxLinesPerSecond else {
                budget.suppressed += 1
                return nil
            }
            budget.lines[name, default: 0] += 1
            return before
        }
        guard let suppressed else { return }
        if suppressed > 0 { write(style.line(now, .warning, "lines_suppressed", [Field("count", suppressed)])) }
        write(style.line(now, level, name, fields))
    }

    /// Writes a line without a limit, for events that only a start of the server causes.
    package func always(_ level: Level = .info, _ event: StaticString, _ fields: [Field] = []) {
        guard style.takes(level) else { return }
        write(style.line(Clock.wallMilliseconds(), level, "\(event)", fields))
    }

    /// A logfmt value: one word is written bare, other text in quotes, without characters that could begin a new line.
    static func quoted(_ value: String) -> String {
        let isBare = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=") }
        if isBare { return value }
        var text = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            default:
                if scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) { text += "?" } else { text.unicodeScalars.append(scalar) }
            }
        }
        return text + "\""
    }
}
