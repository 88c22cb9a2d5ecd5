import Bytes
import Family
import HTTP1
import JSON
import Store
import Wire

/// Sessions over HTTP: the sign-in of a browser, and the counterpart of `sessions` and the related frames on the
/// socket.
///
/// | path | methods | purpose |
/// | --- | --- | --- |
/// | `/session` | GET POST DELETE | the person who is signed in; signs in; signs out |
/// | `/sessions` | GET DELETE | the sessions and tokens of the person; ends all others |
/// | `/sessions/<id>` | PATCH DELETE | names one; ends one |
/// | `/families` | POST | adds the family of an invite to the person (`FamilyAdding`) |
enum SessionRoutes {
    static func all(_ services: RequestServices) -> [RouteGroup.Resource] {
        let group = RouteGroup("", .account)
        return [
            group.resource(
                "/session", .init("GET", .anySession) { .handler(SessionShowHandler($0, services)) },
                .init("POST", .anyone) { .handler(SessionCreateHandler($0, services)) }, .init("DELETE", .session) { .handler(SignOutHandler($0, services)) }),
            group.resource("/sessions", .get { .handler(SessionListHandler($0, services)) }, .delete { .handler(SessionEndHandler($0, services, .others)) }),
            group.resource("/sessions/{id}", .patch { .handler(SessionRenameHandler($0, services)) }, .delete { .handler(SessionEndHandler($0, services, .one(id($0)))) }),
            group.resource("/families", .post { .handler(FamilyAdding($0, services)) }),
        ]
    }

    /// The session that a path names. An id of another form belongs to nobody.
    static func id(_ context: RequestContext) -> Identifier { Identifier(context.path["id"]) ?? Identifier(high: 0, low: 0) }
}

/// A request about the sessions of an account.
class SessionHandler: RequestHandler {
    let services: RequestServices

    init(_ context: RequestContext, _ services: RequestServices) {
        self.services = services
        super.init(context)
    }

    /// Answers with one JSON object, which must not be stored.
    final func respond(_ status: Int, _ fields: [Field] = [], _ members: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.beginObject()
        members(&writer)
        writer.endObject()
        respond(
            HTTPResponse(
                status, fields + [Field("Content-Type", "application/json"), Field("Cache-Control", "no-store")], content: writer.octets + [0x0A]))
    }

    final func respond(_ sessions: [AccountSession]) {
        respond(200) { writer in
            writer.key("sessions")
            writer.beginArray()
            for session in sessions { AccountSessionCodec.encode(session, into: &writer) }
            writer.endArray()
        }
    }

    /// Answers with the person who is signed in.
    final func respond(_ status: Int, _ fields: [Field] = [], person signIn: SignIn?) {
        respond(status, fields) { writer in
            writer.key("signed_in")
            writer.boolean(signIn != nil)
            guard let signIn else { return }
            writer.key("memberships")
            writer.beginArray()
            for membership in signIn.memberships { membership.encode(into: &writer) }
            writer.endArray()
            guard let recovery = signIn.recovery else { return }
            writer.key("recovered")
            writer.beginObject()
            writer.key("way")
            writer.string(recovery.way.rawValue)
            writer.key("at")
            writer.integer(recovery.at)
            writer.endObject()
        }
    }

    /// Gives a session to the browser, in its cookie, and answers with the person.
    final func open(_ token: String, _ isBrief: Bool, _ cookie: SessionCookie, _ more: [Field] = []) {
        services.read(for: self) { reader throws(StoreFailure) in
            try reader.signIn(token: token)
        } then: { [self] signIn in respond(201, [cookie.field(token, isBrief: isBrief)] + more, person: signIn) }
    }

    /// Looks a code up before the writer is asked, and refuses a wrong one.
    final func lookUp(code: String, _ client: String, then: @escaping () -> Void) {
        if let wait = services.accounts.codeWait(context.address) {
            return respond(HTTPResponse(Rejection(.rateLimited, "Too many codes come from your network. Try again in a moment.", retryAfter: wait)))
        }
        services.read(for: self) { reader throws(StoreFailure) in
            try reader.refusal(ofCode: code, nonce: client)
        } then: { [self] (refusal: Rejection?) in
            if let refusal { refuse(refusal) } else { then() }
        }
    }

