import Accounts
import Bytes
import Family
import HTTP1
import JSON
import Store
import Wire

/// Passkeys over HTTP, for browsers. Options have the members of Web Authentication Level 3, §5.1
/// (`PublicKeyCredentialCreationOptionsJSON` and `PublicKeyCredentialRequestOptionsJSON`); octets are base64url without
/// padding.
///
/// | path | methods | purpose |
/// | --- | --- | --- |
/// | `/passkeys` | GET POST | the passkeys of the person; adds one |
/// | `/passkeys/options` | POST | options for a new passkey |
/// | `/passkeys/<id>` | PATCH DELETE | names one; removes one |
/// | `/passkeys/sign-in/options` | POST | options for a sign-in |
/// | `/passkeys/sign-in` | POST | makes a session for the browser, in its cookie |
/// | `/passkeys/confirm/options` | POST | options for a confirmation |
/// | `/passkeys/confirm` | POST | shows a passkey, which counts for 10 minutes |
enum PasskeyRoutes {
    static func all(_ services: RequestServices) -> [RouteGroup.Resource] {
        let group = RouteGroup("/passkeys", .account)
        return [
            group.resource("", .get { .handler(PasskeyListHandler($0, services)) }, .post { .handler(PasskeyAddHandler($0, services)) }),
            group.resource("/options", .post { .handler(PasskeyOptionsHandler($0, services)) }),
            group.resource("/{id}", .patch { .handler(PasskeyRenameHandler($0, services)) }, .delete { .handler(PasskeyRemoveHandler($0, services)) }),
            group.resource("/sign-in/options", .post { .handler(PasskeySignInOptionsHandler($0, services)) }, credential: .anyone),
            group.resource("/sign-in", .post { .handler(PasskeySignInHandler($0, services)) }, credential: .anyone),
            group.resource("/confirm/options", .post { .handler(PasskeyConfirmOptionsHandler($0, services)) }),
            group.resource("/confirm", .post { .handler(PasskeyConfirmHandler($0, services)) }),
        ]
    }
}

/// A request about passkeys, which needs the option `public-url`.
class PasskeyHandler: SessionHandler {
    final var service: PasskeyService { services.accounts.passkeys }

    final override func begin() {
        guard let party = service.party else {
            return respond(
                HTTPResponse(
                    501, code: "no_public_url",
                    sentence: "This server does not accept passkeys, because its public-url is not set. Ask the person who runs it to set public-url = https://HOST."))
        }
        begin(party)
    }

    func begin(_ party: RelyingParty) {}

    final func respond(_ passkeys: [AccountPasskey], status: Int = 200) {
        respond(status) { writer in
            writer.key("passkeys")
            writer.beginArray()
            for passkey in passkeys { passkey.encode(into: &writer) }
            writer.endArray()
        }
    }

    /// Options for the use of a passkey.
    final func respond(_ challenge: [UInt8], _ party: RelyingParty, allowed: [[UInt8]]) {
        respond(200) { writer in
            writer.key("challenge")
            writer.string(Base64.encode(challenge, .urlSafe))
            writer.key("timeout")
            writer.integer(PasskeyChallenges.life)
            writer.key("rpId")
            writer.string(party.id)
            Self.encode(allowed, as: "allowCredentials", into: &writer)
            writer.key("userVerification")
            writer.string("required")
        }
    }

    static func encode(_ credentials: [[UInt8]], as key: StaticString, into writer: inout JSONWriter) {
        writer.key(key)
        writer.beginArray()
        for credential in credentials {
            writer.beginObject()
            writer.key("type")
            writer.string("public-key")
            writer.key("id")
            writer.string(Base64.encode(credential, .urlSafe))
            writer.endObject()
        }
        writer.endArray()
    }

    /// Octets in base64url.
    static func octets(_ text: String?, _ field: String, limit: Int) throws(Rejection) -> [UInt8] {
        guard let text else { throw Rejection(.required, "\(field) is required", field: field) }
        guard let octets = Base64.decode(text, .urlSafe), !octets.isEmpty, octets.count <= limit else {
            throw Rejection(.invalid, "\(field) must be at most \(limit) octets in base64url without padding", field: field)
        }
        return octets
    }
}

// MARK: Passkeys of a person

/// `GET /passkeys`.
private final class PasskeyListHandler: PasskeyHandler {
    override func begin(_ party: RelyingParty) {
        guard let signIn = context.signIn else { return }
        services.read(for: self) { reader throws(StoreFailure) in
            try reader.passkeys(ofPerson: signIn.person)
        } then: { [self] in respond($0) }
    }
}

/// `POST /passkeys/options`, without content.
private final class PasskeyOptionsHandler: PasskeyHandler {
    override func begin(_ party: RelyingParty) {
        guard let signIn = context.signIn else { return }
        services.write(for: self) { store throws(StoreFailure) in
            (try store.offerPasskey(by: signIn.session), [])
        } then: { [self] offer in
            let challenge = service.challengeToRegister(session: signIn.session, person: signIn.person)
            respond(200) { Self.encode(offer, challenge, party, into: &$0) }
        }
    }

