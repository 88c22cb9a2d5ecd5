import Bytes
package import Family
package import JSON

// Admin commands and answers in the form of the admin socket: one JSON object per line, with the members in the order
// below.
//
//     {"command":"create_family","name":"Rivera","zone":"Europe/Warsaw","parent":"Ana"}
//     {"command":"invite","family":"…","name":"Leo","role":"athlete","born":"2012-03-04","by":"…"}
//     {"command":"invite","family":"…","member":"…","by":"…","email":"leo@example.org"}
//     {"command":"token","member":"…"}          {"command":"redeem","code":"…","nonce":"…","name":"Leo"}
//     {"command":"sign_out","token":"…"}        {"command":"purge"}        {"command":"recover","member":"…"}
//
//     {"answer":"family","family":"…","member":"…","code":"…","expires_at":1795000000000}
//     {"answer":"invited","family":"…","member":"…","role":"guest","name":"Ruth","code":"…","expires_at":…}
//     {"answer":"token","token":"…","family":"…","member":"…","role":"parent","ended_session":3}
//     {"answer":"recovery","family":"…","member":"…","code":"…","expires_at":1795000000000}
//     {"answer":"signed_out","session":3}
//     {"answer":"purged","receipts":12,"invites":1,"sessions":0,"records":3,"accesses":0}
//     {"error":"not_found","message":"…","field":"by","retry_after":5000}

extension AdminCommand {
    /// The largest number of octets of a line: a name of 100 characters and five ids need far fewer.
    package static let maxLine = 4_096

    /// The line, without its line feed.
    package func encode() -> [UInt8] {
        var line = AdminLineWriter()
        switch self {
        case .createFamily(let name, let zone, let parent):
            line.add("command", "create_family")
            line.add("name", name)
            line.add("zone", zone)
            line.add("parent", parent)
        case .invite(let invite):
            line.add("command", "invite")
            if case .session = invite.origin { preconditionFailure("no session speaks through the admin socket") }
            line.add("family", invite.family)
            line.add("member", invite.member)
            line.add("name", invite.name)
            line.add("role", invite.role?.rawValue)
            line.add("born", invite.born)
            line.add("email", invite.email)
            line.add("last_day", invite.lastDay)
            line.add("by", invite.by)
        case .token(let member):
            line.add("command", "token")
            line.add("member", member)
        case .recover(let member):
            line.add("command", "recover")
            line.add("member", member)
        case .redeem(let code, let nonce, let name):
            line.add("command", "redeem")
            line.add("code", code)
            line.add("nonce", nonce)
            line.add("name", name)
        case .signOut(let token):
            line.add("command", "sign_out")
            line.add("token", token)
        case .purge:
            line.add("command", "purge")
        }
        return line.finish()
    }

    /// Reads a line, without its line feed.
    ///
    /// - Throws: also for members that are missing, unknown or of another type.
    package static func decode(_ octets: [UInt8]) throws(JSONError) -> AdminCommand {
        var line = try AdminLineReader(octets)
        let command: AdminCommand
        switch try line.text("command") {
        case "create_family":
            command = .createFamily(name: try line.text("name"), zone: try line.text("zone"), parent: try line.text("parent"))
        case "invite":
            command = .invite(
                NewInvite(
                    family: try line.text("family"), member: try line.optionalID("member"), name: line.optionalText("name"),
                    role: try line.optionalRole(), born: line.optionalText("born"), email: line.optionalText("email"),
                    lastDay: line.optionalText("last_day"),
                    by: try line.optionalID("by")))
        case "token": command = .token(member: try line.id("member"))
        case "recover": command = .recover(member: try line.id("member"))
        case "redeem": command = .redeem(code: try line.text("code"), nonce: try line.text("nonce"), name: line.optionalText("name"))
        case "sign_out": command = .signOut(token: try line.text("token"))
        case "purge": command = .purge
        default: throw .invalid("this is not a command of this server")
        }
        try line.finish()
        return command
    }
}

extension AdminAnswer {
    /// The line for an answer or a refusal, without its line feed.
    package static func encode(_ result: Result<AdminAnswer, Rejection>) -> [UInt8] {
        var line = AdminLineWriter()
        switch result {
        case .success(.family(let created)):
            line.add("answer", "family")
            line.add("family", created.family)
            line.add("member", created.member)
            line.add("code", created.code)
            line.add("expires_at", created.expiresAt)
        case .success(.invited(let invited)):
            line.add("answer", "invited")
            line.add("family", invited.family)
            line.add("member", invited.member)
            line.add("role", invited.role.rawValue)
            line.add("name", invited.name)
            line.add("code", invited.code)
            line.add("expires_at", invited.expiresAt)
        case .success(.token(let created)):
            line.add("answer", "token")
            line.add("token", created.token)
            line.add("family", created.family)
            line.add("member", created.member)
            line.add("role", created.role.rawValue)
            line.add("ended_session", created.endedSession)
        case .success(.recovery(let made)):
            line.add("answer", "recovery")
            line.add("family", made.family)
            line.add("member", made.member)
            line.add("code", made.code)
            line.add("expires_at", made.expiresAt)
        case .success(.signedOut(let session)):
            line.add("answer", "signed_out")
            line.add("session", session)
        case .success(.purged(let purged)):
            line.add("answer", "purged")
            line.add("receipts", Int64(purged.receipts))
            line.add("invites", Int64(purged.invites))
            line.add("sessions", Int64(purged.sessions))
            line.add("records", Int64(purged.records))
            line.add("accesses", Int64(purged.accesses))
        case .failure(let rejection):
            line.add("error", rejection.code.rawValue)
            line.add("message", rejection.message)
            line.add("field", rejection.field)
            line.add("retry_after", rejection.retryAfter)
        }
        return line.finish()
    }

