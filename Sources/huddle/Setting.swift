import Arguments
import Bytes
import Commands
import Crypto
import Family
import Posix
import Sessions
import Sync
import Wire

/// Where to connect and as whom: options, else the environment, else the profile. A profile that an option names outranks the environment.
struct Setting {
    static let defaultServer = "ws://127.0.0.1:8787"

    let address: ServerAddress
    let token: String
    let client: Identifier
    /// What `--family` says; an id or a name. Names are known only after the sign-in.
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
        // A token from elsewhere may belong to somebody who is not in the profile's family.
        profileFamily = token == profile.token ? profile.family : nil
    }

    /// The sign-in; `nil` when there is none.
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
        // Said now rather than at each attempt to connect.
        do { _ = try ClientConnection.trust(for: address) } catch { throw UsageError(error.message) }
        return address
    }

    /// - Parameter returnsToContext: the season that was looked at last is looked at again.
    func configuration(family: Identifier?, holdsRecords: Bool = true, returnsToContext: Bool = false) -> SyncEngine.Configuration {
        var configuration = SyncEngine.Configuration(
            token: token, client: client, family: family, holdsRecords: holdsRecords, seed: Random.uint64())
        configuration.returnsToContext = returnsToContext
        return configuration
    }

    /// Where what is known and what waits is kept; `nil` without a home.
    var cache: CachePlace? {
        CachePlace.root.map { CachePlace(root: $0, address, token: token, family: family ?? profileFamily?.description) }
    }

    /// The family to join: the id that was named, or the profile's.
    var familyIdentifier: Identifier? { family.flatMap { Identifier($0) } ?? (family == nil ? profileFamily : nil) }

    /// The family that `--family` means among those there are, when it is no whole id.
    func family(among memberships: [Membership]) -> Identifier? {
        guard let family, Identifier(family) == nil else { return nil }
        return Self.family(family, among: memberships)
    }

    /// The one family that a name, or the beginning or end of an id, means.
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