    private static func encode(_ offer: PasskeyOffer, _ challenge: [UInt8], _ party: RelyingParty, into writer: inout JSONWriter) {
        writer.key("rp")
        writer.beginObject()
        writer.key("id")
        writer.string(party.id)
        writer.key("name")
        writer.string("Huddle")
        writer.endObject()
        writer.key("user")
        writer.beginObject()
        writer.key("id")
        writer.string(Base64.encode(offer.handle, .urlSafe))
        writer.key("name")
        writer.string(offer.name)
        writer.key("displayName")
        writer.string(offer.name)
        writer.endObject()
        writer.key("challenge")
        writer.string(Base64.encode(challenge, .urlSafe))
        writer.key("pubKeyCredParams")
        writer.beginArray()
        for algorithm in Passkey.algorithms {
            writer.beginObject()
            writer.key("type")
            writer.string("public-key")
            writer.key("alg")
            writer.integer(Int64(algorithm))
            writer.endObject()
        }
        writer.endArray()
        writer.key("timeout")
        writer.integer(PasskeyChallenges.life)
        encode(offer.credentials, as: "excludeCredentials", into: &writer)
        writer.key("authenticatorSelection")
        writer.beginObject()
        writer.key("residentKey")
        writer.string("required")
        writer.key("requireResidentKey")
        writer.boolean(true)
        writer.key("userVerification")
        writer.string("required")
        writer.endObject()
        writer.key("attestation")
        writer.string("none")
    }
}

/// `POST /passkeys` with the result of `navigator.credentials.create()`.
private final class PasskeyAddHandler: PasskeyHandler {
    private struct Content: JSONContent {
        static let maxOctets = 16_384
        static let members = "credential, client_data, authenticator_data, public_key, algorithm and name"

        var texts: [String: String] = [:]
        var algorithm: Int64?
        var name: String?
        var credential: [UInt8] = []
        var registration = Passkey.Registration(clientData: [], authenticatorData: [], key: [], algorithm: 0)

        mutating func read(_ member: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch member {
            case "credential", "client_data", "authenticator_data", "public_key": texts[member] = try reader.readString()
            case "algorithm": algorithm = try reader.readInteger()
            case "name": name = try reader.readString()
            default: return false
            }
            return true
        }

        func check() throws(Rejection) { _ = try filled() }

        func filled() throws(Rejection) -> Content {
            var content = self
            content.credential = try PasskeyHandler.octets(texts["credential"], "credential", limit: AuthenticatorData.maxCredentialOctets)
            content.registration.clientData = try PasskeyHandler.octets(texts["client_data"], "client_data", limit: ClientData.maxOctets)
            content.registration.authenticatorData = try PasskeyHandler.octets(
                texts["authenticator_data"], "authenticator_data", limit: AuthenticatorData.maxOctets)
            content.registration.key = try PasskeyHandler.octets(texts["public_key"], "public_key", limit: Passkey.maxKeyOctets)
            guard let algorithm else { throw Rejection(.required, "algorithm is required", field: "algorithm") }
            content.registration.algorithm = Int(algorithm)
            content.name = try AccountPasskey.canonicalName(name ?? "")
            return content
        }
    }

    override func begin(_ party: RelyingParty) {
        guard let signIn = context.signIn else { return }
        acceptJSON(Content.self) { [self] content in
            guard let content = try? content.filled() else { return }
            service.register(
                content.registration, as: content.credential, name: content.name ?? "", session: signIn.session, person: signIn.person
            ) { [self] answer in
                guard isOpen else { return }
                switch answer {
                case .success(let passkeys): respond(passkeys, status: 201)
                case .failure(let rejection): respond(HTTPResponse(rejection))
                }
            }
        }
    }
}

/// `PATCH /passkeys/<id>` with `{"name":"Phone"}`.
private final class PasskeyRenameHandler: PasskeyHandler {
    private struct Content: JSONContent {
        static let maxOctets = 1_024
        static let members = "name"

        var name: String?

        mutating func read(_ member: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            guard member == "name" else { return false }
            name = try reader.readString()
            return true
        }

        func check() throws(Rejection) { _ = try AccountPasskey.canonicalName(name ?? "") }
    }

    override func begin(_ party: RelyingParty) {
        guard let signIn = context.signIn else { return }
        let id = SessionRoutes.id(context)
        acceptJSON(Content.self) { [self] content in
            let name = content.name ?? ""
            services.write(for: self) { store throws(StoreFailure) in
                (try store.renamePasskey(id, to: name, by: signIn.session), [])
            } then: { [self] in respond($0) }
        }
    }
}

/// `DELETE /passkeys/<id>`.
private final class PasskeyRemoveHandler: PasskeyHandler {
    override func begin(_ party: RelyingParty) {
        guard let signIn = context.signIn else { return }
        let id = SessionRoutes.id(context)
        services.write(for: self) { store throws(StoreFailure) in
            (try store.removePasskey(id, by: signIn.session), [])
        } then: { [self] state in respond(state.passkeys) }
    }
}

