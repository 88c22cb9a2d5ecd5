package import Bytes

/// The position of one consumer of the log.
package struct ConsumerRow: Hashable, Sendable {
    /// The text of a `ConsumerName`, unless the row is damaged.
    package var name: String
    /// The consumer has done everything up to this position of the log of all families.
    package var position: Int64
    /// The time at which the position was stored, UTC milliseconds.
    package var movedAt: Int64

    package init(name: String, position: Int64, movedAt: Int64) {
        self.name = name
        self.position = position
        self.movedAt = movedAt
    }
}

/// The content of one position of the log of all families.
package struct FollowedRow: Sendable {
    package enum Content: Sendable {
        /// A change of a family, as it was sent.
        case change(family: Identifier, sequence: Int64, frame: [UInt8])
        /// A change at or below the family's floor: some of its values may be gone.
        case trimmed(family: Identifier, sequence: Int64, floor: Int64)
        /// A family that was imported, with its log up to a sequence.
        case arrival(family: Identifier, sequence: Int64)
        /// A change of an import: of a family that does not exist yet, or that an arrival replaces.
        case imported
    }

    package var position: Int64
    package var content: Content

    package init(position: Int64, content: Content) {
        self.position = position
        self.content = content
    }
}

/// The consumers that follow the log of all families.
package protocol ConsumerReads: AnyObject {
    /// All consumers, in the order of their names.
    func all() throws -> [ConsumerRow]

    /// The consumer of this name; `nil` if there is none.
    func find(_ name: String) throws -> ConsumerRow?
}

package protocol ConsumerWrites: ConsumerReads {
    /// Adds a consumer. There is none of this name.
    func insert(_ row: ConsumerRow) throws

    /// Stores the position of a consumer. Does nothing if there is none of this name.
    func move(_ row: ConsumerRow) throws

    /// Removes a consumer, if there is one of this name.
    func remove(_ name: String) throws
}