    /// Reads a line, without its line feed.
    package static func decode(_ octets: [UInt8]) throws(JSONError) -> Result<AdminAnswer, Rejection> {
        var line = try AdminLineReader(octets)
        let result: Result<AdminAnswer, Rejection>
        switch line.optionalText("answer") {
        case nil:
            guard let code = ErrorCode(rawValue: try line.text("error")) else { throw .invalid("an unknown error code") }
            result = .failure(
                Rejection(
                    code, try line.text("message"), field: line.optionalText("field"), retryAfter: line.optionalNumber("retry_after")))
        case "family":
            result = .success(
                .family(
                    FamilyCreated(
                        family: try line.id("family"), member: try line.id("member"), code: try line.text("code"),
                        expiresAt: try line.number("expires_at"))))
        case "invited":
            result = .success(
                .invited(
                    Invited(
                        family: try line.id("family"), member: try line.id("member"), role: try line.role(), name: try line.text("name"),
                        code: line.optionalText("code"), expiresAt: line.optionalNumber("expires_at"))))
        case "token":
            result = .success(
                .token(
                    SessionCreated(
                        token: try line.text("token"), family: try line.id("family"), member: try line.id("member"), role: try line.role(),
                        endedSession: line.optionalNumber("ended_session"))))
        case "recovery":
            result = .success(
                .recovery(
                    RecoveryMade(
                        family: try line.id("family"), member: try line.id("member"), code: try line.text("code"),
                        expiresAt: try line.number("expires_at"))))
        case "signed_out": result = .success(.signedOut(session: line.optionalNumber("session")))
        case "purged":
            func count(_ name: String) throws(JSONError) -> Int { Int(clamping: try line.number(name)) }
            result = .success(
                .purged(
                    Purged(
                        receipts: try count("receipts"), invites: try count("invites"), sessions: try count("sessions"),
                        records: try count("records"), accesses: try count("accesses"))))
        default: throw .invalid("an unknown answer")
        }
        try line.finish()
        return result
    }
}

/// Writes one flat object; members without a value are left out.
private struct AdminLineWriter {
    private var writer = JSONWriter()

    init() { writer.beginObject() }

    mutating func add(_ key: StaticString, _ text: String?) {
        guard let text else { return }
        writer.key(key)
        writer.string(text)
    }

    mutating func add(_ key: StaticString, _ id: Identifier?) {
        guard let id else { return }
        writer.key(key)
        writer.identifier(id)
    }

    mutating func add(_ key: StaticString, _ number: Int64?) {
        guard let number else { return }
        writer.key(key)
        writer.integer(number)
    }

    mutating func finish() -> [UInt8] {
        writer.endObject()
        return writer.octets
    }
}

/// Reads one flat object of texts and integers; the reader must ask for every member.
private struct AdminLineReader {
    private var texts: [String: String] = [:]
    private var numbers: [String: Int64] = [:]

    init(_ octets: [UInt8]) throws(JSONError) {
        var texts: [String: String] = [:]
        var numbers: [String: Int64] = [:]
        try JSONReader.read(octets, maxDepth: 1) { reader throws(JSONError) in
            try reader.readObject { reader, key throws(JSONError) in
                let name = key.string
                switch try reader.peekKind() {
                case .integer: numbers[name] = try reader.readInteger()
                default: texts[name] = try reader.readString()
                }
            }
        }
        self.texts = texts
        self.numbers = numbers
    }

    mutating func optionalText(_ key: String) -> String? { texts.removeValue(forKey: key) }

    mutating func optionalNumber(_ key: String) -> Int64? { numbers.removeValue(forKey: key) }

    mutating func text(_ key: String) throws(JSONError) -> String {
        guard let text = optionalText(key) else { throw .invalid("\(key) is missing") }
        return text
    }

    mutating func number(_ key: String) throws(JSONError) -> Int64 {
        guard let number = optionalNumber(key) else { throw .invalid("\(key) is missing") }
        return number
    }

    mutating func optionalID(_ key: String) throws(JSONError) -> Identifier? {
        guard let text = optionalText(key) else { return nil }
        guard let id = Identifier(text) else { throw .invalid("\(key) is no id") }
        return id
    }

    mutating func id(_ key: String) throws(JSONError) -> Identifier {
        guard let id = try optionalID(key) else { throw .invalid("\(key) is missing") }
        return id
    }

    mutating func role() throws(JSONError) -> Role {
        guard let role = Role(rawValue: try text("role")) else { throw .invalid("role is athlete, parent or guest") }
        return role
    }

    mutating func optionalRole() throws(JSONError) -> Role? { texts["role"] == nil ? nil : try role() }

    func finish() throws(JSONError) {
        guard let key = texts.keys.min() ?? numbers.keys.min() else { return }
        throw .unknownKey(key)
    }
}