    /// Refuses a code. A wrong code counts as a guess, and so does a wrong name.
    final func refuse(_ rejection: Rejection) {
        if rejection.code == .codeUnknown || rejection.code == .invalid { services.accounts.missedCode(context.address) }
        respond(HTTPResponse(rejection))
    }

    /// Answers with the sessions of the person.
    final func list(_ signIn: SignIn) {
        services.read(for: self) { reader throws(StoreFailure) in
            try reader.sessions(ofPerson: signIn.person, current: signIn.session)
        } then: { [self] in respond($0) }
    }
}

/// `GET /session`.
final class SessionShowHandler: SessionHandler {
    override func begin() { respond(200, person: context.signIn) }
}

/// `GET /sessions`.
final class SessionListHandler: SessionHandler {
    override func begin() { if let signIn = context.signIn { list(signIn) } }
}

/// `PATCH /sessions/<id>` with `{"name":"Kitchen laptop"}`.
final class SessionRenameHandler: SessionHandler {
    private struct Content: JSONContent {
        static let maxOctets = 1_024
        static let members = "name"

        var name: String?

        mutating func read(_ member: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            guard member == "name" else { return false }
            name = try reader.readString()
            return true
        }

        func check() throws(Rejection) { _ = try AccountSession.canonicalName(name ?? "") }
    }

    override func begin() {
        guard let signIn = context.signIn else { return }
        let id = SessionRoutes.id(context)
        acceptJSON(Content.self) { [self] content in
            let name = content.name ?? ""
            services.write(for: self) { store throws(StoreFailure) in
                (try store.renameSession(id, to: name, by: signIn.session), [])
            } then: { [self] sessions in respond(sessions) }
        }
    }
}

/// `DELETE /sessions/<id>`, and `DELETE /sessions` for all others.
final class SessionEndHandler: SessionHandler {
    private let choice: SessionsEnd.Choice

    init(_ context: RequestContext, _ services: RequestServices, _ choice: SessionsEnd.Choice) {
        self.choice = choice
        super.init(context, services)
    }

    override func begin() {
        guard let signIn = context.signIn else { return }
        services.access.revoke(SessionsEnd(session: signIn.session, choice)) { [self] refusal in
            guard isOpen else { return }
            respond(refusal.map { HTTPResponse($0) } ?? HTTPResponse(204))
        }
    }
}

/// `DELETE /session`: the session gives no access from this moment; the answer follows when that is durable.
final class SignOutHandler: SessionHandler {
    override func begin() {
        guard let signIn = context.signIn else { return }
        services.access.endSession(signIn.session) { [self] refusal in
            guard isOpen else { return }
            if let refusal { return respond(HTTPResponse(refusal)) }
            respond(HTTPResponse(204, context.cookie.map { [$0.removal] } ?? []))
        }
    }
}

/// `POST /session`: makes a session for a browser, in its cookie.
///
/// Each way to sign in ends in `open`.
final class SessionCreateHandler: SessionHandler {
    private struct Content: JSONContent {
        static let maxOctets = 4_096
        static let members = "token, or code and client, or name and password; and, if you like, one_time, device and brief"

        var token: String?
        var code: String?
        var client: String?
        /// The person's name, as an invite has it; or the sign-in name.
        var name: String?
        var secrets = ShownSecrets()
        /// The name of the session.
        var device: String?
        /// The cookie ends with the browser, and the session after a day.
        var brief: Bool?

        mutating func read(_ member: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch member {
            case "token": token = try reader.readString()
            case "code": code = try reader.readString()
            case "client": client = try reader.readString()
            case "name": name = try reader.readString()
            case "device": device = try reader.readString()
            case "brief": brief = try reader.readBool()
            case "password": secrets.password = try reader.readString()
            case "recovery_code": secrets.recoveryCode = try reader.readString()
            case "one_time": secrets.oneTime = try reader.readString()
            default: return false
            }
            return true
        }

