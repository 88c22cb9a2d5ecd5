import Bytes

@testable import HTTP1

extension FuzzTarget {
    static let connections: [FuzzTarget] = [
        FuzzTarget("http-connection", dictionary: "http") { octets in try checkConnection(octets) },
        FuzzTarget("http-content", dictionary: "http") { octets in try checkContent(octets) },
        FuzzTarget("http-fields", dictionary: "http") { octets in try checkFieldValues(octets) },
    ]
}

/// The results of a server's connection: requests, their content and refusals, and its output.
private struct Heard: Equatable {
    var requests: [RequestHead] = []
    var contents: [[UInt8]] = []
    var refusals: [HTTPError] = []
    var written: [UInt8] = []
    var phase = HTTPServerConnection.Phase.idle
}

/// Feeds a stream in pieces, as a server does: keeps unconsumed octets, and responds to each request by a rule that its
/// target chooses.
private func serve(_ pieces: [[UInt8]]) throws -> Heard {
    var connection = HTTPServerConnection()
    var heard = Heard()
    var held: [UInt8] = []
    var isAccepting = false
    /// Sends the due responses.
    func answer(_ status: Int, _ length: HTTPServerConnection.ResponseLength) {
        if connection.respond(ResponseHead(status), length, date: "now", to: &heard.written) {
            if case .octets(let count) = length, count == 0 {
            } else {
                [1, 2, 3].withUnsafeBytes { connection.append(UnsafeRawBufferPointer(rebasing: $0[..<3]), to: &heard.written) }
            }
        }
        connection.finishResponse(to: &heard.written)
    }
    for piece in pieces {
        held += piece
        var turns = 0
        while true {
            turns += 1
            try hold(turns <= 2 * held.count + 2_000, "the connection never rests")
            let (event, consumed) = connection.next(held.span)
            try hold((0...held.count).contains(consumed), "\(consumed) of \(held.count) octets are consumed")
            if case .content(let range) = event {
                try hold(range.lowerBound >= 0 && range.upperBound <= consumed, "content \(range) of \(consumed) octets")
                heard.contents[heard.contents.count - 1] += held[range]
            }
            held.removeFirst(consumed)
            switch event {
            case .needsMore:
                if consumed > 0 { continue }
                try hold(held.count <= connection.maxHeld || connection.phase != .head, "\(held.count) octets of a head are held")
            case .waits: if consumed > 0 { continue }
            case .request(let head):
                heard.requests.append(head)
                // By the request's own text, so that the same stream gets the same responses.
                switch head.path.utf8.count % 4 {
                case 0: answer(200, .octets(3))
                case 1: answer(404, .octets(0))
                case 2: answer(200, .unknown)
                default:
                    heard.contents.append([])
                    isAccepting = true
                    do throws(HTTPError) { heard.written += try connection.accept(limit: 64) } catch {
                        heard.refusals.append(error)
                        isAccepting = false
                        answer(error.status, .octets(0))
                    }
                }
                continue
            case .content: continue
            case .contentEnd:
                try hold(isAccepting, "the end of a content that nobody asked for")
                isAccepting = false
                answer(200, .octets(3))
                continue
            case .refused(let error):
                heard.refusals.append(error)
                isAccepting = false
                try hold((400...599).contains(error.status), "status \(error.status)")
                answer(error.status, .octets(0))
                try hold(connection.phase == .closing, "a refused connection continues")
                continue
            }
            break
        }
        // Nothing is awaited: a server stops receiving, so that its buffers stay small.
        if connection.phase == .closing { break }
    }
    heard.phase = connection.phase
    return heard
}

/// However a stream of requests is cut, it gives the same requests, contents and responses.
func checkConnection(_ octets: [UInt8]) throws {
    var choices = Choices(octets)
    var cuts = Choices(choices.take(4))
    let stream = choices.rest()
    let whole = try serve([stream])
    var pieces: [[UInt8]] = []
    var left = stream[...]
    while !left.isEmpty {
        let piece = left.prefix(1 + cuts.below(64))
        pieces.append(Array(piece))
        left = left.dropFirst(piece.count)
    }
    let cut = try serve(pieces)
    // A head that arrives slowly is parsed when a line ends, and every few thousand octets: an invalid one may be
    // refused later.
    if cut.phase == .head, cut.refusals != whole.refusals { return }
    try hold(cut.requests == whole.requests, "cut: \(cut.requests.count) requests, whole: \(whole.requests.count)")
    try hold(cut.refusals == whole.refusals, "cut: \(cut.refusals), whole: \(whole.refusals)")
    // Content that is too large, or wrongly framed, has arrived as far as the pieces allow.
    let complete = max(0, whole.contents.count - (whole.refusals.isEmpty ? 0 : 1))
    try hold(
        cut.contents.count == whole.contents.count && cut.contents.prefix(complete) == whole.contents.prefix(complete),
        "cut, the content is another")
    try hold(cut.written == whole.written, "the answers differ")
    try hold(whole.refusals.count <= 1 || whole.contents.count > 0, "\(whole.refusals.count) refusals on one connection")
    for content in whole.contents { try hold(content.count <= 64, "\(content.count) octets of content") }
}

