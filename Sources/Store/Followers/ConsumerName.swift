/// The name of a consumer of the log: 1 to 64 of the characters a–z, 0–9, `-`, `_` and `.`.
package struct ConsumerName: Hashable, Sendable {
    package let text: String

    /// - Returns: `nil` for a text that is not a name.
    package init?(_ text: String) {
        let isAllowed = text.utf8.allSatisfy { octet in
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
            default: false
            }
        }
        guard isAllowed, (1...64).contains(text.utf8.count) else { return nil }
        self.text = text
    }
}

/// The position at which a new consumer begins to read.
package enum ConsumerStart: Sendable {
    /// It reads the whole log.
    case beginning
    /// It reads the changes that are committed from now on.
    case end
}

/// The reason why a cursor was not stored.
package enum ConsumerRefusal: Error, Hashable {
    /// The disk is full, or the database asked to run the transaction again too often.
    case tryLater
    /// `FamilyStore.maxConsumers` others have cursors.
    case tooMany
    /// The consumer was never registered.
    case unknown
    /// The log ends before the position.
    case ahead
}

/// The positions of the consumers of the log.
package struct LogStatus: Hashable, Sendable {
    package struct Consumer: Hashable, Sendable {
        package var name: String
        /// The consumer has handled everything up to here.
        package var position: Int64
        /// The time at which it stored the position, UTC milliseconds.
        package var movedAt: Int64

        package init(name: String, position: Int64, movedAt: Int64) {
            self.name = name
            self.position = position
            self.movedAt = movedAt
        }
    }

    /// The last position of the log of all families; 0 for none.
    package var newest: Int64
    /// In the order of their names.
    package var consumers: [Consumer]

    package init(newest: Int64, consumers: [Consumer]) {
        self.newest = newest
        self.consumers = consumers
    }

    /// The number of positions that a consumer has not handled yet. Each is a change or an imported family; negative
    /// for a cursor that is ahead of the log.
    package func lag(_ consumer: Consumer) -> Int64 { newest - consumer.position }
}