        func check() throws(Rejection) {
            if let device { _ = try AccountSession.canonicalName(device) }
            let isByName = secrets != ShownSecrets()
            switch (token, code, client) {
            case (nil, nil, nil) where isByName:
                guard name != nil else {
                    throw Rejection(.required, "Send a token, a code with client, or a name with a password or recovery_code", field: "name")
                }
            case _ where isByName:
                throw Rejection(.required, "Send a token, a code with client, or a name with a password or recovery_code", field: "token")
            case (_?, nil, nil): break
            case (nil, _?, let client?):
                guard RedemptionSecret.isOne(client) else {
                    throw Rejection(.invalid, "client must be 32 hexadecimal digits in lower case that your program chooses at random and keeps", field: "client")
                }
            case (nil, _?, nil): throw Rejection(.required, "A code needs client: 32 hexadecimal digits that your program chooses at random and keeps", field: "client")
            default: throw Rejection(.required, "Send a token, a code with client, or a name with a password or recovery_code", field: "token")
            }
        }
    }

    override func begin() {
        // A page of another site could sign its visitor in as somebody else.
        guard context.isOwnPage || !context.head.fields.contains("origin") else { return respond(HTTPResponse(refusal: .foreignPage)) }
        // A form, and a request without a type, need no permission from the browser; JSON does.
        guard context.head.fields.contains("content-type") else { return respond(JSONBody.otherType) }
        guard let cookie = context.cookie else { return respond(HTTPResponse(refusal: .signedOut(hasToken: false))) }
        acceptJSON(Content.self) { [self] content in
            let device = (content.device.flatMap { try? AccountSession.canonicalName($0) }) ?? ""
            let isBrief = content.brief ?? false
            if let token = content.token {
                open(token: token, device, isBrief, cookie)
            } else if let code = content.code, let client = content.client {
                open(code: code, client, content.name, device, isBrief, cookie)
            } else if let name = content.name {
                open(name: name, content.secrets, device, isBrief, cookie)
            }
        }
    }

    // MARK: Ways to sign in

    /// The token of another session of the person, which stays.
    private func open(token: String, _ device: String, _ isBrief: Bool, _ cookie: SessionCookie) {
        services.read(for: self) { reader throws(StoreFailure) in
            try reader.signIn(token: token)
        } then: { [self] found in
            guard let found, !services.access.hasEnded(found.session) else { return respond(HTTPResponse(refusal: .signedOut(hasToken: true))) }
            services.access.noteUse(of: found) { [self] isNoted in
                guard isOpen else { return }
                guard isNoted else { return respond(HTTPResponse(refusal: .busy)) }
                services.write(for: self) { store throws(StoreFailure) in
                    (try store.openSession(beside: found.session, kind: .browser, name: device, isBrief: isBrief), [])
                } then: { [self] made in open(made.token, isBrief, cookie) }
            }
        }
    }

    /// The code of an invite or of another device.
    private func open(code: String, _ client: String, _ name: String?, _ device: String, _ isBrief: Bool, _ cookie: SessionCookie) {
        lookUp(code: code, client) { [self] in
            services.write(for: self, refused: { [self] in refuse($0) }) { store throws(StoreFailure) in
                try store.redeem(code: code, nonce: client, name: name, as: .browser, device: device, isBrief: isBrief)
            } then: { [self] made in open(made.token, isBrief, cookie) }
        }
    }

    /// Signs in with the sign-in name and the password, or a recovery code. A browser in which the person has signed in
    /// before shows a cookie of its own.
    private func open(name: String, _ secrets: ShownSecrets, _ label: String, _ isBrief: Bool, _ cookie: SessionCookie) {
        let signIn = NameSignIn(name: name, secrets: secrets, device: cookie.device(in: context.head.fields), label: label)
        let new = NewSession(person: 0, kind: .browser, isBrief: isBrief)
        services.accounts.signIn(signIn, new, from: context.address) { [self] answer in
            guard isOpen else { return }
            switch answer {
            case .failure(let rejection): respond(HTTPResponse(rejection))
            case .success(let made):
                // The account must not learn a computer that does not belong to the person.
                open(made.session.token, isBrief, cookie, isBrief ? [] : [cookie.deviceField(made.device)])
            }
        }
    }
}
