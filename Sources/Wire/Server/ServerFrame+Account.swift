package import Family
package import JSON

/// Answers `account` and the frames that change how a person signs in.
package struct AccountReply: Hashable, Sendable {
    package var request: Int64
    package var answer: AccountAnswer

    package init(request: Int64, _ answer: AccountAnswer) {
        self.request = request
        self.answer = answer
    }
}

extension ServerFrame {
    struct AccountParts: ServerFrameParts {
        static let declaration = FrameDeclaration("account", "Answers account and the frames that change how the person signs in.", [
            .init("request", commonSchema("count"), "The number in the request."),
            .init("name", ["type": "string"], "The sign-in name; left out without a password.", required: false),
            .init("factor", ["type": "boolean"], "Whether a one-time password is needed besides the password."),
            .init("recovery_codes", commonSchema("count"), "The number of codes that are left."),
            .init("confirmed_until", commonSchema("instant"), "Until then no confirm is needed; left out: confirm first, if the person has a password or passkey.", required: false),
            .init("passkeys", ["type": "array", "items": commonSchema("passkey")], "The person's passkeys, oldest first; left out if there are none.", required: false),
            .init("mail", ["type": "string"], "The person's e-mail address, confirmed, masked; left out without one.", required: false),
            .init("mail_pending", ["type": "string"], "An address that waits to be confirmed, masked.", required: false),
            .init("mail_problem", ["enum": .array(MailProblem.allCases.map { .string($0.rawValue) })], "The mail to mail_pending was abandoned, as in mail_failed.", required: false),
            .init("secret", commonSchema("word"), "After add_factor: the secret, as a person types it into an authenticator program.", required: false),
            .init("address", ["type": "string"], "After add_factor: the same as an otpauth address, for a QR picture.", required: false),
            .init("codes", ["type": "array", "items": ["type": "string"]], "After make_recovery_codes: the codes, this once.", required: false),
            .init("device", commonSchema("word"), "After set_password: as of signed_in.", required: false),
            .init("code", commonSchema("word"), "After recover_member: for the member, who redeems it once.", required: false),
            .init("expires_at", commonSchema("instant"), "The code is not valid from then on.", required: false),
        ], feature: .passwords, example: #"""
            {"type":"account","request":21,"name":"ana","factor":true,"recovery_codes":9,"confirmed_until":1776251400000}
            """#)

        private var state = AccountState()
        private var hasFactor: Bool?
        private var count: Int64?
        private var secret: String?
        private var address: String?
        private var codes: [String] = []
        private var device: String?
        private var code: String?
        private var expiresAt: Int64?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "name": state.name = try reader.readString()
            case "factor": hasFactor = try reader.readBool()
            case "recovery_codes": count = try reader.readCount()
            case "confirmed_until": state.confirmedUntil = try reader.readInteger()
            case "passkeys": try reader.readArray { reader throws(JSONError) in state.passkeys.append(try AccountPasskeyCodec.read(&reader)) }
            case "mail": state.mail = AccountMail(address: try reader.readString(), pending: state.mail?.pending, problem: state.mail?.problem)
            case "mail_pending": state.mail = AccountMail(address: state.mail?.address, pending: try reader.readString(), problem: state.mail?.problem)
            case "mail_problem": state.mail = AccountMail(address: state.mail?.address, pending: state.mail?.pending, problem: MailProblem(rawValue: try reader.readString()))
            case "secret": secret = try reader.readWord()
            case "address": address = try reader.readString()
            case "codes": try reader.readArray { reader throws(JSONError) in codes.append(try reader.readString()) }
            case "device": device = try reader.readWord()
            case "code": code = try reader.readWord()
            case "expires_at": expiresAt = try reader.readInteger()
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            var state = state
            state.hasFactor = try need(hasFactor, "factor")
            state.recoveryCodes = Int(clamping: try need(count, "recovery_codes"))
            return .account(
                AccountReply(
                    request: try need(request, "request"),
                    AccountAnswer(
                        state: state, secret: secret, address: address, codes: codes, device: device, code: code, expiresAt: expiresAt)))
        }

        static func encode(_ reply: AccountReply, into writer: inout JSONWriter) {
            writer.word("account")
            writer.key("request")
            writer.integer(reply.request)
            reply.answer.encode(into: &writer)
        }
    }
}

extension AccountAnswer {
    /// Appends the members of the frame, which an answer over HTTP has as well.
    package func encode(into writer: inout JSONWriter) {
        if let name = state.name {
            writer.key("name")
            writer.string(name)
        }
        writer.key("factor")
        writer.boolean(state.hasFactor)
        writer.key("recovery_codes")
        writer.integer(Int64(state.recoveryCodes))
        if let end = state.confirmedUntil {
            writer.key("confirmed_until")
            writer.integer(end)
        }
        if !state.passkeys.isEmpty {
            writer.key("passkeys")
            writer.beginArray()
            for passkey in state.passkeys { passkey.encode(into: &writer) }
            writer.endArray()
        }
        for (key, text) in [("mail", state.mail?.address), ("mail_pending", state.mail?.pending), ("mail_problem", state.mail?.problem?.rawValue)] as [(StaticString, String?)] {
            guard let text else { continue }
            writer.key(key)
            writer.string(text)
        }
        for (key, text) in [("secret", secret), ("address", address)] as [(StaticString, String?)] {
            guard let text else { continue }
            writer.key(key)
            writer.string(text)
        }
        if !codes.isEmpty {
            writer.key("codes")
            writer.beginArray()
            for code in codes { writer.string(code) }
            writer.endArray()
        }
        for (key, text) in [("device", device), ("code", code)] as [(StaticString, String?)] {
            guard let text else { continue }
            writer.key(key)
            writer.string(text)
        }
        guard let expiresAt else { return }
        writer.key("expires_at")
        writer.integer(expiresAt)
    }
}
