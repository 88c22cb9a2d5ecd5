import Bytes
import HTTP1

@testable import WebSocket

extension FuzzTarget {
    static let webSockets: [FuzzTarget] = [
        FuzzTarget("ws-server") { octets in try checkDecoder(octets, role: .server) },
        FuzzTarget("ws-client") { octets in try checkDecoder(octets, role: .client) },
        FuzzTarget("ws-deflate") { octets in
            // A window of 15 bits: with a smaller one, a distance past the window is refused only if zlib has output
            // those octets.
            var choices = Choices(octets)
            let keeps = choices.chance()
            let terms = CompressionTerms(serverKeepsContext: keeps, clientKeepsContext: keeps, serverWindowBits: 15, clientWindowBits: 15)
            try checkDecoder(choices.rest(), role: .client, terms: terms)
        },
        FuzzTarget("ws-inflate") { octets in
            var choices = Choices(octets)
            let terms = CompressionTerms(
                serverKeepsContext: choices.chance(), clientKeepsContext: choices.chance(), serverWindowBits: 8 + choices.below(7),
                clientWindowBits: 8 + choices.below(7))
            try checkDecoder(choices.rest(), role: choices.chance() ? .server : .client, terms: terms)
        },
        FuzzTarget("ws-extensions") { octets in try checkExtensions(octets) },
        FuzzTarget("ws-said") { octets in try checkEncoder(octets) },
        FuzzTarget("ws-close") { octets in try checkCloseState(octets) },
    ]
}