/// The first octet chooses the framing.
func checkContent(_ octets: [UInt8]) throws {
    var choices = Choices(octets)
    let framing: Framing = choices.chance() ? .chunked : .length(choices.below(100))
    let limit = choices.pick([0, 10, 100, 10_000])
    var cuts = Choices(choices.take(4))
    let stream = choices.rest()
    func read(_ size: () -> Int) throws -> (content: [UInt8], used: Int, isEnd: Bool, error: HTTPError?) {
        var content: [UInt8] = []
        var used = 0
        do throws(HTTPError) {
            var reader = try ContentReader(framing, limit: limit)
            var offered = 0
            while true {
                offered = min(stream.count, max(offered, used) + size())
                while true {
                    let piece = try reader.read(Array(stream[used..<offered]).span)
                    content += stream[used..<offered][used + piece.content.lowerBound..<used + piece.content.upperBound]
                    used += piece.consumed
                    if piece.isEnd { return (content, used, true, nil) }
                    if piece.consumed == 0 { break }
                }
                if offered == stream.count { return (content, used, false, nil) }
            }
        } catch { return (content, used, false, error) }
    }
    let whole = try read { stream.count }
    let cut = try read { 1 + cuts.below(16) }
    try hold(
        whole.isEnd == cut.isEnd && whole.error == cut.error,
        "whole: \(whole.isEnd) \(String(describing: whole.error)), cut: \(cut.isEnd) \(String(describing: cut.error))")
    if whole.error == nil {
        try hold(whole.content == cut.content && (!whole.isEnd || whole.used == cut.used), "cut, the content is another")
    }
    try hold(whole.content.count <= limit, "\(whole.content.count) octets of content")
    if case .length(let length) = framing, whole.isEnd { try hold(whole.content.count == length && whole.used == length, "another length") }
}

/// Values of single fields: dates, ranges, conditions, tags, forwarding, origins, addresses.
func checkFieldValues(_ octets: [UInt8]) throws {
    var choices = Choices(octets)
    let length = choices.pick([0, 1, 10, 255])
    let value = String(decoding: choices.rest(), as: UTF8.self)
    if let seconds = HTTPDate.seconds(value, now: 1_795_000_000) {
        let text = HTTPDate.text(seconds)
        try hold(HTTPDate.seconds(text, now: 1_795_000_000) == seconds, "\(text) is another moment")
    }
    switch ByteRanges(value, length: length) {
    case .whole, .unsatisfiable: break
    case .ranges(let ranges):
        try hold((1...ByteRanges.maxRanges).contains(ranges.count), "\(ranges.count) ranges")
        for range in ranges { try hold(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= length, "\(range) of \(length)") }
        let sum = ranges.reduce(0) { $0 + $1.count }
        try hold(sum <= length, "\(sum) octets of \(length)")
    }
    if let authority = Authority(value) {
        try hold(!authority.host.isEmpty && authority.host == authority.host.lowercased(), "a host \(authority.host)")
    }
    if let address = NetworkAddress(value) {
        try hold(AddressRange(value)?.contains(address) ?? false, "an address is not in its own range")
    }
    _ = AddressRange(value)
    _ = WebOrigin(value)
    let current = Validators(tag: EntityTag("a"), lastModified: 784_111_777)
    let fields = [
        "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range", "Forwarded", "X-Forwarded-For",
        "X-Forwarded-Proto", "Origin",
    ]
    // Each alone, and all with the same value.
    let lists = fields.map { [Field($0, value)] } + [fields.map { Field($0, value) }]
    guard let proxies = AddressRange("10.0.0.0/8"), let peer = NetworkAddress("10.0.0.1") else {
        throw Broken(description: "the test's own addresses")
    }
    for list in lists {
        for method in ["GET", "PUT"] {
            let outcome = Preconditions.evaluate(method, HTTPFields(list), current, now: 1_795_000_000)
            try hold(method == "GET" || outcome != .notModified, "304 to a PUT")
        }
        let head = RequestHead(method: "GET", target: "/", fields: HTTPFields([Field("Host", "a")] + list))
        let selection = ContentSelection(
            head, Representation(length: length, contentType: "text/plain", validators: current), now: 1_795_000_000, boundary: "b")
        try hold([200, 206, 304, 412, 416].contains(selection.status), "status \(selection.status)")
        for case .part(let range) in selection.pieces {
            try hold(range.lowerBound >= 0 && range.upperBound <= length, "\(range) of \(length)")
        }
        guard let source = ProxyTrust([proxies]).source(of: head, peer: peer, isSecure: false) else { continue }
        _ = OriginPolicy().allows(head.fields, from: source)
        // Only proxies are trusted.
        let stranger = ProxyTrust([proxies]).source(of: head, peer: NetworkAddress("192.0.2.1"), isSecure: false)
        try hold(stranger?.address == NetworkAddress("192.0.2.1") && stranger?.isSecure == false, "a stranger's word counts")
    }
}
