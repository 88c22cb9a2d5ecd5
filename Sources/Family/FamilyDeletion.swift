package import Bytes

/// A request to delete a family, which any parent can withdraw until the family is erased.
package struct FamilyDeletion: Hashable, Sendable {
    /// UTC milliseconds.
    package var requestedAt: Int64
    /// The parent who asked; `nil`: the person who runs the server.
    package var by: Identifier?
    /// The family is erased at this time or soon after it, UTC milliseconds.
    package var dueAt: Int64

    package init(requestedAt: Int64, by: Identifier?, dueAt: Int64) {
        self.requestedAt = requestedAt
        self.by = by
        self.dueAt = dueAt
    }

    /// Days from the request to the erasure.
    package static let days = 14
    /// The field of the family's record that shows every member the day of the erasure, in the family's zone.
    package static let field = "deletion_date"
}
