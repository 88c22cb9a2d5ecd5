/// The status line and fields of one response (RFC 9112 §4, §5).
package struct ResponseHead: Equatable, Sendable {
    /// 100...599.
    package var status: Int
    package var reason: String
    /// 0 or 1.
    package var minorVersion: Int
    package var fields: HTTPFields
    /// The framing in the fields; `.none` if there is none, which in a response means "to the end of the stream".
    package var framing: Framing

    /// - Parameter reason: `nil` takes the phrase of RFC 9110 §15.
    package init(_ status: Int, _ fields: [Field] = [], reason: String? = nil) {
        self.status = status
        self.reason = reason ?? Self.phrase(status)
        self.minorVersion = 1
        self.fields = HTTPFields(fields)
        self.framing = .none
    }

    /// Reads one response head from the front of `octets`, as strictly as `RequestHead.parse`.
    ///
    /// - Returns: the head and its length in octets; `nil` if more octets are needed.
    package static func parse(
        _ octets: Span<UInt8>, limits: HeadLimits = .standard
    ) throws(HTTPError) -> (head: ResponseHead, length: Int)? {
        guard let line = try HeadLines.line(octets, from: 0, limit: limits.startLine, tooLong: .startLineTooLong) else { return nil }
        // HTTP/1.1 SP 200 SP [reason]; the second space is required even without a reason (§4).
        guard line.count >= 13 else { throw .startLine }
        let start = line.lowerBound
        let minor = try HeadLines.minorVersion(octets, start..<start + 8, malformed: .startLine)
        guard octets[start + 8] == 0x20, octets[start + 12] == 0x20,
            let hundreds = HeadLines.digit(octets[start + 9]), (1...5).contains(hundreds),
            let tens = HeadLines.digit(octets[start + 10]), let ones = HeadLines.digit(octets[start + 11])
        else { throw .startLine }
        guard let (fields, end) = try HeadLines.fields(octets, from: line.upperBound + 2, limits: limits) else { return nil }
        var head = ResponseHead(
            hundreds * 100 + tens * 10 + ones, fields.list, reason: HeadLines.text(octets, start + 13..<line.upperBound))
        head.minorVersion = minor
        head.framing = try Framing.of(fields, minorVersion: minor)
        return (head, end)
    }

    /// Finds the content that follows this head at a client (§6.3).
    ///
    /// - Parameters:
    ///   - method: the method of the request; a response to HEAD has no content, nor has the response to a CONNECT that
    ///     succeeded.
    ///   - limit: the largest number of octets of content.
    /// - Throws: `.contentTooLarge`; `.framing` for a transfer coding where content is not allowed (§6.1).
    package func content(to method: String, limit: Int) throws(HTTPError) -> ContentReader {
        let isBare = status < 200 || status == 204
        guard !isBare || framing != .chunked else { throw .framing }
        guard !isBare, status != 304, method != "HEAD", method != "CONNECT" || status >= 300 else { return try ContentReader(.none, limit: limit) }
        return try ContentReader(framing, limit: limit, untilEnd: true)
    }

    /// Appends the head as octets, with the empty line. The caller supplies `Content-Length` and the like.
    package func append(to octets: inout [UInt8]) {
        HeadWriter.append("HTTP/1.1 \(status) \(reason)", to: &octets)
        HeadWriter.append(fields, to: &octets)
    }

    /// A complete short response, head and `body`, after which the connection closes.
    ///
    /// - Parameter body: sent as UTF-8 text with its length.
    package static func closing(_ status: Int, _ fields: [Field] = [], body: String = "") -> [UInt8] {
        var all = fields
        if !body.isEmpty { all.append(Field("content-type", "text/plain; charset=utf-8")) }
        all.append(Field("content-length", String(body.utf8.count)))
        // After a refused upgrade `Connection` already contains `Upgrade` (RFC 9110 §7.8).
        if let index = all.firstIndex(where: { $0.name == "connection" }) {
            all[index].value += ", close"
        } else {
            all.append(Field("connection", "close"))
        }
        var octets: [UInt8] = []
        ResponseHead(status, all).append(to: &octets)
        octets.append(contentsOf: body.utf8)
        return octets
    }

    /// The reason phrase of RFC 9110 §15 and RFC 6585; empty for a status that this server does not send.
    package static func phrase(_ status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 101: "Switching Protocols"
        // From the draft of resumable uploads.
        case 104: "Upload Resumption Supported"
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        // From tus.
        case 460: "Checksum Mismatch"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        // RFC 4918 §11.5: a quota is exhausted.
        case 507: "Insufficient Storage"
        default: ""
        }
    }
}

/// Writes the lines of a head so that no text in them can end a line early.
enum HeadWriter {
    static func append(_ line: String, to octets: inout [UInt8]) {
        for octet in line.utf8 {
            // CR, LF and NUL in a value would start another field, or another response: RFC 9110 §5.5 replaces them
            // with a space.
            octets.append(octet == 0x0D || octet == 0x0A || octet == 0 ? 0x20 : octet)
        }
        octets.append(0x0D)
        octets.append(0x0A)
    }

    /// Appends all field lines and the empty line.
    static func append(_ fields: HTTPFields, to octets: inout [UInt8]) {
        for field in fields.list { append("\(field.name): \(field.value)", to: &octets) }
        octets.append(0x0D)
        octets.append(0x0A)
    }
}
