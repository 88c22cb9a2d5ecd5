import Bytes
import Deflate
import HTTP1

@testable import WebSocket

extension FuzzTarget {
    static let compression: [FuzzTarget] = [
        FuzzTarget("ws-deflate-said") { octets in try checkCompressor(octets) },
        FuzzTarget("ws-negotiation", dictionary: "http") { octets in try checkNegotiation(octets) },
        FuzzTarget("inflate") { octets in try checkInflater(octets) },
    ]
}

/// Any octets as a stream: the output never exceeds the space, and is the same however the stream is cut.
func checkInflater(_ octets: [UInt8]) throws {
    var choices = Choices(octets)
    let bits = 8 + choices.below(8)
    let room = choices.pick([1, 7, 100, 4_096])
    var cuts = Choices(choices.take(4))
    let stream = choices.rest()
    func inflate(_ size: () -> Int) throws -> (octets: [UInt8], isCorrupt: Bool) {
        let inflater = Inflater(windowBits: bits)
        var output: [UInt8] = []
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
        defer { memory.deallocate() }
        var position = 0
        while position < stream.count, output.count < 1 << 16 {
            let piece = Array(stream[position..<min(stream.count, position + size())])
            position += piece.count
            do {
                try piece.withUnsafeBytes { raw in
                    var left = raw
                    while true {
                        let count = try inflater.inflate(&left, into: memory)
                        try hold(count <= room, "\(count) octets in room for \(room)")
                        output += memory[..<count]
                        if left.isEmpty, count < room { break }
                        if output.count >= 1 << 16 { break }
                    }
                }
            } catch is CorruptStream { return (output, true) }
        }
        return (Array(output.prefix(1 << 16)), false)
    }
    let whole = try inflate { max(1, stream.count) }
    let cut = try inflate { 1 + cuts.below(16) }
    // A distance that is too large is found only if zlib has to use its window, which depends on the pieces.
    if !whole.isCorrupt, !cut.isCorrupt { try hold(whole.octets == cut.octets, "cut, it inflates to something else") }
}

private func terms(_ choices: inout Choices) -> CompressionTerms {
    CompressionTerms(
        serverKeepsContext: choices.chance(), clientKeepsContext: choices.chance(), serverWindowBits: 8 + choices.below(8),
        clientWindowBits: 8 + choices.below(8))
}

/// The other side's decoder returns the messages of our deflater: repetitive ones, others, of all lengths, in their
/// order.
func checkCompressor(_ octets: [UInt8]) throws {
    var choices = Choices(octets)
    let terms = terms(&choices)
    let isClient = choices.chance()
    let pool = MessagePool()
    var deflater = MessageDeflater(terms, role: isClient ? .client : .server, threshold: choices.pick([0, 1, 100]), pool: pool)
    var decoder = WebSocketDecoder(
        role: isClient ? .server : .client, limits: WebSocketLimits(maxMessage: 1 << 20, maxFragments: 1_000),
        pool: choices.chance() ? pool : nil)
    decoder.accept(compression: terms)
    var steps = 0
    while !choices.isEmpty, steps < 24 {
        steps += 1
        let unit = choices.take(1 + choices.below(24)) + [0x20]
        var payload: [UInt8] = []
        for _ in 0...choices.pick([0, 1, 5, 60, 400]) { payload += unit }
        let mask: UInt32? = isClient ? 0x1020_3040 : nil
        var stream: [UInt8] = []
        payload.withUnsafeBytes { raw in
            if let deflated = deflater.deflate(raw) {
                WebSocketEncoder.append(.binary, deflated, isFinal: true, isCompressed: true, maskKey: mask, to: &stream)
            } else {
                WebSocketEncoder.append(.binary, raw, isFinal: true, maskKey: mask, to: &stream)
            }
        }
        var said: [UInt8]?
        try stream.withUnsafeMutableBytes { raw in
            decoder.feed(raw)
            while let event = try decoder.next() {
                guard case .message(.binary, let octets) = event, said == nil else { throw Broken(description: "something else is said") }
                said = Array(octets)
            }
        }
        try hold(said == payload, "a message of \(payload.count) octets comes back as \(said?.count ?? -1)")
    }
}

/// Any list of extensions as an offer: the client that made the offer accepts the server's reply, and both read the
/// same terms.
func checkNegotiation(_ octets: [UInt8]) throws {
    var choices = Choices(octets)
    let policy = choices.pick([CompressionPolicy.generous, .shared])
    let offer = CompressionOffer(
        serverNoContextTakeover: choices.chance(), clientNoContextTakeover: choices.chance(),
        serverMaxWindowBits: choices.chance() ? 8 + choices.below(8) : nil,
        clientMaxWindowBits: choices.chance() ? 8 + choices.below(8) : nil)
    let value = String(decoding: choices.rest(), as: UTF8.self)
    let basics = [
        Field("Host", "h"), Field("Upgrade", "websocket"), Field("Connection", "Upgrade"), Field("Sec-WebSocket-Version", "13"),
        Field("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
    ]
    // Another client's offer.
    let head = RequestHead(method: "GET", target: "/", fields: HTTPFields(basics + [Field("Sec-WebSocket-Extensions", value)]))
    if let handshake = try? WebSocketHandshake.accept(head, compression: policy), let terms = handshake.compression {
        try hold((8...15).contains(terms.serverWindowBits) && (8...15).contains(terms.clientWindowBits), "a window of \(terms)")
        guard let (answer, _) = try ResponseHead.parse(handshake.response.span) else { throw Broken(description: "no response") }
        try hold(answer.fields.members("sec-websocket-extensions").count == 1, "more than one extension is granted")
    }
    // Our own offer, and another server's reply.
    let client = WebSocketClientHandshake(host: "h", compression: offer, nonce: [UInt8](repeating: 0, count: 16))
    let strange = ResponseHead(
        101,
        [
            Field("Upgrade", "websocket"), Field("Connection", "Upgrade"), Field("Sec-WebSocket-Accept", "ICX+Yqv66kxgM0FcWaLWlFLwTAI="),
            Field("Sec-WebSocket-Extensions", value),
        ])
    if let terms = try? client.compression(in: strange) {
        try hold((8...15).contains(terms.serverWindowBits) && (8...15).contains(terms.clientWindowBits), "a window of \(terms)")
        try hold(terms.serverWindowBits <= offer.serverMaxWindowBits ?? 15, "a window that was not offered")
    }
    // Both ends are our own.
    guard let (request, _) = try RequestHead.parse(client.request.span) else { throw Broken(description: "our own request is none") }
    let handshake = try WebSocketHandshake.accept(request, compression: policy)
    guard let (answer, _) = try ResponseHead.parse(handshake.response.span) else { throw Broken(description: "our own response is none") }
    _ = try client.check(answer)
    let agreed = try client.compression(in: answer)
    try hold(agreed?.serverKeepsContext == handshake.compression?.serverKeepsContext, "who keeps what")
    try hold(agreed?.clientKeepsContext == handshake.compression?.clientKeepsContext, "who keeps what")
    // A client may use a smaller window than allowed; the server has to support the declared one.
    try hold(
        (agreed?.clientWindowBits ?? 15) <= (handshake.compression?.clientWindowBits ?? 15),
        "the client's window is larger than the server knows")
    try hold(
        (agreed?.serverWindowBits ?? 15) >= (handshake.compression?.serverWindowBits ?? 0),
        "the server's window is larger than the client knows")
}