// MARK: Uses

/// The answer of a browser to `navigator.credentials.get()`.
private struct PasskeyUseContent: JSONContent {
    static let maxOctets = 16_384
    static let members = "credential, client_data, authenticator_data, signature and user_handle; and, for a sign-in, if you like, device and brief"

    var texts: [String: String] = [:]
    /// The name of the session.
    var device: String?
    /// The cookie ends with the browser, and the session after a day.
    var brief: Bool?

    mutating func read(_ member: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch member {
        case "credential", "client_data", "authenticator_data", "signature", "user_handle": texts[member] = try reader.readString()
        case "device": device = try reader.readString()
        case "brief": brief = try reader.readBool()
        default: return false
        }
        return true
    }

    func check() throws(Rejection) {
        _ = try use()
        if let device { _ = try AccountSession.canonicalName(device) }
    }

    func use() throws(Rejection) -> PasskeyService.Use {
        func octets(_ field: String, _ limit: Int) throws(Rejection) -> [UInt8] { try PasskeyHandler.octets(texts[field], field, limit: limit) }
        return PasskeyService.Use(
            credential: try octets("credential", AuthenticatorData.maxCredentialOctets),
            assertion: Passkey.Assertion(
                clientData: try octets("client_data", ClientData.maxOctets),
                authenticatorData: try octets("authenticator_data", AuthenticatorData.maxOctets),
                signature: try octets("signature", Passkey.maxSignatureOctets)),
            // Level 2, §5.4.3.
            handle: texts["user_handle"] == nil ? nil : try octets("user_handle", 64))
    }
}

/// `POST /passkeys/sign-in/options`, without content.
private final class PasskeySignInOptionsHandler: PasskeyHandler {
    override func begin(_ party: RelyingParty) {
        guard context.isOwnPage || !context.head.fields.contains("origin") else { return respond(HTTPResponse(refusal: .foreignPage)) }
        switch service.challengeToSignIn(from: context.address) {
        case .success(let challenge): respond(challenge, party, allowed: [])
        case .failure(let rejection): respond(HTTPResponse(rejection))
        }
    }
}

/// `POST /passkeys/sign-in`: makes a session for a browser, in its cookie.
private final class PasskeySignInHandler: PasskeyHandler {
    override func begin(_ party: RelyingParty) {
        // As for POST /session: a page of another site could sign its visitor in as somebody else, and JSON needs the
        // browser's permission.
        guard context.isOwnPage || !context.head.fields.contains("origin") else { return respond(HTTPResponse(refusal: .foreignPage)) }
        guard context.head.fields.contains("content-type") else { return respond(JSONBody.otherType) }
        guard let cookie = context.cookie else { return respond(HTTPResponse(refusal: .signedOut(hasToken: false))) }
        acceptJSON(PasskeyUseContent.self) { [self] content in
            guard let use = try? content.use() else { return }
            // Refusals share the limit per address with codes and passwords.
            if let wait = services.accounts.codeWait(context.address) { return respond(HTTPResponse(PasskeyService.tooMany(retryAfter: wait))) }
            let isBrief = content.brief ?? false
            let name = (content.device.flatMap { try? AccountSession.canonicalName($0) }) ?? ""
            service.signIn(use, NewSession(person: 0, kind: .browser, name: name, isBrief: isBrief)) { [self] answer in
                if case .failure(let rejection) = answer, rejection.code == .passkeyRefused { services.accounts.missedCode(context.address) }
                guard isOpen else { return }
                switch answer {
                case .success(let made): open(made.token, isBrief, cookie)
                case .failure(let rejection): respond(HTTPResponse(rejection))
                }
            }
        }
    }
}

/// `POST /passkeys/confirm/options`, without content.
private final class PasskeyConfirmOptionsHandler: PasskeyHandler {
    override func begin(_ party: RelyingParty) {
        guard let signIn = context.signIn else { return }
        services.read(for: self) { reader throws(StoreFailure) in
            try reader.passkeyCredentials(ofPerson: signIn.person)
        } then: { [self] credentials in
            guard !credentials.isEmpty else {
                return respond(HTTPResponse(Rejection(.contradicted, "You have no passkey to confirm with. Nothing was changed")))
            }
            respond(service.challengeToConfirm(session: signIn.session, person: signIn.person), party, allowed: credentials)
        }
    }
}

/// `POST /passkeys/confirm`.
private final class PasskeyConfirmHandler: PasskeyHandler {
    override func begin(_ party: RelyingParty) {
        guard let signIn = context.signIn else { return }
        acceptJSON(PasskeyUseContent.self) { [self] content in
            guard let use = try? content.use() else { return }
            service.confirm(use, session: signIn.session, person: signIn.person) { [self] answer in
                guard isOpen else { return }
                switch answer {
                case .success(let state): respond(200) { AccountAnswer(state: state).encode(into: &$0) }
                case .failure(let rejection): respond(HTTPResponse(rejection))
                }
            }
        }
    }
}
