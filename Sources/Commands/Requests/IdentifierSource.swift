package import Bytes
internal import Crypto

/// Fresh ids of records, each larger than the one before, so that of two records in one commit the later one sorts
/// later.
///
/// Source: RFC 9562 §6.2 (monotonicity, method 2).
package struct IdentifierSource: Sendable {
    private var last = Identifier(high: 0, low: 0)

    package init() {}

    /// - Parameter milliseconds: UTC, since 1970.
    package mutating func next(_ milliseconds: Int64) -> Identifier {
        var fresh = Random.identifier(milliseconds: milliseconds)
        // The lower half counts on from a random place; it overflows only after about 2^62 ids in one millisecond.
        if fresh <= last { fresh = Identifier(high: last.high, low: last.low &+ 1) }
        last = fresh
        return fresh
    }
}
