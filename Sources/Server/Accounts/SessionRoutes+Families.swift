import Family
import HTTP1
import JSON
import Store
import Wire

/// `POST /families` with `{"code":"…","client":"…","name":"…"}`: adds the family of an invite to the person who is signed
/// in, as `redeem` does on a socket that is signed in.
final class FamilyAdding: SessionHandler {
    private struct Content: JSONContent {
        static let maxOctets = 1_024
        static let members = "code, client and, if the server asks for it, name"

        var code: String?
        var client: String?
        var name: String?

        mutating func read(_ member: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch member {
            case "code": code = try reader.readString()
            case "client": client = try reader.readString()
            case "name": name = try reader.readString()
            default: return false
            }
            return true
        }

        func check() throws(Rejection) {
            guard code != nil else { throw Rejection(.required, "code is required", field: "code") }
            guard let client, RedemptionSecret.isOne(client) else {
                throw Rejection(.invalid, "client must be 32 hexadecimal digits in lower case that your program chooses at random and keeps", field: "client")
            }
        }
    }

    override func begin() {
        guard let signIn = context.signIn else { return }
        acceptJSON(Content.self) { [self] content in
            guard let code = content.code, let client = content.client else { return }
            lookUp(code: code, client) { [self] in
                services.write(for: self, refused: { [self] in refuse($0) }) { store throws(StoreFailure) in
                    try store.join(code: code, nonce: client, name: content.name, session: signIn.session)
                } then: { [self] membership in
                    respond(201) { writer in
                        writer.key("membership")
                        membership.encode(into: &writer)
                    }
                }
            }
        }
    }
}