/// An event that owns its octets.
private enum Said: Equatable {
    case message(MessageKind, [UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(UInt16?, String)
    case failure(WebSocketError)
}

private func decode(
    _ pieces: [[UInt8]], role: WebSocketRole, limits: WebSocketLimits, terms: CompressionTerms? = nil, takesBack: Bool = false
) throws -> [Said] {
    var decoder = WebSocketDecoder(role: role, limits: limits)
    if let terms { decoder.accept(compression: terms) }
    var said: [Said] = []
    var left = Array(pieces.reversed())
    while let piece = left.popLast() {
        // Memory of exactly this size, so that the sanitizer detects an access past its end; released afterwards.
        let lent = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
        defer { lent.deallocate() }
        lent.copyBytes(from: piece)
        decoder.feed(lent)
        do {
            next: while let event = try decoder.next() {
                defer { if takesBack { left.append(Array(decoder.takeBack())) } }
                switch event {
                case .message(let kind, let octets): said.append(.message(kind, Array(octets)))
                case .ping(let octets): said.append(.ping(Array(octets)))
                case .pong(let octets): said.append(.pong(Array(octets)))
                case .close(let code, let reason): said.append(.close(code, reason))
                }
                if takesBack { break next }
            }
        } catch { said.append(.failure(error)) }
        try hold(decoder.heldOctets <= limits.maxMessage + maxControlPayload + 512, "\(decoder.heldOctets) octets are held")
    }
    return said
}

private func isSmallWindow(_ terms: CompressionTerms?) -> Bool {
    terms.map { $0.serverWindowBits < 15 || $0.clientWindowBits < 15 } ?? false
}

/// The first octets choose limits and cuts, the rest is the stream: however it is cut, the events are the same.
func checkDecoder(_ octets: [UInt8], role: WebSocketRole, terms: CompressionTerms? = nil) throws {
    var choices = Choices(octets)
    let limits = WebSocketLimits(
        maxMessage: choices.pick([0, 1, 125, 126, 300, 70_000, 1 << 20]), maxFragments: choices.pick([1, 2, 3, 1_000]))
    var cuts = Choices(choices.take(4))
    let stream = choices.rest()
    let whole = try decode([stream], role: role, limits: limits, terms: terms)
    var pieces: [[UInt8]] = []
    var left = stream[...]
    while !left.isEmpty {
        // One octet at a time when the choices are used up.
        let piece = left.prefix(1 + cuts.below(64))
        pieces.append(Array(piece))
        left = left.dropFirst(piece.count)
    }
    for (split, takesBack) in [(pieces, false), (stream.map { [$0] }, false), ([stream], true)] {
        let said = try decode(split, role: role, limits: limits, terms: terms, takesBack: takesBack)
        if isSmallWindow(terms), [said.last, whole.last].contains(.failure(.compressionInvalid)) {
            // A distance past the window is refused only if zlib has output those octets, which depends on the pieces.
            let count = max(0, min(said.count, whole.count) - 1)
            try hold(said[..<count] == whole[..<count], "cut, the stream says \(said); whole it says \(whole)")
        } else {
            try hold(said == whole, "cut, the stream says \(said); whole it says \(whole)")
        }
    }
    for (index, event) in whole.enumerated() {
        switch event {
        case .message(let kind, let payload):
            try hold(payload.count <= limits.maxMessage, "a message of \(payload.count) octets")
            try hold(kind == .binary || String(validating: payload, as: UTF8.self) != nil, "a text that is not UTF-8")
        case .ping(let payload), .pong(let payload): try hold(payload.count <= 125, "a control frame of \(payload.count) octets")
        case .close(let code, _):
            try hold(code.map(WebSocketCloseCode.mayTravel) ?? true, "close code \(code ?? 0)")
            try hold(index == whole.count - 1, "something is said after the close")
        case .failure: try hold(index == whole.count - 1, "something is said after the failure")
        }
    }
}

/// A field that was read is the same after writing and reading it, and a client accepts a server's reply to its offer.
func checkExtensions(_ octets: [UInt8]) throws {
    let lines = octets.split(separator: 0x0A).map { Field("sec-websocket-extensions", String(decoding: $0, as: UTF8.self)) }
    guard let elements = ExtensionElement.read(HTTPFields(lines)) else { return }
    let again = ExtensionElement.read(HTTPFields(elements.map { Field("sec-websocket-extensions", $0.text) }))
    try hold(again == elements, "\(elements) is read as \(again ?? [])")
    for element in elements {
        guard let offer = CompressionOffer(element) else { continue }
        try hold(CompressionOffer(offer.element) == offer, "\(offer) is read differently")
        for policy in [CompressionPolicy.generous, .shared] {
            guard let (terms, answer) = policy.choose([element]) else { continue }
            let taken = offer.terms(answer: answer)
            try hold(taken != nil, "\(answer.text) is not taken for \(offer)")
            try hold(taken?.clientWindowBits == terms.clientWindowBits, "\(offer), \(answer.text): the client's windows differ")
            try hold(taken?.serverKeepsContext == terms.serverKeepsContext, "\(offer), \(answer.text): the server's memories differ")
            try hold((taken?.serverWindowBits ?? 0) >= terms.serverWindowBits, "\(offer), \(answer.text): the server's window is too large")
        }
    }
}

/// The other side's decoder returns the events of our own encoder, in any order of frames.
func checkEncoder(_ octets: [UInt8]) throws {
    var choices = Choices(octets)
    let isClient = choices.chance()
    var stream: [UInt8] = []
    var expected: [Said] = []
    var steps = 0
    while !choices.isEmpty, steps < 64 {
        steps += 1
        let mask: UInt32? = isClient ? UInt32(choices.octet()) &* 0x0101_0307 : nil
        let kind = choices.below(5)
        // Lengths around the limits of the three length forms, with repeated octets, so that small inputs reach them.
        let length = choices.pick([0, 1, 7, 8, 124, 125, 126, 127, 65_535, 65_536])
        let payload = [UInt8](repeating: choices.octet() & 0x7F, count: kind >= 2 ? min(length, 125) : length)
        switch kind {
        case 0:
            stream += WebSocketEncoder.frame(.text, payload, maskKey: mask)
            expected.append(.message(.text, payload))
        case 1:
            stream += WebSocketEncoder.frame(.binary, payload, maskKey: mask)
            expected.append(.message(.binary, payload))
        case 2:
            stream += WebSocketEncoder.ping(payload, maskKey: mask)
            expected.append(.ping(payload))
        case 3:
            stream += payload.withUnsafeBytes { WebSocketEncoder.pong($0, maskKey: mask) }
            expected.append(.pong(payload))
        default:
            let code = choices.pick([UInt16(1000), 1001, 1011, 3000, 4999])
            let reason = String(decoding: payload.prefix(123), as: UTF8.self)
            stream += WebSocketEncoder.close(code, reason: reason, maskKey: mask)
            expected.append(.close(code, reason))
        }
        if kind == 4 { break }
    }
    let said = try decode(
        [stream], role: isClient ? .server : .client, limits: WebSocketLimits(maxMessage: 1 << 17, maxFragments: 1))
    try hold(said == expected, "\(said.count) of \(expected.count) events come back")
}

/// Any order of inputs: at most one close frame, at most one drop, nothing after it.
func checkCloseState(_ octets: [UInt8]) throws {
    var choices = Choices(octets)
    var state = CloseState()
    var closes = 0
    var drops = 0
    while !choices.isEmpty {
        let before = state.phase
        let code: UInt16? = choices.chance() ? 1000 + UInt16(choices.octet()) : nil
        let action =
            switch choices.below(6) {
            case 0: state.close(code)
            case 1: state.didReceiveClose(code)
            case 2: state.didFail(code ?? 1002)
            case 3: state.didFlush()
            case 4: state.timerFired()
            default: state.streamEnded()
            }
        switch action {
        case .sendClose, .sendCloseAndFinish:
            closes += 1
            try hold(before == .open, "a close frame is sent in \(before)")
        case .drop: drops += 1
        case .finish, .nothing: break
        }
        try hold(before != .closed || action == .nothing, "\(action) after the end")
        try hold((state.phase == .closed) == (drops == 1), "dropped \(drops) times in \(state.phase)")
        try hold(closes <= 1, "\(closes) close frames")
        try hold(state.phase != .closed || state.peerCode != nil, "the end has no code")
    }
}
