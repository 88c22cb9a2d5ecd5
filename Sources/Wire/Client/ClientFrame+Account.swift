import Bytes
package import Family
import JSON

/// A request about the ways in which the person who is signed in signs in.
package struct AccountRequest: Hashable, Sendable {
    package var request: Int64
    package var act: AccountAct

    package init(request: Int64, _ act: AccountAct) {
        self.request = request
        self.act = act
    }
}

extension ClientFrame {
    struct AccountParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "account", "Asks how the person who is signed in can sign in. Answer: account.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
            ], feature: .passwords, example: #"{"type":"account","request":21}"#)

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            guard name == "request" else { return false }
            content.request = try reader.readCount()
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .account(AccountRequest(request: try content.need(content.request, "request"), .show))
        }
    }

    struct ConfirmParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "confirm", "Shows the password again, which counts for 10 minutes. Answer: account, or error sign_in_failed or factor_required.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("password", ["type": "string"], "10 to 256 octets.", required: false),
                .init("recovery_code", ["type": "string"], "In the place of the password: one of the ten.", required: false),
                .init("one_time", ["type": "string"], "The one-time password, where the person has a second factor; or another recovery code.", required: false),
            ], feature: .passwords, example: #"{"type":"confirm","request":22,"password":"correct horse battery"}"#)

        private var secrets = ShownSecrets()

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            guard name == "request" else { return try secrets.read(name, &reader) }
            content.request = try reader.readCount()
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .account(AccountRequest(request: try content.need(content.request, "request"), .confirm(secrets)))
        }
    }

    struct SetPasswordParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "set_password", "Sets sign-in name and password, or changes them; the person's other sessions end. Answer: account with device, or error confirm_first.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("name", ["type": "string"], "The sign-in name, 3 to 64 characters, unique on the server."),
                .init("password", ["type": "string"], "10 to 256 octets."),
            ], feature: .passwords, example: #"{"type":"set_password","request":23,"name":"ana","password":"correct horse battery"}"#)

        private var name: String?
        private var password: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "name": self.name = try reader.readString()
            case "password": password = try reader.readString()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .account(AccountRequest(request: try content.need(content.request, "request"), .setPassword(name: try content.need(name, "name"), password: try content.need(password, "password"))))
        }
    }

    struct RemovePasswordParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "remove_password", "Removes name, password, second factor and recovery codes; the person's other sessions end. Answer: account, or error confirm_first.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
            ], feature: .passwords, example: #"{"type":"remove_password","request":24}"#)

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            guard name == "request" else { return false }
            content.request = try reader.readCount()
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .account(AccountRequest(request: try content.need(content.request, "request"), .removePassword))
        }
    }

    struct AddFactorParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "add_factor", "Draws the secret of a second factor (TOTP), which counts once it is confirmed. Answer: account with secret and address, or error confirm_first.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
            ], feature: .passwords, example: #"{"type":"add_factor","request":25}"#)

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            guard name == "request" else { return false }
            content.request = try reader.readCount()
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .account(AccountRequest(request: try content.need(content.request, "request"), .addFactor))
        }
    }

    struct ConfirmFactorParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "confirm_factor", "Confirms the second factor that was drawn last; the person's other sessions end. Answer: account, or error confirm_first.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("one_time", ["type": "string"], "Its one-time password of now, six digits."),
            ], feature: .passwords, example: #"{"type":"confirm_factor","request":26,"one_time":"492039"}"#)

        private var oneTime: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "one_time": oneTime = try reader.readString()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .account(AccountRequest(request: try content.need(content.request, "request"), .confirmFactor(oneTime: try content.need(oneTime, "one_time"))))
        }
    }

    struct RemoveFactorParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "remove_factor", "Removes the second factor. Answer: account, or error confirm_first.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
            ], feature: .passwords, example: #"{"type":"remove_factor","request":27}"#)

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            guard name == "request" else { return false }
            content.request = try reader.readCount()
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .account(AccountRequest(request: try content.need(content.request, "request"), .removeFactor))
        }
    }

    struct MakeRecoveryCodesParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "make_recovery_codes", "Makes ten recovery codes in the place of the former ones. Answer: account with codes, or error confirm_first.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
            ], feature: .passwords, example: #"{"type":"make_recovery_codes","request":28}"#)

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            guard name == "request" else { return false }
            content.request = try reader.readCount()
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .account(AccountRequest(request: try content.need(content.request, "request"), .makeRecoveryCodes))
        }
    }

    struct RemovePasskeyParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "remove_passkey", "Removes a passkey of the person; browsers make them (`sessions.md`). Answer: account, or error confirm_first.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("passkey", commonSchema("identifier"), "An id in passkeys of account."),
            ], feature: .passwords, example: #"{"type":"remove_passkey","request":30,"passkey":"01910000-0000-7000-8000-000000000021"}"#)

        private var passkey: Identifier?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "passkey": passkey = try reader.readIdentifier()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .account(AccountRequest(request: try content.need(content.request, "request"), .removePasskey(try content.need(passkey, "passkey"))))
        }
    }

    struct RecoverMemberParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "recover_member", "Makes a code with which a member who has lost their sign-in signs in again; for parents. Answer: account with code, or error confirm_first.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("family", commonSchema("identifier"), "The family that the code opens."),
                .init("member", commonSchema("identifier"), "A member of it who has signed in before."),
            ], feature: .passwords,
            example: #"{"type":"recover_member","request":29,"family":"01910000-0000-7000-8000-000000000001","member":"01910000-0000-7000-8000-000000000011"}"#)

        private var family: Identifier?
        private var member: Identifier?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "family": family = try reader.readIdentifier()
            case "member": member = try reader.readIdentifier()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .account(
                AccountRequest(
                    request: try content.need(content.request, "request"),
                    .recoverMember(try content.need(member, "member"), family: try content.need(family, "family"))))
        }
    }
}

extension AccountRequest {
    /// Appends the frame after `"type":`.
    func encode(into writer: inout JSONWriter) {
        writer.word(word)
        writer.key("request")
        writer.integer(request)
        switch act {
        case .show, .removePassword, .addFactor, .removeFactor, .makeRecoveryCodes, .removeMail: break
        case .confirm(let secrets): secrets.encode(into: &writer)
        case .setPassword(let name, let password):
            writer.key("name")
            writer.string(name)
            writer.key("password")
            writer.string(password)
        case .confirmFactor(let oneTime):
            writer.key("one_time")
            writer.string(oneTime)
        case .removePasskey(let id):
            writer.key("passkey")
            writer.identifier(id)
        case .recoverMember(let member, let family):
            writer.key("family")
            writer.identifier(family)
            writer.key("member")
            writer.identifier(member)
        case .setMail(let address):
            writer.key("address")
            writer.string(address)
        case .confirmMail(let code):
            writer.key("code")
            writer.string(code)
        }
    }

    private var word: StaticString {
        switch act {
        case .show: "account"
        case .confirm: "confirm"
        case .setPassword: "set_password"
        case .removePassword: "remove_password"
        case .addFactor: "add_factor"
        case .confirmFactor: "confirm_factor"
        case .removeFactor: "remove_factor"
        case .makeRecoveryCodes: "make_recovery_codes"
        case .removePasskey: "remove_passkey"
        case .recoverMember: "recover_member"
        case .setMail: "set_mail"
        case .confirmMail: "confirm_mail"
        case .removeMail: "remove_mail"
        }
    }
}
