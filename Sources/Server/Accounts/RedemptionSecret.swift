/// The secret by which a client repeats a request: `nonce` in frames.
enum RedemptionSecret {
    static func isOne(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
