/// The reason why a message head is refused. Source: RFC 9112 unless stated otherwise; each case names its section.
package enum HTTPError: Error, Equatable, Sendable {
    /// The first line is not `method SP target SP version` (or, in a response, `version SP status SP reason`), §3, §4.
    case startLine
    /// A control octet other than the tab, a CR without LF or an LF without CR, §2.2, RFC 9110 §5.5.
    case controlOctet
    /// The request target has none of the four forms, or not the form for its method, §3.2.
    case target
    /// Any version but HTTP/1.0 and HTTP/1.1, §2.3.
    case version
    /// A field line without a name, with white space before the colon, or with octets in its name that are not allowed
    /// in a token, §5.1.
    case fieldName
    /// A line that continues the previous one, §5.2.
    case foldedField
    /// No `Host` in a 1.1 request, more than one, or one that is not a host, §3.2.
    case host
    /// A `Content-Length` that is not a number, or more than one, §6.3.
    case contentLength
    /// `Content-Length` together with `Transfer-Encoding`, or the latter in HTTP/1.0, or with another last coding than
    /// a single `chunked`: the signs of request smuggling, §6.1, §6.3, §11.2.
    case framing
    /// A transfer coding other than `chunked`, §6.1.
    case transferCoding
    /// The request line is longer than `HeadLimits.startLine`.
    case startLineTooLong
    /// More fields, or more octets of fields, than `HeadLimits` allows; also in the trailers of chunked content.
    case fieldsTooLarge
    /// A chunk without a size, with a size above 64 bits, without its CRLFs, or with malformed or endless extensions,
    /// §7.1.
    case chunk
    /// More content than its reader accepts, RFC 9110 §15.5.14.
    case contentTooLarge
    /// An expectation other than `100-continue`, RFC 9110 §10.1.1.
    case expectation

    /// The status of the response; the connection is closed after it.
    package var status: Int {
        switch self {
        case .contentTooLarge: 413
        case .startLineTooLong: 414
        case .expectation: 417
        case .fieldsTooLarge: 431
        case .transferCoding: 501
        case .version: 505
        default: 400
        }
    }
}

/// The limits of a head.
package struct HeadLimits: Equatable, Sendable {
    /// The octets of the first line, without its CRLF.
    package var startLine: Int
    package var fieldCount: Int
    /// The octets of all field lines, with their CRLFs.
    package var fieldOctets: Int

    package init(startLine: Int, fieldCount: Int, fieldOctets: Int) {
        self.startLine = startLine
        self.fieldCount = fieldCount
        self.fieldOctets = fieldOctets
    }

    /// 8 KiB is the request line that RFC 9112 §3 asks every server to accept; 100 fields and 16 KiB are twice what
    /// browsers send with full cookies.
    package static let standard = HeadLimits(startLine: 8 << 10, fieldCount: 100, fieldOctets: 16 << 10)

    /// The largest number of octets of a head: a caller that collects octets for `parse` never needs a larger buffer.
    package var total: Int { 2 + startLine + 2 + fieldOctets + 2 }
}
