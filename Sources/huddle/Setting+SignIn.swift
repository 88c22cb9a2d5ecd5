import Arguments
import Commands
import Family
import JSON
import Posix
import Sessions
import Sync
import Terminal
import Wire

extension Setting {
    /// Asks the server for the person of a token, and keeps the token. Another sign-in of the profile is kept beside
    /// it.
    ///
    /// - Returns: the kept profile.
    static func keep(_ token: String, from origin: String? = nil, in old: Profile, _ invocation: Invocation) throws -> Profile {
        var profile = old
        profile.origin = origin
        let address = try address(invocation, old)
        let memberships = try SingleRequest.memberships(of: token, at: address, timeoutMilliseconds: invocation.timeout)
        guard !memberships.isEmpty else { throw ProgramFailure(.refused, "This token belongs to no family. Ask a parent for an invitation code.") }
        profile.server = address.description
        profile.token = token
        profile.family = memberships.count == 1 ? memberships[0].family : nil
        if let name = invocation.family {
            guard let family = Self.family(name, among: memberships) else { throw ProgramFailure(.familyUnclear(memberships)) }
            profile.family = family
        }
        if old.token != nil, old.token != token { _ = try old.saveAside() }
        try profile.save()
        return profile
    }
}
