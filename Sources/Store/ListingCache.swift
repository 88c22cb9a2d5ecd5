import Bytes
import Family
import Locks
import Queries

/// What queries look at in the records of one kind of one family, as of a sequence.
final class Listing {
    /// Every change up to this one is in it.
    var sequence: Int64
    /// While it is read: records up to this id are in it; `nil` before the first.
    var lastID: Identifier?
    private(set) var keys: [ListKeys] = []
    private var places: [Identifier: Int] = [:]
    /// Octets of memory, about.
    private(set) var octets = 0

    init(sequence: Int64) { self.sequence = sequence }

    /// As another reader has read it.
    init(_ shelved: ListingShelf.Shelved) {
        sequence = shelved.sequence
        keys = shelved.keys
        places.reserveCapacity(keys.count)
        for (place, key) in keys.enumerated() {
            places[key.id] = place
            octets += key.octets
        }
    }

    func set(_ new: ListKeys) {
        if let place = places[new.id] {
            octets += new.octets - keys[place].octets
            keys[place] = new
        } else {
            places[new.id] = keys.count
            keys.append(new)
            octets += new.octets
        }
    }
}

@available(*, unavailable)
extension Listing: Sendable {}

/// The listings that one reader holds, those that were used last.
///
/// A list of a season is asked for again and again while little changes, and what changed stands in the log: so a listing is read once
/// and then follows. Asking costs a walk through memory instead of one through the database: 10,000 records in some hundred microseconds.
///
/// Why the folded keys do not stand beside the rows: a list would still read them row by row, at least 0.5 us each (SQLite's step alone takes
/// 0.2), which is 5 ms for 10,000 records before one is compared, all that a list may take. So the memory would stay, and stored keys
/// would help the first list after a start alone: 40 ms for 6,000 events. They would cost a write with each record, and a way to renew them when
/// the table that folds letters changes. Instead a reader with nothing else to do reads a large family's listings when somebody joins it
/// (`StoreReader.prepareLists`), and what one reader has read the other takes over (`ListingShelf`).
final class ListingCache {
    struct Name: Hashable {
        let family: Int64
        let kind: Kind
    }

    private struct Held {
        let listing: Listing
        var usedAt: UInt64
    }

    /// Octets of all listings of one reader: some 200,000 records. A single larger one is held alone.
    static let maxOctets = 67_108_864

    /// Listings whose reading was stopped, of so many families and kinds at most.
    static let maxBegun = 4

    private var begun: [Name: Listing] = [:]
    private var held: [Name: Held] = [:]
    private var uses: UInt64 = 0
    private let maxOctets: Int

    init(maxOctets: Int = ListingCache.maxOctets) { self.maxOctets = maxOctets }

    /// How many there are.
    var count: Int { held.count }

    func find(_ name: Name) -> Listing? {
        uses += 1
        held[name]?.usedAt = uses
        return held[name]?.listing
    }

    func keep(_ listing: Listing, _ name: Name) {
        uses += 1
        held[name] = Held(listing: listing, usedAt: uses)
    }

    func forget(_ name: Name) { held[name] = nil }

    /// Keeps what a read that was stopped has read of a listing.
    func keepBegun(_ listing: Listing, _ name: Name) {
        if begun.count >= Self.maxBegun { begun = [:] }
        begun[name] = listing
    }

    func takeBegun(_ name: Name) -> Listing? { begun.removeValue(forKey: name) }

    /// Lets those go that were not used for longest, as long as all together are too large; never the one that was used last.
    func trim() {
        var octets = held.values.reduce(0) { $0 + $1.listing.octets }
        while octets > maxOctets, held.count > 1, let oldest = held.min(by: { $0.value.usedAt < $1.value.usedAt }) {
            octets -= oldest.value.listing.octets
            held[oldest.key] = nil
        }
    }
}

@available(*, unavailable)
extension ListingCache: Sendable {}

/// Where a reader lays large listings that it has read, so that the next one need not read them: taking over costs a hundredth.
package final class ListingShelf: Sendable {
    struct Shelved: Sendable {
        /// Every change up to this one is in it.
        let sequence: Int64
        let keys: [ListKeys]
    }

    /// Listings that lie here at most, each for one reader to take: those of one family's kinds. Smaller ones are read as quickly.
    static let maxListings = 8
    static let smallest = 200

    private let shelved = Lock<[ListingCache.Name: Shelved]>([:])

    package init() {}

    func put(_ listing: Listing, _ name: ListingCache.Name) {
        guard listing.keys.count >= Self.smallest else { return }
        let copy = Shelved(sequence: listing.sequence, keys: listing.keys)
        shelved.withLock { shelved in
            // Whoever did not come for the others by now has read them itself.
            if shelved.count >= Self.maxListings, shelved[name] == nil { shelved = [:] }
            shelved[name] = copy
        }
    }

    /// Takes a listing away, if it is no younger than wanted.
    func take(_ name: ListingCache.Name, upTo sequence: Int64) -> Shelved? {
        shelved.withLock { shelved in
            guard let found = shelved[name], found.sequence <= sequence else { return nil }
            shelved[name] = nil
            return found
        }
    }
}
