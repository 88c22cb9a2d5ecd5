import Bytes
import Crypto
import Testing

/// Keys and signatures of RFC 7515 A.2 and A.3 and of RFC 8032 §7.1, with the headers of RFC 5280 before the keys.
private enum Published {
    static func decoded(_ text: String) -> [UInt8] { Base64.decode(text, .urlSafe)! }

    private static func sequence(_ content: [UInt8]) -> [UInt8] { tagged(0x30, content) }
    static func integer(_ octets: [UInt8]) -> [UInt8] { tagged(0x02, (octets[0] & 0x80 != 0 ? [0] : []) + octets) }
    private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length: [UInt8] =
            content.count < 128 ? [UInt8(content.count)] : content.count < 256 ? [0x81, UInt8(content.count)] : [0x82, UInt8(content.count >> 8), UInt8(content.count & 255)]
        return [tag] + length + content
    }

    private static let text = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    static func ecKey(x: [UInt8], y: [UInt8]) -> [UInt8] {
        sequence(Hex.decode("301306072a8648ce3d020106082a8648ce3d030107")! + tagged(0x03, [0, 4] + x + y))
    }

    static func rsaKey(_ modulus: [UInt8]) -> [UInt8] {
        sequence(Hex.decode("300d06092a864886f70d0101010500")! + tagged(0x03, [0] + sequence(integer(modulus) + integer([1, 0, 1]))))
    }

    static let x = decoded("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
    static let y = decoded("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
    static let modulus = decoded(
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ")

    static let es256 = (
        key: ecKey(x: x, y: y), message: Array("eyJhbGciOiJFUzI1NiJ9.\(text)".utf8),
        signature: {
            let both = decoded("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
            return sequence(integer(Array(both[..<32])) + integer(Array(both[32...])))
        }()
    )
    static let rs256 = (
        key: rsaKey(modulus), message: Array("eyJhbGciOiJSUzI1NiJ9.\(text)".utf8),
        signature: decoded(
            "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw")
    )
    static let edDSA = (
        key: Hex.decode("302a300506032b6570032100" + "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")!, message: [0x72] as [UInt8],
        signature: Hex.decode(
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00")!
    )

    static func of(_ algorithm: SignatureAlgorithm) -> (key: [UInt8], message: [UInt8], signature: [UInt8]) {
        switch algorithm {
        case .es256: es256
        case .rs256: rs256
        case .edDSA: edDSA
        }
    }
}

@Suite("Signatures: RFC 7515 and RFC 8032")
struct PublicKeyTests {
    @Test("The published signature verifies, and no changed octet of it or of the message does", arguments: SignatureAlgorithm.allCases)
    func published(algorithm: SignatureAlgorithm) throws {
        let (octets, message, signature) = Published.of(algorithm)
        let key = try #require(PublicKey(octets, algorithm))
        #expect(key.verifies(signature, of: message))
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.verifies(changed, of: message), "octet \(index)")
        }
        for index in message.indices {
            var changed = message
            changed[index] ^= 0x80
            #expect(!key.verifies(signature, of: changed), "octet \(index)")
        }
        #expect(!key.verifies([], of: message))
        #expect(!key.verifies(signature + [0], of: message))
        #expect(!key.verifies(Array(signature.dropLast()), of: message))
        #expect(!key.verifies([UInt8](repeating: 0, count: PublicKey.maxSignatureOctets + 1), of: message))
    }

    @Test("A key serves its own algorithm only, and octets beside the key are refused", arguments: SignatureAlgorithm.allCases)
    func strict(algorithm: SignatureAlgorithm) {
        let octets = Published.of(algorithm).key
        for other in SignatureAlgorithm.allCases where other != algorithm { #expect(PublicKey(octets, other) == nil) }
        #expect(PublicKey(octets + [0], algorithm) == nil)
        for count in 0..<octets.count { #expect(PublicKey(Array(octets[..<count]), algorithm) == nil, "\(count) octets") }
        #expect(PublicKey(octets + [UInt8](repeating: 0, count: PublicKey.maxOctets), algorithm) == nil)
    }

    @Test("A point outside of the curve, another curve and a short RSA key are refused")
    func weak() {
        var y = Published.y
        y[31] ^= 1
        #expect(PublicKey(Published.ecKey(x: Published.x, y: y), .es256) == nil)
        // secp256k1, with its generator.
        let other = Hex.decode(
            "3056301006072a8648ce3d020106052b8104000a03420004" + "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
                + "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8")!
        #expect(PublicKey(other, .es256) == nil)
        #expect(PublicKey(Published.rsaKey(Array(Published.modulus.prefix(128))), .rs256) == nil)
        #expect(PublicKey(Published.rsaKey(Published.modulus + Published.modulus + Published.modulus), .rs256) == nil)
    }
}
