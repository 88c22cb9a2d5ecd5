import Bytes
import Family
import Locks
import Queries

/// The data that queries read of the records of one kind of one family, at a sequence.
final class Listing {
    /// The listing contains every change up to this one.
    var sequence: Int64
    /// While the listing is being read, it contains the records up to this id; `nil` before the first.
    var lastID: Identifier?
    private(set) var keys: [ListKeys] = []
    private var places: [Identifier: Int] = [:]
    /// The approximate memory in octets.
    private(set) var octets = 0

    init(sequence: Int64) { self.sequence = sequence }

    /// A copy of the listing of another reader.
    init(_ shelved: SharedListingCache.Entry) {
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

/// The most recently used listings of one reader.
///
/// Clients request the list of a season again and again while little changes, and the changes are in the log: so a
/// listing is read once and then follows the log. A request costs a walk through memory instead of one through the
/// database: 10,000 records in some hundred microseconds.
///
/// The folded keys are not stored with the rows, because a list would still read them row by row, at least 0.5 us each
/// (SQLite's step alone takes 0.2). That is 5 ms for 10,000 records before one is compared, which is all the time that
/// a list may take. So the memory would still be needed, and stored keys would only help the first list after a start:
/// 40 ms for 6,000 events. They would cost a write with each record, and a way to renew them when the table that folds
/// letters changes. Instead, an idle reader reads a large family's listings when a member joins
/// (`StoreReader.prepareLists`), and the other reader takes them over (`SharedListingCache`).
final class ListingCache {
    struct Name: Hashable {
        let family: Int64
        let kind: Kind
    }

    private struct Held {
        let listing: Listing
        var usedAt: UInt64
    }

    /// The largest number of octets of all listings of one reader: about 200,000 records. A single larger one is held
    /// alone.
    static let maxOctets = 67_108_864

    /// The largest number of listings that are kept half-read, because their reading was stopped.
    static let maxBegun = 4

    private var begun: [Name: Listing] = [:]
    private var held: [Name: Held] = [:]
    private var uses: UInt64 = 0
    private let maxOctets: Int

    init(maxOctets: Int = ListingCache.maxOctets) { self.maxOctets = maxOctets }

    /// The number of listings.
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

    /// Keeps the part of a listing that a stopped read has read.
    func keepBegun(_ listing: Listing, _ name: Name) {
        if begun.count >= Self.maxBegun { begun = [:] }
        begun[name] = listing
    }

    func takeBegun(_ name: Name) -> Listing? { begun.removeValue(forKey: name) }

    /// Drops the least recently used listings while all together are too large, but never the last used one.
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

/// A place where a reader leaves large listings that it has read, so that the next one need not read them: taking them
/// over costs a hundredth.
package final class SharedListingCache: Sendable {
    struct Entry: Sendable {
        /// The listing contains every change up to this one.
        let sequence: Int64
        let keys: [ListKeys]
    }

    /// The largest number of listings, each for one reader to take: those of one family's kinds. Smaller ones are as
    /// fast to read.
    static let maxListings = 8
    static let smallest = 200

    private let shelved = Lock<[ListingCache.Name: Entry]>([:])

    package init() {}

    func put(_ listing: Listing, _ name: ListingCache.Name) {
        guard listing.keys.count >= Self.smallest else { return }
        let copy = Entry(sequence: listing.sequence, keys: listing.keys)
        shelved.withLock { shelved in
            // A reader that has not taken the others by now has read them itself.
            if shelved.count >= Self.maxListings, shelved[name] == nil { shelved = [:] }
            shelved[name] = copy
        }
    }

    /// Takes a listing off the shelf, if it is not newer than wanted.
    func take(_ name: ListingCache.Name, upTo sequence: Int64) -> Entry? {
        shelved.withLock { shelved in
            guard let found = shelved[name], found.sequence <= sequence else { return nil }
            shelved[name] = nil
            return found
        }
    }
}
