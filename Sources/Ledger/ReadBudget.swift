/// The octets of stored records and history that may still be read. Reads stop when it is spent, so that a few octets of an author cannot make
/// the writer decode megabytes.
package struct ReadBudget {
    private var left: Int
    /// Something was not read, because it would have been more than was left.
    package private(set) var isSpent = false

    package init(octets: Int) { left = octets }

    /// Takes the octets of one row.
    ///
    /// - Returns: false if the row must not be read any more.
    package mutating func take(_ octets: Int) -> Bool {
        guard !isSpent, octets <= left else {
            isSpent = true
            return false
        }
        left -= octets
        return true
    }
}
