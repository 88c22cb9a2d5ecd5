import Family
import HTTP1
import JSON
import Store

/// `POST /account/recovery` with `{"name":"ana"}`: asks for a mail with a code that replaces the password once.
///
/// The answer is always the same, and the server sends it before it looks anybody up, so that neither its words nor its
/// time reveal whether the name or address is known.
final class RecoveryMailHandler: SessionHandler {
    private struct Content: JSONContent {
        static let maxOctets = 1_024
        static let members = "name"

        var name: String?

        mutating func read(_ member: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            guard member == "name" else { return false }
            name = try reader.readString()
            return true
        }

        func check() throws(Rejection) {
            guard let name, !name.isEmpty else { throw Rejection(.required, "Send the sign-in name, or the e-mail address, as name", field: "name") }
        }
    }

    override func begin() {
        // A page of another site could make its visitor's browser ask.
        guard context.isOwnPage || !context.head.fields.contains("origin") else { return respond(HTTPResponse(refusal: .foreignPage)) }
        guard context.head.fields.contains("content-type") else { return respond(JSONBody.otherType) }
        acceptJSON(Content.self) { [self] content in
            if let refusal = services.accounts.offerRecovery(content.name ?? "", from: context.address) { return respond(HTTPResponse(refusal)) }
            respond(202) { writer in
                writer.key("message")
                writer.string("If somebody has this name or address, and has confirmed an address, a mail with a code is on its way. The code is valid for 30 minutes.")
            }
        }
    }
}
