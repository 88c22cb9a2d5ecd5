/// The reason why a passkey is refused. It is for the audit log: the client gets one answer for all.
package enum PasskeyRefusal: String, Error, CaseIterable, Sendable {
    /// The client data are not JSON with the members that Web Authentication names, or are too long.
    case clientData = "client_data"
    /// The client data are of the other ceremony.
    case type
    /// The challenge was not given out for this purpose, was used, or is more than 5 minutes old.
    case challenge
    /// A page of another origin, or in a frame of another page.
    case origin
    /// The authenticator data are cut, too long, or contradict themselves.
    case authenticatorData = "authenticator_data"
    /// The passkey is one of another server.
    case relyingParty = "relying_party"
    /// Nobody was at the authenticator.
    case userPresence = "user_presence"
    /// The authenticator did not check who was there.
    case userVerification = "user_verification"
    /// Not a key of a supported algorithm.
    case key
    /// The signature is wrong.
    case signature
    /// The counter of the authenticator did not rise: there may be a copy of it.
    case counter
    /// No passkey has this identifier, or it is one of another person.
    case unknown
    /// A passkey of somebody has this identifier already.
    case taken
    /// The person may not enter any of their families.
    case barred
}
