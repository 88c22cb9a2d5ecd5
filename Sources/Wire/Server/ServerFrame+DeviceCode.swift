import JSON

/// Answers `add_device`.
package struct DeviceCodeAnswer: Hashable, Sendable {
    package var request: Int64
    /// Redeemed like the code of an invite, once.
    package var code: String
    /// UTC milliseconds.
    package var expiresAt: Int64

    package init(request: Int64, code: String, expiresAt: Int64) {
        self.request = request
        self.code = code
        self.expiresAt = expiresAt
    }
}

extension ServerFrame {
    struct DeviceCodeParts: ServerFrameParts {
        static let declaration = FrameDeclaration("device_code", "Answers add_device.", [
            .init("request", commonSchema("count"), "The number in the request."),
            .init("code", commonSchema("word"), "For the other device, which redeems it once."),
            .init("expires_at", commonSchema("instant"), "The code is not valid from then on."),
        ], feature: .devices, example: #"""
            {"type":"device_code","request":20,"code":"7K3QX-00000-11111-ZZZZZ","expires_at":1776251400000}
            """#)

        private var code: String?
        private var expiresAt: Int64?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "code": code = try reader.readWord()
            case "expires_at": expiresAt = try reader.readInteger()
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .deviceCode(
                DeviceCodeAnswer(request: try need(request, "request"), code: try need(code, "code"), expiresAt: try need(expiresAt, "expires_at")))
        }

        static func encode(_ answer: DeviceCodeAnswer, into writer: inout JSONWriter) {
            writer.word("device_code")
            writer.key("request")
            writer.integer(answer.request)
            writer.key("code")
            writer.string(answer.code)
            writer.key("expires_at")
            writer.integer(answer.expiresAt)
        }
    }
}
