import Bytes
import Family
import HTTP1
import JSON
import Store
import Wire

/// The ways in which a person signs in, over HTTP: the counterpart of `account` and the related frames on the socket.
///
/// | path | methods | purpose |
/// | --- | --- | --- |
/// | `/account` | GET | the sign-in name, whether there is a second factor, how many recovery codes are left |
/// | `/account/confirm` | POST | shows the password again |
/// | `/account/password` | PUT DELETE | sets name and password; removes them |
/// | `/account/factor` | POST PUT DELETE | draws a second factor; confirms it; removes it |
/// | `/account/recovery-codes` | POST | makes recovery codes |
/// | `/account/mail` | PUT POST DELETE | sends a code to an e-mail address; confirms it; removes it |
/// | `/account/recovery` | POST | asks for a mail with a code, without a session |
/// | `/families/<id>/members/<id>/recovery` | POST | makes a code with which a member can sign in again |
enum AccountRoutes {
    static func all(_ services: RequestServices) -> [RouteGroup.Resource] {
        let group = RouteGroup("/account", .account)
        func plain(_ act: AccountAct) -> (RequestContext) -> HTTPAnswer { { .handler(AccountChangeHandler($0, services) { _ in act }) } }
        return [
            group.resource("", .get(plain(.show))),
            group.resource("/confirm", .post { .handler(AccountContentHandler($0, services, ["password", "recovery_code", "one_time"]) { .confirm($0.secrets) }) }),
            group.resource(
                "/password",
                .init("PUT") {
                    .handler(AccountContentHandler($0, services, ["name", "password"]) { .setPassword(name: $0.name ?? "", password: $0.secrets.password ?? "") })
                }, .delete(plain(.removePassword))),
            group.resource(
                "/factor", .post(plain(.addFactor)),
                .init("PUT") { .handler(AccountContentHandler($0, services, ["one_time"]) { .confirmFactor(oneTime: $0.secrets.oneTime ?? "") }) },
                .delete(plain(.removeFactor))),
            group.resource("/recovery-codes", .post(plain(.makeRecoveryCodes))),
            group.resource(
                "/mail", .init("PUT") { .handler(AccountContentHandler($0, services, ["address"]) { .setMail($0.address ?? "") }) },
                .post { .handler(AccountContentHandler($0, services, ["code"]) { .confirmMail(code: $0.code ?? "") }) }, .delete(plain(.removeMail))),
            group.resource("/recovery", .post { .handler(RecoveryMailHandler($0, services)) }, credential: .anyone),
            RouteGroup("/families", .account).resource(
                "/{family}/members/{member}/recovery",
                .post {
                    .handler(
                        AccountChangeHandler($0, services) { context in
                            // An id of another form belongs to nobody.
                            let none = Identifier(high: 0, low: 0)
                            return .recoverMember(
                                Identifier(context.path["member"]) ?? none, family: Identifier(context.path["family"]) ?? none)
                        })
                }),
        ]
    }
}

/// A request about the account without content.
private class AccountChangeHandler: SessionHandler {
    private let act: (RequestContext) -> AccountAct

    init(_ context: RequestContext, _ services: RequestServices, _ act: @escaping (RequestContext) -> AccountAct) {
        self.act = act
        super.init(context, services)
    }

    override func begin() { perform(act(context)) }

    final func perform(_ act: AccountAct) {
        guard let signIn = context.signIn else { return }
        services.accounts.perform(act, session: signIn.session, person: signIn.person) { [self] answer in
            guard isOpen else { return }
            switch answer {
            case .success(let answer):
                let device = answer.device.flatMap { secret in context.cookie.map { [$0.deviceField(secret)] } } ?? []
                // A browser gets the secret of the device in a cookie, which scripts cannot read.
                var shown = answer
                if context.head.fields.contains("cookie") { shown.device = nil }
                respond(200, device) { shown.encode(into: &$0) }
            case .failure(let rejection): respond(HTTPResponse(rejection))
            }
        }
    }
}

/// A request about the account with content.
private final class AccountContentHandler: AccountChangeHandler {
    struct Content: JSONContent {
        static let maxOctets = 4_096
        static let members = "name, password, recovery_code, one_time, address or code"

        var name: String?
        var secrets = ShownSecrets()
        var address: String?
        var code: String?
        var given: Set<String> = []

        mutating func read(_ member: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch member {
            case "name": name = try reader.readString()
            case "password": secrets.password = try reader.readString()
            case "recovery_code": secrets.recoveryCode = try reader.readString()
            case "one_time": secrets.oneTime = try reader.readString()
            case "address": address = try reader.readString()
            case "code": code = try reader.readString()
            default: return false
            }
            given.insert(member)
            return true
        }

        func check() throws(Rejection) {}
    }

    private let members: [String]
    private let fill: (Content) -> AccountAct

    /// - Parameters:
    ///   - members: the members of the content; `confirm` requires some of them, the other requests all.
    init(_ context: RequestContext, _ services: RequestServices, _ members: [String], _ fill: @escaping (Content) -> AccountAct) {
        self.members = members
        self.fill = fill
        super.init(context, services) { _ in .show }
    }

    override func begin() {
        acceptJSON(Content.self) { [self] content in
            let act = fill(content)
            if let other = content.given.subtracting(members).min() {
                return respond(HTTPResponse(Rejection(.invalid, "The content must be a JSON object with \(members.joined(separator: ", "))", field: other)))
            }
            if case .confirm = act { return perform(act) }
            guard let missing = members.first(where: { !content.given.contains($0) }) else { return perform(act) }
            respond(HTTPResponse(Rejection(.required, "\(missing) is required", field: missing)))
        }
    }
}
