/// How the content after a head ends (RFC 9112 §6).
package enum Framing: Equatable, Sendable {
    /// No content follows.
    case none
    /// Exactly so many octets follow.
    case length(Int)
    /// Chunks follow (§7.1).
    case chunked

    /// What a head says, refusing everything that two readers could read differently.
    ///
    /// - Parameter minorVersion: 0 or 1; HTTP/1.0 has no transfer codings.
    /// - Throws: `.contentLength`, `.framing`, `.transferCoding`.
    static func of(_ fields: Fields, minorVersion: Int) throws(HTTPError) -> Framing {
        let lengths = fields.all("content-length")
        let codings = fields.all("transfer-encoding")
        if !codings.isEmpty {
            guard lengths.isEmpty, minorVersion == 1, codings.count == 1 else { throw .framing }
            guard codings[0].lowercased() == "chunked" else { throw .transferCoding }
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
