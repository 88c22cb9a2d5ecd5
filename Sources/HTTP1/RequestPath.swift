/// The path of a request in segments.
///
/// The path is split before its segments are decoded, so that `%2F` never separates two segments (RFC 3986 §2.2, §3.3).
package struct RequestPath: Equatable, Sendable {
    /// The decoded segments. The last one is empty if the path ends with a slash; no other one is.
    package let segments: [String]

    /// The largest number of segments: no resource is deeper.
    package static let maxSegments = 32

    /// - Parameter path: begins with a slash; at most one start line long (`HeadLimits`).
    /// - Returns: `nil` for a path that no resource can have, which is one of:
    ///   - an empty segment before the last (`//`), or more than `maxSegments`;
    ///   - a segment that is not UTF-8, or contains a slash, a backslash or a control character (NUL among them): a
    ///     file system, a log or a terminal behind a handler interprets these differently;
    ///   - a segment `.` or `..`, encoded or not. A client resolves them before it sends (RFC 3986 §5.2.4), so nothing
    ///     is lost.
    package init?(_ path: String) {
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        let parts = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), maxSplits: RequestPath.maxSegments, omittingEmptySubsequences: false)
        guard parts.count <= RequestPath.maxSegments else { return nil }
        var segments: [String] = []
        segments.reserveCapacity(parts.count)
        for (index, part) in parts.enumerated() {
            guard !part.isEmpty || index == parts.count - 1, let segment = PercentCoding.text(part), RequestPath.isName(segment) else { return nil }
            segments.append(segment)
        }
        self.segments = segments
    }

    private static func isName(_ segment: String) -> Bool {
        if segment == "." || segment == ".." { return false }
        return segment.unicodeScalars.allSatisfy { $0.value > 0x1F && !(0x7F...0x9F).contains($0.value) && $0 != "/" && $0 != "\\" }
    }
}
