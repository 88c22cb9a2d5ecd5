/// Octets as capital letters and digits (RFC 4648 §6) without padding, as authenticator programs read secrets.
enum Base32 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    static func encode(_ octets: [UInt8]) -> String {
        var text: [UInt8] = []
        var bits = 0
        var count = 0
        for octet in octets {
            bits = (bits << 8 | Int(octet)) & 0xFFFF
            count += 8
            while count >= 5 {
                count -= 5
                text.append(digits[bits >> count & 31])
            }
        }
        if count > 0 { text.append(digits[bits << (5 - count) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }
}
