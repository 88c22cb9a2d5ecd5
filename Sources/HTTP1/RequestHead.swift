/// The request line and fields of one request (RFC 9112 §3, §5).
package struct RequestHead: Equatable, Sendable {
    /// The method as sent; methods are case-sensitive.
    package var method: String
    /// The request target as sent: `/path?query`, `http://host/path`, `*` or, for CONNECT, `host:port`.
    package var target: String
    /// 0 or 1.
    package var minorVersion: Int
    package var fields: HTTPFields
    package var framing: Framing

    package init(
        method: String, target: String, minorVersion: Int = 1, fields: HTTPFields = HTTPFields(), framing: Framing = .none
    ) {
        self.method = method
        self.target = target
        self.minorVersion = minorVersion
        self.fields = fields
        self.framing = framing
    }

    /// Reads one request head from the front of `octets`.
    ///
    /// One empty line before it is skipped (§2.2). Where HTTP/1.1 has options in its grammar, the parser takes the
    /// strict one: no bare CR or LF, no folded fields, one space between the parts of the request line, one `Host`, one
    /// way to frame the content.
    ///
    /// - Parameter octets: all octets since the last request, any length; not stored.
    /// - Returns: the head and its length in octets, with all its line ends; `nil` if more octets are needed. The
    ///   octets after the head belong to the caller.
    /// - Throws: respond with the error's `status`, then close.
    /// - Complexity: O(octets) at each call; bounded by `limits.total`.
    package static func parse(
        _ octets: Span<UInt8>, limits: HeadLimits = .standard
    ) throws(HTTPError) -> (head: RequestHead, length: Int)? {
        var start = 0
        if octets.count >= 2, octets[0] == 0x0D, octets[1] == 0x0A { start = 2 }
        // Octets that can never be a request, such as another protocol's first octets, are refused immediately.
        if octets.count > start, octets[start] != 0x0D, !Grammar.isTokenOctet(octets[start]) { throw .startLine }
        guard let line = try HeadLines.line(octets, from: start, limit: limits.startLine, tooLong: .startLineTooLong) else { return nil }

        var spaces: [Int] = []
        for index in line where octets[index] == 0x20 {
            spaces.append(index)
            guard spaces.count <= 2 else { throw .startLine }
        }
        guard spaces.count == 2 else { throw .startLine }
        let methodRange = line.lowerBound..<spaces[0]
        let targetRange = spaces[0] + 1..<spaces[1]
        guard !methodRange.isEmpty, !targetRange.isEmpty else { throw .startLine }
        for index in methodRange where !Grammar.isTokenOctet(octets[index]) { throw .startLine }
        let minor = try HeadLines.minorVersion(octets, spaces[1] + 1..<line.upperBound, malformed: .startLine)
        let method = HeadLines.text(octets, methodRange)
        try checkForm(method: method, octets.extracting(targetRange))
        let target = HeadLines.text(octets, targetRange)

        guard let (fields, end) = try HeadLines.fields(octets, from: line.upperBound + 2, limits: limits) else { return nil }
        let hosts = fields.all("host")
        guard hosts.count == 1 || (hosts.isEmpty && minor == 0), hosts.allSatisfy({ Authority($0) != nil }) else { throw .host }
        let framing = try Framing.of(fields, minorVersion: minor)
        let head = RequestHead(method: method, target: target, minorVersion: minor, fields: fields, framing: framing)
        return (head, end)
    }

    /// Each method takes one form of target (§3.2.1...§3.2.4).
    private static func checkForm(method: String, _ target: Span<UInt8>) throws(HTTPError) {
        if method == "CONNECT" {
            guard let authority = Authority(target), authority.port != nil else { throw .target }
        } else if target.count == 1, target[0] == UInt8(ascii: "*") {
            guard method == "OPTIONS" else { throw .target }
        } else {
            guard let start = pathStart(target), isPathAndQuery(target.extracting(start...)) else { throw .target }
        }
    }

    /// The start of the path in an origin-form or absolute-form target; `nil` if the target is neither, or is not http
    /// or https.
    private static func pathStart(_ target: Span<UInt8>) -> Int? {
        if target.count > 0, target[0] == UInt8(ascii: "/") { return 0 }
        let scheme = authorityStart(target)
        guard scheme > 0 else { return nil }
        var end = scheme
        while end < target.count, target[end] != UInt8(ascii: "/"), target[end] != UInt8(ascii: "?") { end += 1 }
        return Authority(target.extracting(scheme..<end)) == nil ? nil : end
    }

    /// The length of `http://` or `https://` in any case, or 0.
    private static func authorityStart(_ target: Span<UInt8>) -> Int {
        let scheme: StaticString = "https://"
        var length = 0
        for index in 0..<8 {
            if index == 4, length < target.count, target[length] == UInt8(ascii: ":") { continue }
            guard length < target.count, target[length] | 0x20 == scheme.utf8Start[index] | 0x20 else { return 0 }
            length += 1
        }
        return length
    }

    /// `absolute-path [ "?" query ]`: the octets of RFC 3986 §3.3 and complete percent triplets. A client never sends a
    /// fragment (§3.2).
    private static func isPathAndQuery(_ text: Span<UInt8>) -> Bool {
        var index = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "%"):
                guard index + 2 < text.count, HeadLines.hexDigit(text[index + 1]) != nil, HeadLines.hexDigit(text[index + 2]) != nil
                else { return false }
                index += 2
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: ","): break
            default: guard Grammar.isNameOctet(text[index]) else { return false }
            }
            index += 1
        }
        return true
    }

    /// The authority of the resource: from an absolute or authority target, otherwise from `Host` (§3.3); `nil` if an
    /// HTTP/1.0 request names none.
    package var authority: Authority? {
        if method == "CONNECT" { return Authority(target) }
        let span = target.utf8Span.span
        let scheme = Self.authorityStart(span)
        guard scheme > 0, let end = Self.pathStart(span) else { return fields.only("host").flatMap { Authority($0) } }
        return Authority(span.extracting(scheme..<end))
    }

    /// The target without scheme, authority and query: begins with `/`, or is `*`.
    package var path: String {
        let rest = resource
        let end = rest.utf8.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        return end == rest.startIndex ? "/" : String(rest[..<end])
    }

    /// The text after the first `?`, not decoded; `nil` without one.
    package var query: String? {
        let rest = resource
        guard let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        return String(rest[rest.utf8.index(after: mark)...])
    }

    private var resource: Substring {
        guard let start = Self.pathStart(target.utf8Span.span) else { return target[...] }
        return target[target.utf8.index(target.startIndex, offsetBy: start)...]
    }

    /// Whether the connection may carry another request after this one (§9.3).
    package var keepsAlive: Bool {
        if fields.hasToken("close", in: "connection") { return false }
        return minorVersion == 1 || fields.hasToken("keep-alive", in: "connection")
    }

    /// Appends the head as octets, for a client.
    package func append(to octets: inout [UInt8]) {
        HeadWriter.append("\(method) \(target) HTTP/1.\(minorVersion)", to: &octets)
        HeadWriter.append(fields, to: &octets)
    }
}
