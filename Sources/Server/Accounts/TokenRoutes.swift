import Bytes
import Family
import HTTP1
import JSON
import Store
import Wire

/// Tokens for programs over HTTP: the counterpart of `create_token` and the related frames on the socket.
///
/// | path | methods | purpose |
/// | --- | --- | --- |
/// | `/tokens` | GET POST | the tokens of the person; makes one |
/// | `/tokens/<id>` | DELETE | ends one |
/// | `/devices` | POST | makes a code for another device |
enum TokenRoutes {
    static func all(_ services: RequestServices) -> [RouteGroup.Resource] {
        let group = RouteGroup("/tokens", .account)
        return [
            group.resource("", .get { .handler(TokenListHandler($0, services)) }, .post { .handler(TokenCreateHandler($0, services)) }),
            RouteGroup("/devices", .account).resource("", .post { .handler(DeviceCodeHandler($0, services)) }),
            group.resource("/{id}", .delete { .handler(SessionEndHandler($0, services, .one(SessionRoutes.id($0)))) }),
        ]
    }
}

/// `GET /tokens`.
private final class TokenListHandler: SessionHandler {
    override func begin() {
        guard let signIn = context.signIn else { return }
        services.read(for: self) { reader throws(StoreFailure) in
            try reader.sessions(ofPerson: signIn.person, current: signIn.session).filter { $0.kind == .token }
        } then: { [self] tokens in respond(tokens) }
    }
}

/// `POST /tokens` with the members of `create_token`.
private final class TokenCreateHandler: SessionHandler {
    private struct Content: JSONContent {
        static let maxOctets = 4_096
        static let members = "id, nonce, name, scope, days and, for calendar, athletes"

        var id: String?
        var nonce: String?
        var name: String?
        var scope: String?
        var days: Int64?
        var athletes: [String] = []

        mutating func read(_ member: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch member {
            case "id": id = try reader.readString()
            case "nonce": nonce = try reader.readString()
            case "name": name = try reader.readString()
            case "scope": scope = try reader.readString()
            case "days": days = try reader.readInteger()
            case "athletes": try reader.readArray { reader throws(JSONError) in athletes.append(try reader.readString()) }
            default: return false
            }
            return true
        }

        func check() throws(Rejection) { _ = try token() }

        /// The requested token. The writer checks its name, days and athletes.
        func token() throws(Rejection) -> NewToken {
            guard let id = id.flatMap({ Identifier($0) }) else { throw Rejection(.invalid, "id must be an identifier that your program chooses at random", field: "id") }
            guard let nonce, RedemptionSecret.isOne(nonce) else {
                throw Rejection(.invalid, "nonce must be 32 hexadecimal digits in lower case that your program chooses at random and keeps", field: "nonce")
            }
            guard let scope = scope.flatMap({ TokenScope(rawValue: $0) }) else {
                throw Rejection(.invalid, "scope must be read, write or calendar", field: "scope")
            }
            var ids: [Identifier] = []
            for athlete in athletes {
                guard let id = Identifier(athlete) else { throw Rejection(.invalid, "athletes must be a list of identifiers", field: "athletes") }
                ids.append(id)
            }
            return NewToken(id: id, nonce: nonce, name: name ?? "", scope: scope, days: days ?? 0, athletes: ids)
        }
    }

    override func begin() {
        guard let signIn = context.signIn else { return }
        acceptJSON(Content.self) { [self] content in
            guard let new = try? content.token() else { return }
            services.write(for: self) { store throws(StoreFailure) in
                (try store.makeToken(new, by: signIn.session), [])
            } then: { [self] made in
                respond(201) { writer in
                    writer.key("token")
                    writer.string(made.token)
                    writer.key("session")
                    AccountSessionCodec.encode(made.session, into: &writer)
                }
            }
        }
    }
}

/// `POST /devices`, without content.
private final class DeviceCodeHandler: SessionHandler {
    override func begin() {
        guard let signIn = context.signIn else { return }
        services.write(for: self) { store throws(StoreFailure) in
            (try store.makeDeviceCode(by: signIn.session), [])
        } then: { [self] made in
            respond(201) { writer in
                writer.key("code")
                writer.string(made.code)
                writer.key("expires_at")
                writer.integer(made.expiresAt)
            }
        }
    }
}
