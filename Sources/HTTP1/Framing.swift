/// The end of the content after a head (RFC 9112 §6).
package enum Framing: Equatable, Sendable {
    /// No content follows.
    case none
    /// Exactly this many octets follow.
    case length(Int)
    /// Chunks follow (§7.1).
    case chunked

    /// The framing in a head; refuses everything that two readers could interpret differently.
    ///
    /// - Parameter minorVersion: 0 or 1; HTTP/1.0 has no transfer codings.
    /// - Throws: `.contentLength`, `.framing`, `.transferCoding`.
    static func of(_ fields: HTTPFields, minorVersion: Int) throws(HTTPError) -> Framing {
        let lengths = fields.all("content-length")
        let lines = fields.all("transfer-encoding")
        if !lines.isEmpty {
            // If chunked is not the last coding, or is repeated, or has parameters, the end of the content is undefined
            // (§6.3 item 4, §7.1); some readers take an empty member for no coding.
            let codings = lines.joined(separator: ",").utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                .map { HTTPFields.trimmed(String($0) ?? "").lowercased() }
            guard lengths.isEmpty, minorVersion == 1, codings.last == "chunked", !codings.contains(""),
                codings.filter({ $0 == "chunked" }).count == 1
            else { throw .framing }
            guard codings.count == 1 else { throw .transferCoding }
            return .chunked
        }
        guard let text = lengths.first else { return .none }
        guard lengths.count == 1, !text.isEmpty else { throw .contentLength }
        var length = 0
        for octet in text.utf8 {
            guard let digit = HeadLines.digit(octet) else { throw .contentLength }
            let (tens, over) = length.multipliedReportingOverflow(by: 10)
            let (sum, overToo) = tens.addingReportingOverflow(digit)
            guard !over, !overToo else { throw .contentLength }
            length = sum
        }
        return .length(length)
    }
}
