import Bytes
import HTTP1
import WebSocket

extension FuzzTarget {
    static let requests: [FuzzTarget] = [
        FuzzTarget("http-request", dictionary: "http") { octets in try checkRequest(octets) },
        FuzzTarget("http-response", dictionary: "http") { octets in try checkResponse(octets) },
    ]
}

/// The result of a head parser for a stream's first octets.
private enum Outcome<Head: Equatable>: Equatable {
    case incomplete
    case whole(Head, Int)
    case refused(HTTPError)
}

private func request(_ octets: [UInt8]) -> Outcome<RequestHead> {
    do throws(HTTPError) {
        guard let (head, length) = try RequestHead.parse(octets.span) else { return .incomplete }
        return .whole(head, length)
    } catch { return .refused(error) }
}

private func response(_ octets: [UInt8]) -> Outcome<ResponseHead> {
    do throws(HTTPError) {
        guard let (head, length) = try ResponseHead.parse(octets.span) else { return .incomplete }
        return .whole(head, length)
    } catch { return .refused(error) }
}

/// However a stream is cut: no result comes too early, and a refused stream stays refused.
private func checkCuts<Head>(_ octets: [UInt8], _ read: ([UInt8]) -> Outcome<Head>) throws {
    switch read(octets) {
    case .incomplete: return
    case .refused:
        guard case .refused = read(octets + Array("\r\n\r\n".utf8)) else {
            throw Broken(description: "what was refused is taken with more behind it")
        }
    case .whole(_, let length):
        try hold(length > 0 && length <= octets.count, "a head of \(length) octets among \(octets.count)")
        // Everywhere, for short streams.
        let step = max(1, length / 64)
        for cut in stride(from: 0, to: length, by: step) + [length - 1] {
            try hold(read(Array(octets[..<cut])) == .incomplete, "a head of \(length) octets: \(read(Array(octets[..<cut]))) after \(cut)")
        }
    }
}

func checkRequest(_ octets: [UInt8]) throws {
    try checkCuts(octets, request)
    let head: RequestHead
    let length: Int
    switch request(octets) {
    case .incomplete: return
    case .refused(let error): return try hold((400...599).contains(error.status), "status \(error.status)")
    case .whole(let found, let octets): (head, length) = (found, octets)
    }
    // Two readers must not see two requests.
    for index in 0..<length {
        switch octets[index] {
        case 0x0A: try hold(index > 0 && octets[index - 1] == 0x0D, "a bare LF was taken")
        case 0x0D: try hold(index + 1 < length && octets[index + 1] == 0x0A, "a bare CR was taken")
        case 0: throw Broken(description: "a NUL was taken")
        default: break
        }
    }
    try hold(!(head.fields.contains("content-length") && head.fields.contains("transfer-encoding")), "both framings were taken")
    try hold(head.minorVersion == 0 || head.fields.all("host").count == 1, "HTTP/1.1 without one Host was taken")
    for field in head.fields.list {
        try hold(Grammar.isToken(field.name), "a field is called \(field.name)")
        try hold(field.value.utf8.first != 0x20 && field.value.utf8.last != 0x20, "white space around a value")
    }
    var written: [UInt8] = []
    head.append(to: &written)
    try hold(request(written) == .whole(head, written.count), "a request reads otherwise when written")
    _ = (head.path, head.query, head.keepsAlive)
    try checkServerHandshake(head)
}

/// A client that sent this key accepts every acceptance of ours; every refusal of ours is a complete response.
private func checkServerHandshake(_ head: RequestHead) throws {
    let handshake: WebSocketHandshake
    do throws(HandshakeRefusal) {
        handshake = try WebSocketHandshake.accept(head, subprotocols: ["huddle.v1", "chat"])
    } catch {
        guard case .whole(let answer, _) = response(error.response) else { throw Broken(description: "a refusal that is not a response") }
        return try hold(answer.status == error.status && answer.status >= 400, "a refusal with status \(answer.status)")
    }
    guard case .whole(let answer, let length) = response(handshake.response), length == handshake.response.count,
        let key = head.fields.only("sec-websocket-key"), let nonce = Base64.decode(key)
    else { throw Broken(description: "the answer is not a response, or was given without a key") }
    let client = WebSocketClientHandshake(host: "h", subprotocols: ["huddle.v1", "chat"], nonce: nonce)
    try hold(try client.check(answer) == handshake.subprotocol, "the two ends agree on different subprotocols")
}

func checkResponse(_ octets: [UInt8]) throws {
    try checkCuts(octets, response)
    guard case .whole(let head, _) = response(octets) else { return }
    try hold((100...599).contains(head.status), "status \(head.status)")
    // We write HTTP/1.1 only.
    guard head.minorVersion == 1 else { return }
    var written: [UInt8] = []
    head.append(to: &written)
    try hold(response(written) == .whole(head, written.count), "a response reads otherwise when written")
    let handshake = WebSocketClientHandshake(host: "h", subprotocols: ["huddle.v1"], nonce: [UInt8](repeating: 0, count: 16))
    guard let subprotocol = try? handshake.check(head) else { return }
    try hold(subprotocol == "huddle.v1", "a subprotocol that was not offered")
}
