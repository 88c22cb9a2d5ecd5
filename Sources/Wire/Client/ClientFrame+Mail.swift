import Family
import JSON

extension ClientFrame {
    struct SetMailParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "set_mail", "Sends a code to an e-mail address, which is the person's once confirm_mail has shown it. Answer: account, or error confirm_first.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("address", ["type": "string"], "Like ana@example.org, in ASCII."),
            ], feature: .mail, example: #"{"type":"set_mail","request":31,"address":"ana@example.org"}"#)

        private var address: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "address": address = try reader.readString()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .account(AccountRequest(request: try content.need(content.request, "request"), .setMail(try content.need(address, "address"))))
        }
    }

    struct ConfirmMailParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "confirm_mail", "Confirms the address to which the last code was sent. Answer: account, or error code_unknown.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("code", ["type": "string"], "From the mail, in any case, with or without hyphens."),
            ], feature: .mail, example: #"{"type":"confirm_mail","request":32,"code":"7K3QX-00000-11111-ZZZZZ"}"#)

        private var code: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "code": code = try reader.readString()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .account(AccountRequest(request: try content.need(content.request, "request"), .confirmMail(code: try content.need(code, "code"))))
        }
    }

    struct RemoveMailParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "remove_mail", "Removes the person's e-mail address, and one that waits to be confirmed. Answer: account, or error confirm_first.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
            ], feature: .mail, example: #"{"type":"remove_mail","request":33}"#)

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            guard name == "request" else { return false }
            content.request = try reader.readCount()
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .account(AccountRequest(request: try content.need(content.request, "request"), .removeMail))
        }
    }
}
