import JSON

extension ClientFrame {
    struct RedeemParts: ClientFrameParts {
        static let declaration = FrameDeclaration("redeem", "Turns an invite's one-time code into a session token; after sign_in and before join it adds the family to the person who is signed in (feature families). Answer: token or membership, or error code_unknown, or required or invalid with field name.", [
            .init("code", commonSchema("word"), "The code as it was handed over."),
            .init("nonce", commonSchema("nonce"), "Kept until the token is stored. If the answer was lost, the same code with it gives another token."),
            .init(
                "name", ["type": "string"], "The name or the e-mail address of the person, as they typed it. Without it the answer may be required.",
                required: false, feature: .invites),
            .request,
        ], example: #"{"type":"redeem","code":"RIVER-7-STONE-42","nonce":"9d1f6b0c3e7a4852c06e5fb18a2d7394","name":"Ruth"}"#)

        private var code: String?
        private var nonce: String?
        private var name: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "code": code = try reader.readWord()
            case "nonce": nonce = try reader.readNonce()
            case "name": self.name = try reader.readString()
            case "request": content.request = try reader.readCount()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .redeem(code: try content.need(code, "code"), nonce: try content.need(nonce, "nonce"), name: name)
        }

        static func encode(code: String, nonce: String, name: String?, into writer: inout JSONWriter) {
            writer.word("redeem")
            writer.key("code")
            writer.string(code)
            writer.key("nonce")
            writer.string(nonce)
            if let name {
                writer.key("name")
                writer.string(name)
            }
        }
    }
}
