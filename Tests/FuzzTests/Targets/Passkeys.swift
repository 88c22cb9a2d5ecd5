import Accounts
import Bytes
import Crypto
import HTTP1

/// Statements of browsers and authenticators: a refused one does not trap, an accepted one keeps its bounds, and nobody signs in without a key.
extension FuzzTarget {
    static let passkeys: [FuzzTarget] = [
        FuzzTarget("passkey-client", dictionary: "json") { octets in try checkClientData(octets) },
        FuzzTarget("passkey-authenticator") { octets in try checkAuthenticatorData(octets) },
        FuzzTarget("passkey") { octets in try checkPasskey(octets) },
    ]
}

func checkClientData(_ octets: [UInt8]) throws {
    guard let data = try? ClientData(octets) else { return }
    try hold(octets.count <= ClientData.maxOctets, "too long a statement was taken")
    let text = Base64.encode(data.challenge, .urlSafe)
    let again = Array(#"{"type":"\#(data.ceremony.rawValue)","challenge":"\#(text)","origin":"https://huddle.example"}"#.utf8)
    let own = try ClientData(again)
    try hold(own.ceremony == data.ceremony && own.challenge == data.challenge, "a statement does not come back")
}

func checkAuthenticatorData(_ octets: [UInt8]) throws {
    guard let data = try? AuthenticatorData(octets) else { return }
    try hold((37...AuthenticatorData.maxOctets).contains(octets.count), "a statement of \(octets.count) octets was taken")
    try hold(data.relyingPartyHash == Array(octets[..<32]), "the hash is another")
    try hold(BigEndian.load32(octets.span, at: 33) == data.counter, "the counter is another")
    try hold(data.isPresent == (octets[32] & 1 != 0) && data.isVerified == (octets[32] & 4 != 0), "the flags are others")
    guard let credential = data.credential else { return }
    try hold((1...AuthenticatorData.maxCredentialOctets).contains(credential.count), "a credential of \(credential.count) octets was taken")
    try hold(octets.dropFirst(55).starts(with: credential), "the credential is another")
}

/// The first octet says which statement comes from the input; the others are right.
func checkPasskey(_ octets: [UInt8]) throws {
    var choices = Choices(octets)
    let kind = choices.below(4)
    guard let party = RelyingParty(publicURL: "https://huddle.example"),
        // RFC 8032 §7.1, test 2: its secret key signs nothing here.
        let key = Hex.decode("302a300506032b65700321003d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
    else { throw Broken(description: "the fixed values are wrong") }
    let challenge = [UInt8](repeating: 7, count: PasskeyChallenges.octets)
    var challenges = PasskeyChallenges(entries: 2)
    challenges.add(challenge, for: .signIn, now: 0)
    let rest = choices.rest()
    let client = Array(#"{"type":"webauthn.get","challenge":"\#(Base64.encode(challenge, .urlSafe))","origin":"https://huddle.example"}"#.utf8)
    let data = Digest.sha256(Array("huddle.example".utf8)) + [5, 0, 0, 0, 9]
    var passkey = Passkey(credential: [1], algorithm: -8, key: kind == 3 ? rest : key, counter: 8)
    let before = passkey
    let answer = Passkey.Assertion(
        clientData: kind == 0 ? rest : client, authenticatorData: kind == 1 ? rest : data,
        signature: kind == 2 ? rest : [UInt8](repeating: 1, count: 64))
    var used = 0
    do throws(PasskeyRefusal) {
        try passkey.verify(answer, at: party) { octets throws(PasskeyRefusal) in
            used += 1
            try challenges.use(octets, for: .signIn, now: 1)
        }
    } catch {
        try hold(passkey == before, "a refused answer changed the passkey")
        try hold(used <= 1, "a challenge was used \(used) times")
        try hold(kind == 0 || challenges.count == 0, "a refused answer left its challenge")
        return
    }
    throw Broken(description: "somebody signed in without the key")
}
