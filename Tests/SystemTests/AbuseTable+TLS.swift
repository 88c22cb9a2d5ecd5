import TestSupport

/// Octets on a port for TLS that are not a handshake of ours (RFC 8446 §4.1.2, §5.1, §6.2; RFC 5246 §7.2).
extension AbuseCase {
    private static let (unexpectedMessage, badRecordMac, recordOverflow): (UInt8, UInt8, UInt8) = (10, 20, 22)
    private static let (handshakeFailure, illegalParameter, decodeError, protocolVersion, internalError): (UInt8, UInt8, UInt8, UInt8, UInt8) =
        (40, 47, 50, 70, 80)
    /// No parser of TLS has to name the fault in the same words.
    private static let anyRefusal = [
        unexpectedMessage, badRecordMac, recordOverflow, handshakeFailure, illegalParameter, decodeError, protocolVersion, internalError,
    ]

    private static func record(_ type: UInt8, _ payload: [UInt8], version: [UInt8] = [3, 1]) -> [UInt8] {
        [type] + version + [UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
    }

    /// A whole ClientHello of TLS 1.2 or less: one suite, no extension but the groups and signatures that it needs.
    private static func hello(version: [UInt8] = [3, 3], suites: [UInt8] = [0xC0, 0x2B]) -> [UInt8] {
        let extensions: [UInt8] = [0, 10, 0, 4, 0, 2, 0, 23, 0, 11, 0, 2, 1, 0, 0, 13, 0, 4, 0, 2, 4, 3]
        let body =
            version + [UInt8](repeating: 0x5A, count: 32) + [0, 0, UInt8(suites.count)] + suites + [1, 0, 0, UInt8(extensions.count)] + extensions
        return record(22, [1, 0, 0, UInt8(body.count)] + body)
    }

    private static func tls(_ name: String, _ octets: [UInt8], _ outcome: Outcome) -> AbuseCase {
        AbuseCase(name: "TLS port: " + name, steps: [.send(octets)], outcome: outcome)
    }

    private static func noise(_ seed: Int, _ count: Int) -> [UInt8] {
        var random = SplitMix64(seed: UInt64(seed))
        return random.octets(count)
    }

    /// Refused immediately.
    static let secure: [AbuseCase] = {
        let plain = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        return [
            tls("plain HTTP", plain, .status([400])), tls("a plain WebSocket", upgrade + text("{}"), .status([400])),
            // Of SSL 2: two octets of length with the highest bit, type 1, version 0.2.
            tls("a hello of SSL 2", [0x80, 0x1C, 1, 0, 2, 0, 3, 0, 0, 0, 16, 1, 0, 0x80] + [UInt8](repeating: 7, count: 16), .alert(anyRefusal)),
            tls("a hello of SSL 3", hello(version: [3, 0]), .alert([protocolVersion, handshakeFailure])),
            tls("a hello of TLS 1.0", hello(version: [3, 1]), .alert([protocolVersion])),
            tls("a hello of TLS 1.1", hello(version: [3, 2]), .alert([protocolVersion])),
            tls("a hello with no suite of ours", hello(suites: [0, 5]), .alert([handshakeFailure])),
            tls("a hello without a suite", hello(suites: []), .alert(anyRefusal)),
            tls("application data first", record(23, plain), .alert(anyRefusal)),
            tls("a change of cipher first", record(20, [1]), .alert(anyRefusal)),
            tls("an alert first", record(21, [2, 40]), .end),
            tls("a record type that is not", record(99, plain), .alert(anyRefusal)),
            tls("a record longer than may be", [22, 3, 1, 0xFF, 0xFF] + [UInt8](repeating: 1, count: 20_000), .alert(anyRefusal)),
            tls("a handshake message of 16 MiB", record(22, [1, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 100)), .alert(anyRefusal)),
            tls("a server's hello", record(22, [2, 0, 0, 2, 3, 3]), .alert(anyRefusal)),
            tls("a hello, and octets instead of the keys", hello() + noise(7, 200), .alert(anyRefusal)),
            tls("a hello twice", hello() + hello(), .alert(anyRefusal)),
            AbuseCase(name: "TLS port: half a hello and the end", steps: [.send(Array(hello().prefix(40))), .finish], outcome: .end),
        ]
    }()

    /// Ended by the timer of the handshake, some of the noise immediately: OpenSSL answers nothing to octets that are not a record.
    static let secureDrips: [AbuseCase] =
        [
            AbuseCase(name: "TLS port: says nothing", steps: [], outcome: .end),
            tls("empty records", record(22, []) + record(22, []), .end),
        ] + (1...40).map { tls("noise \($0)", noise($0, 400), .end) }
        + stride(from: 1, to: hello().count, by: 9).map { count in
            AbuseCase(name: "TLS port: \(count) octets of a hello, and silence", steps: [.send(Array(hello().prefix(count)))], outcome: .end)
        } + [
            AbuseCase(name: "TLS port: a hello octet by octet", steps: hello().map { .drip([$0], every: 300, times: 1) }, outcome: .end),
            AbuseCase(name: "TLS port: a hello, and silence", steps: [.send(hello())], outcome: .end),
        ]
        + stride(from: 0, through: hello().count, by: 5).map {
            AbuseCase(name: "TLS port: gone after \($0) octets", steps: [.send(Array(hello().prefix($0))), .cut], outcome: .nothing)
        }
}
