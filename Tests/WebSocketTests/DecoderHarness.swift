import Testing

@testable import WebSocket

/// An event that owns its octets, so that it can be compared.
enum Said: Equatable, CustomStringConvertible {
    case message(MessageKind, [UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(UInt16?, String)
    case failure(WebSocketError)

    var description: String {
        switch self {
        case .message(let kind, let octets): "\(kind) \(octets.count): \(octets.prefix(40))"
        case .ping(let octets): "ping \(octets)"
        case .pong(let octets): "pong \(octets)"
        case .close(let code, let reason): "close \(code.map(String.init) ?? "-") \(reason)"
        case .failure(let error): "failure \(error)"
        }
    }

    init(_ event: WebSocketEvent) {
        switch event {
        case .message(let kind, let octets): self = .message(kind, Array(octets))
        case .ping(let octets): self = .ping(Array(octets))
        case .pong(let octets): self = .pong(Array(octets))
        case .close(let code, let reason): self = .close(code, reason)
        }
    }
}

/// All events that a decoder produces from `pieces`, each lent in memory of exactly its size.
func decode(
    _ pieces: [[UInt8]], role: WebSocketRole = .server, limits: WebSocketLimits = WebSocketLimits(maxMessage: 1 << 20, maxFragments: 1000),
    terms: CompressionTerms? = nil
) -> [Said] {
    var decoder = WebSocketDecoder(role: role, limits: limits)
    if let terms { decoder.accept(compression: terms) }
    var said: [Said] = []
    for piece in pieces {
        said += feed(piece, to: &decoder)
        // The promise about memory: the held memory is limited by the arrived octets and by the limit.
        if decoder.heldOctets > limits.maxMessage + 125 + 512 { Issue.record("\(decoder.heldOctets) octets are held") }
    }
    return said
}

func feed(_ piece: [UInt8], to decoder: inout WebSocketDecoder) -> [Said] {
    var said: [Said] = []
    let lent = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
    defer {
        // A stale pointer into this memory would read garbage.
        lent.initializeMemory(as: UInt8.self, repeating: 0xEE)
        lent.deallocate()
    }
    lent.copyBytes(from: piece)
    decoder.feed(lent)
    do {
        while let event = try decoder.next() { said.append(Said(event)) }
    } catch {
        said.append(.failure(error))
    }
    return said
}

/// All ways in which the split tests deliver `octets`: whole, cut at each octet, octet by octet, in threes.
func cuts(_ octets: [UInt8]) -> [[[UInt8]]] {
    var all = [[octets], octets.map { [$0] }]
    all.append(stride(from: 0, to: octets.count, by: 3).map { Array(octets[$0..<min($0 + 3, octets.count)]) })
    for cut in octets.indices.dropFirst() { all.append([Array(octets[..<cut]), Array(octets[cut...])]) }
    return all
}

extension [UInt8] {
    init(text: String) { self = Array(text.utf8) }
}
