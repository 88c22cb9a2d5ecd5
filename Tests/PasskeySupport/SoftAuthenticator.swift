package import Accounts
import Bytes
import COpenSSL
package import Crypto

/// An authenticator with one key, as a browser shows it to a page.
package final class SoftAuthenticator {
    package let algorithm: SignatureAlgorithm
    package let credential = Random.octets(32)
    package var counter: UInt32 = 1
    /// UP and UV.
    package var flags: UInt8 = 0x05
    package var origin = "https://huddle.example"
    package var party = "huddle.example"
    package var type: String?
    package var extraMember = ""
    private let key: OpaquePointer

    package init(_ algorithm: SignatureAlgorithm) {
        self.algorithm = algorithm
        let name =
            switch algorithm {
            case .es256: "EC"
            case .edDSA: "ED25519"
            case .rs256: "RSA"
            }
        let context = EVP_PKEY_CTX_new_from_name(nil, name, nil)
        defer { EVP_PKEY_CTX_free(context) }
        precondition(EVP_PKEY_keygen_init(context) == 1)
        if algorithm == .es256 { precondition(EVP_PKEY_CTX_set_group_name(context, "P-256") == 1) }
        var made: OpaquePointer?
        precondition(EVP_PKEY_keygen(context, &made) == 1)
        key = made!
    }

    deinit { EVP_PKEY_free(key) }

    package var spki: [UInt8] {
        var start: UnsafeMutablePointer<UInt8>?
        let count = Int(i2d_PUBKEY(key, &start))
        defer { CRYPTO_free(start, "", 0) }
        return Array(UnsafeBufferPointer(start: start, count: count))
    }

    package func sign(_ message: [UInt8]) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        precondition(EVP_DigestSignInit(context, nil, algorithm == .edDSA ? nil : EVP_sha256(), nil, key) == 1)
        var count = 1_024
        var signature = [UInt8](repeating: 0, count: count)
        precondition(EVP_DigestSign(context, &signature, &count, message, message.count) == 1)
        return Array(signature[..<count])
    }

    private func clientData(_ challenge: [UInt8], _ ceremony: ClientData.Ceremony) -> [UInt8] {
        Array(
            #"{"type":"\#(type ?? ceremony.rawValue)","challenge":"\#(Base64.encode(challenge, .urlSafe))","origin":"\#(origin)"\#(extraMember)}"#.utf8)
    }

    private func statement(flags: UInt8) -> [UInt8] {
        var octets = Digest.sha256(Array(party.utf8)) + [flags]
        BigEndian.append(counter, to: &octets)
        return octets
    }

    package func register(_ challenge: [UInt8]) -> Passkey.Registration {
        var data = statement(flags: flags | 0x40) + [UInt8](repeating: 0, count: 16)
        BigEndian.append(UInt16(credential.count), to: &data)
        // The key in CBOR, which the server does not read.
        data += credential + [0xA5, 0x01, 0x02]
        return .init(clientData: clientData(challenge, .register), authenticatorData: data, key: spki, algorithm: algorithm.rawValue)
    }

    package func assert(_ challenge: [UInt8]) -> Passkey.Assertion {
        let (client, data) = (clientData(challenge, .signIn), statement(flags: flags))
        return .init(clientData: client, authenticatorData: data, signature: sign(data + Digest.sha256(client)))
    }
}
