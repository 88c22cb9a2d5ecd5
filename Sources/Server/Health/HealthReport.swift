package import JSON

/// The checks of one server at one moment.
package struct HealthReport: Equatable, Sendable {
    package var checks: [HealthCheck]
    /// Whether a server runs on the data folder.
    package var isRunning = true

    package init(_ checks: [HealthCheck], isRunning: Bool = true) {
        self.checks = checks
        self.isRunning = isRunning
    }

    /// Whether no check keeps new clients away.
    package var isReady: Bool { checks.allSatisfy { $0.state != .error } }

    /// The checks that found a problem.
    package var problems: [HealthCheck] { checks.filter { $0.state != .ok } }

    /// The codes of the problems that keep new clients away, separated by commas.
    var errors: String { checks.filter { $0.state == .error }.compactMap(\.code).joined(separator: ",") }

    /// For `/readyz`: `{"status":"not_ready","reasons":[{"code":"disk_low","severity":"error","sentence":"…"}]}`
    var answer: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("status")
        json.string(isReady ? "ready" : "not_ready")
        json.key("reasons")
        json.beginArray()
        for check in problems {
            json.beginObject()
            json.key("code")
            json.string(check.code ?? "")
            json.key("severity")
            json.string(check.state.rawValue)
            json.key("sentence")
            json.string(check.reason)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.octets + [0x0A]
    }

    /// `{"ready":true,"running":true,"checks":[{"check":"disk","state":"ok","sentence":"…"}]}`, with a `code` for a
    /// problem.
    package func encode(into json: inout JSONWriter) {
        json.beginObject()
        json.key("ready")
        json.boolean(isReady)
        json.key("running")
        json.boolean(isRunning)
        json.key("checks")
        json.beginArray()
        for check in checks {
            json.beginObject()
            json.key("check")
            json.string(check.name.rawValue)
            json.key("state")
            json.string(check.state.rawValue)
            if let code = check.code {
                json.key("code")
                json.string(code)
            }
            json.key("sentence")
            json.string(check.sentence)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }

    /// Reads what `encode` wrote.
    init(_ reader: inout JSONReader) throws(JSONError) {
        var checks: [HealthCheck] = []
        var isRunning = true
        try reader.readObject { (reader: inout JSONReader, key) throws(JSONError) in
            switch key {
            case "ready": _ = try reader.readBool()
            case "running": isRunning = try reader.readBool()
            case "checks": try reader.readArray { (reader: inout JSONReader) throws(JSONError) in checks.append(try HealthCheck(&reader)) }
            default: throw .unknownKey(key.string)
            }
        }
        self.init(checks, isRunning: isRunning)
    }
}

extension HealthCheck {
    fileprivate init(_ reader: inout JSONReader) throws(JSONError) {
        var name: Name?
        var state: State?
        var code: String?
        var sentence = ""
        try reader.readObject { (reader: inout JSONReader, key) throws(JSONError) in
            switch key {
            case "check": name = Name(rawValue: try reader.readString())
            case "state": state = State(rawValue: try reader.readString())
            case "code": code = try reader.readString()
            case "sentence": sentence = try reader.readString()
            default: throw .unknownKey(key.string)
            }
        }
        guard let name, let state else { throw .invalid("a check's name or state is missing") }
        self.init(name, state, code, reason: sentence, sentence: sentence)
    }
}
