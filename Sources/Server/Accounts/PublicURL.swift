import Accounts
package import HTTP1

/// The address at which people reach the server, from the option `public-url`.
///
/// Passkeys belong to its host and work only on its pages, and browser sessions treat its pages as the server's own.
/// The server takes this from the option, never from a field of a request.
package struct PublicURL: Equatable, Sendable {
    let party: RelyingParty

    /// The only origin of the server's own pages, besides those of the names of `host`.
    package var origin: WebOrigin { party.origin }

    /// Reads `https://HOST` or `https://HOST:PORT`; `http` only for `localhost`.
    ///
    /// - Returns: `nil` for other texts: with a path, with an address in the place of the name, and plain HTTP beyond
    ///   this machine.
    package init?(_ text: String) {
        let text = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard text.split(separator: "/", omittingEmptySubsequences: false).count == 3, let party = RelyingParty(publicURL: text) else { return nil }
        self.party = party
    }
}
