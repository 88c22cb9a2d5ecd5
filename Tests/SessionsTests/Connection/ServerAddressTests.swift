import Sessions
import Testing

@Suite("Server addresses")
struct ServerAddressTests {
    @Test("A server address is read as people write it", arguments: [
        ("ws://h:8787", "h", 8787, "/ws", false), ("http://h", "h", 80, "/ws", false), ("h:1", "h", 1, "/ws", false),
        ("wss://h", "h", 443, "/ws", true),
        ("https://h:9/x?y", "h", 9, "/x?y", true), ("ws://[::1]:2/", "::1", 2, "/ws", false),
        ("WS://127.0.0.1:3/ws", "127.0.0.1", 3, "/ws", false),
    ])
    func reads(text: String, host: String, port: Int, target: String, secure: Bool) throws {
        let address = try ServerAddress(text)
        #expect(address.host == host)
        #expect(Int(address.port) == port)
        #expect(address.target == target)
        #expect(address.isSecure == secure)
        #expect(try ServerAddress(address.description) == address)
    }

    @Test("An invalid server address is refused", arguments: [
        "", "ftp://h", "ws://", "ws://h:0", "ws://h:70000", "ws://h:x", "ws://u@h", "ws://h h", "ws://h/\n", "ws://h#x",
    ])
    func refuses(text: String) {
        #expect(throws: AddressError.self) { try ServerAddress(text) }
    }
}
