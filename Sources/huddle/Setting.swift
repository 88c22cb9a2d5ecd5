import Arguments
import Bytes
import Commands
import Crypto
import Family
import Posix
import Sessions
import Sync
import Wire

/// The server and the sign-in to use: from options, otherwise from the environment, otherwise from the profile. A
/// profile that an option names outranks the environment.
struct Setting {
    static let defaultServer = "ws://127.0.0.1:8787"

    let address: ServerAddress
    let token: String
    let client: Identifier
    /// The value of `--family`: an id or a name. Names are known only after the sign-in.
    let family: String?
    let profileFamily: Identifier?

    init(_ invocation: Invocation) throws {
        let profile = try Profile.load(invocation)
        address = try Self.address(invocation, profile)
        guard let token = Self.token(invocation, profile) else {
            let option = profile.place.option
            throw UsageError(
                """
                \(profile.place.emptiness) With an invitation, write:
                  huddle join CODE --server ws://HOST:PORT\(option)
                With a sign-in token, write:
                  huddle sign-in --token-file FILE --server ws://HOST:PORT\(option)
                On a terminal, huddle by itself asks for both.
                """)
        }
        self.token = token
        client = profile.client
        family = invocation.family
        // A token from another source may belong to a person who is not in the profile's family.
        profileFamily = token == profile.token ? profile.family : nil
    }

    /// The sign-in; `nil` if there is none.
    static func token(_ invocation: Invocation, _ profile: Profile) -> String? {
        let token = invocation.token ?? (profile.place.isChosen ? profile.token : Environment.value("HUDDLE_TOKEN") ?? profile.token) ?? ""
        return token.isEmpty ? nil : token
    }

    static func address(_ invocation: Invocation, _ profile: Profile) throws(UsageError) -> ServerAddress {
        let chosen = profile.place.isChosen ? profile.server : nil
        let text = invocation.server ?? chosen ?? Environment.value("HUDDLE_SERVER") ?? profile.server ?? defaultServer
        var address: ServerAddress
        do { address = try ServerAddress(text) } catch { throw UsageError(error.message) }
        address.authorities = invocation.authorities ?? Environment.value("HUDDLE_CA")
        // The problem is reported here, not at each attempt to connect.
        do { _ = try ClientConnection.trust(for: address) } catch { throw UsageError(error.message) }
        return address
    }

    /// - Parameter returnsToContext: whether the season that was shown last is shown again.
    func configuration(family: Identifier?, holdsRecords: Bool = true, returnsToContext: Bool = false) -> SyncEngine.Configuration {
        var configuration = SyncEngine.Configuration(
            token: token, client: client, family: family, holdsRecords: holdsRecords, seed: Random.uint64())
        configuration.returnsToContext = returnsToContext
        return configuration
    }

    /// The place of the cache and the outbox; `nil` without a home folder.
    var cache: CachePlace? {
        CachePlace.root.map { CachePlace(root: $0, address, token: token, family: family ?? profileFamily?.description) }
    }

    /// The family to join: the named id, or the profile's family.
    var familyIdentifier: Identifier? { family.flatMap { Identifier($0) } ?? (family == nil ? profileFamily : nil) }

    /// The family among these that `--family` names, if the value is not a whole id.
    func family(among memberships: [Membership]) -> Identifier? {
        guard let family, Identifier(family) == nil else { return nil }
        return Self.family(family, among: memberships)
    }

    /// The only family with this name, or with this beginning or end of its id.
    static func family(_ text: String, among memberships: [Membership]) -> Identifier? {
        let wanted = text.lowercased()
        let tests: [(Membership) -> Bool] = [
            { $0.name.lowercased() == wanted }, { $0.family.description.hasPrefix(wanted) || $0.family.description.hasSuffix(wanted) },
            { $0.name.lowercased().hasPrefix(wanted) },
        ]
        for test in tests {
            let found = memberships.filter(test)
            if found.count == 1 { return found.first?.family }
        }
        return nil
    }
}
