package import Family
import JSON

/// A sign-in by name: the password, or a recovery code in its place, and the second factor.
package struct NameSignIn: Hashable, Sendable {
    /// The sign-in name.
    package var name: String
    package var secrets: ShownSecrets
    /// The secret by which the account knows this device.
    package var device: String?
    /// The name of the new session; empty for none.
    package var label: String

    package init(name: String, secrets: ShownSecrets, device: String? = nil, label: String = "") {
        self.name = name
        self.secrets = secrets
        self.device = device
        self.label = label
    }
}

extension ClientFrame {
    struct SignInByNameParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "sign_in_by_name", "Makes a session of the person with a sign-in name. Answer: signed_in, or error sign_in_failed or factor_required.", [
                .init("name", ["type": "string"], "The sign-in name, in any case."),
                .init("password", ["type": "string"], "10 to 256 octets.", required: false),
                .init("recovery_code", ["type": "string"], "In the place of the password: one of the ten.", required: false),
                .init("one_time", ["type": "string"], "The one-time password, where the person has a second factor; or another recovery code.", required: false),
                .init("device", commonSchema("word"), "From an earlier signed_in or account: the account knows this device.", required: false),
                .init("label", ["type": "string"], "The name of the new session, at most 60 characters.", required: false),
                .request,
            ], feature: .passwords, example: #"{"type":"sign_in_by_name","name":"ana","password":"correct horse battery","one_time":"492039","label":"Kitchen laptop"}"#)

        private var name: String?
        private var secrets = ShownSecrets()
        private var device: String?
        private var label: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "name": self.name = try reader.readString()
            case "device": device = try reader.readWord()
            case "label": label = try reader.readString()
            case "request": content.request = try reader.readCount()
            default: return try secrets.read(name, &reader)
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .signInByName(NameSignIn(name: try content.need(name, "name"), secrets: secrets, device: device, label: label ?? ""))
        }

        static func encode(_ signIn: NameSignIn, into writer: inout JSONWriter) {
            writer.word("sign_in_by_name")
            writer.key("name")
            writer.string(signIn.name)
            signIn.secrets.encode(into: &writer)
            if let device = signIn.device {
                writer.key("device")
                writer.string(device)
            }
            guard !signIn.label.isEmpty else { return }
            writer.key("label")
            writer.string(signIn.label)
        }
    }
}

extension ShownSecrets {
    /// Reads a member of a frame.
    ///
    /// - Returns: false if it is not one of these.
    mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch name {
        case "password": password = try reader.readString()
        case "recovery_code": recoveryCode = try reader.readString()
        case "one_time": oneTime = try reader.readString()
        default: return false
        }
        return true
    }

    func encode(into writer: inout JSONWriter) {
        for (key, text) in [("password", password), ("recovery_code", recoveryCode), ("one_time", oneTime)] as [(StaticString, String?)] {
            guard let text else { continue }
            writer.key(key)
            writer.string(text)
        }
    }
}
