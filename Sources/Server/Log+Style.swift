import JSON

/// The format of the lines of the log, and the levels that are written.
package struct LogStyle: Equatable, Sendable {
    package enum Form: String, CaseIterable, Sendable {
        /// `ts=1795237200123 level=info event=started version=0.2.0`
        case logfmt
        /// `{"ts":1795237200123,"level":"info","event":"started","version":"0.2.0"}`
        case json
    }

    package enum Level: String, CaseIterable, Sendable {
        case info, warning, error

        /// The priority of the journal, syslog(3).
        var priority: Int {
            switch self {
            case .info: 6
            case .warning: 4
            case .error: 3
            }
        }
    }

    package var form: Form
    /// The lowest level that is written.
    package var least: Level
    /// Whether a line begins with its priority in the form that systemd reads, `<6>`.
    package var hasPriorities: Bool

    package init(form: Form = .logfmt, least: Level = .info, hasPriorities: Bool = false) {
        self.form = form
        self.least = least
        self.hasPriorities = hasPriorities
    }

    /// Whether lines of `level` are written.
    func takes(_ level: Level) -> Bool { level.priority <= least.priority }

    /// One line with its line feed.
    ///
    /// - Parameter now: UTC milliseconds.
    func line(_ now: Int64, _ level: Level, _ event: String, _ fields: [Log.Field]) -> String {
        let head = hasPriorities ? "<\(level.priority)>" : ""
        switch form {
        case .logfmt:
            var line = "\(head)ts=\(now) level=\(level.rawValue) event=\(event)"
            for field in fields { line += " \(field.key)=\(Log.quoted(field.value))" }
            return line + "\n"
        case .json:
            var json = JSONWriter()
            json.beginObject()
            json.key("ts")
            json.integer(now)
            json.key("level")
            json.string(level.rawValue)
            json.key("event")
            json.string(event)
            for field in fields {
                json.key(field.key)
                if let number = field.number { json.integer(number) } else { json.string(field.value) }
            }
            json.endObject()
            return head + String(decoding: json.octets, as: UTF8.self) + "\n"
        }
    }
}
