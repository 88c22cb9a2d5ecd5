package import Bytes
import Dates
package import Family
package import Queries
package import Wire

extension StoreReader {
    /// The number of changes that a listing follows one by one; above it, reading the listing again costs the same.
    private static let followedChanges: Int64 = 2_000

    /// The number of messages that one search reads: some milliseconds. Then its page ends early, and the next one
    /// continues at the mark.
    private static let searchedMessages = 500

    /// A page of a list.
    ///
    /// - Parameters:
    ///   - query: the query of `request` (`ListRequest.query`).
    ///   - request: its number, page mark, size, and whether it asks for the count.
    /// - Returns: `invalid` for a mark that is not of this list.
    package func page(family: Identifier, _ query: Query, _ request: ListRequest) throws(StoreFailure) -> Result<Page, Rejection> {
        var after: OrderKey?
        if let before = request.before {
            do { after = try PageMark.place(before, query) } catch { return .failure(error) }
        }
        let limit = min(max(request.limit, 1), environment.limits.pageRecords)
        return try reading {
            let key = try key(family)
            let sequence = try head(key)
            let (filled, total) = try fill(key, family, query, sequence, after: after, limit: limit)
            return .success(
                Page(
                    request: request.request, sequence: sequence, records: filled.records,
                    next: filled.next.map { PageMark.text($0, query) }, total: request.counts ? total : nil))
        }
    }

    /// - Returns: the page, and the length of the whole list; `nil` if it is not counted (all messages).
    private func fill(
        _ key: Int64, _ family: Identifier, _ query: Query, _ sequence: Int64, after: OrderKey?, limit: Int
    ) throws -> (PageFill, Int?) {
        var page = PageFill(limit: limit)
        let oldest = environment.now() - FamilyStore.retention
        guard query.kind == .message else {
            let listing = try listing(key, query.kind, sequence: sequence)
            let today = try today(key, family)
            let selection: Selection
            if query.isDeleted {
                // The records that can still be restored.
                let keys = listing.keys.filter { ($0.deletedAt ?? .min) > oldest }
                selection = query.select(keys, today: today, after: after, limit: limit)
            } else {
                selection = query.select(listing.keys, today: today, after: after, limit: limit)
            }
            for place in selection.places {
                // The record was purged: only a list of deleted records can name it, until this listing is read again.
                guard let found = try engine.records.find(family: key, place.id), let record = readable(found) else { continue }
                if !page.add(record, size: found.octets, place) { return (page, selection.total) }
            }
            if selection.hasMore { page.end() }
            return (page, selection.total)
        }
        let matcher = Query.Matcher(query, today: try today(key, family))
        var looked = 0
        func isWanted(_ record: Record) -> Bool {
            looked += 1
            return matcher.matches(keys(record)) && record.deletedAt.map { $0 > oldest } ?? true
        }
        guard let about = query.filter.about else {
            let end = try walkMessages(key, before: after ?? Self.newestMessage) { record, size, place in
                if isWanted(record) { return page.add(record, size: size, place) }
                guard looked < Self.searchedMessages else {
                    page.next = place
                    return false
                }
                return true
            }
            if page.next == nil { page.next = end }
            return (page, nil)
        }
        let created: Int64 = after.map { ~$0.first } ?? .max
        let id = after?.id ?? Identifier(high: .max, low: .max)
        try engine.records.comments(family: key, on: about, before: created, id, areDeleted: query.isDeleted) { stored, created in
            guard let record = readable(stored) else { return true }
            let place = OrderKey(first: ~created, id: record.id)
            if isWanted(record) { return page.add(record, size: stored.octets, place) }
            guard looked < Self.searchedMessages else {
                page.next = place
                return false
            }
            return true
        }
        guard query.search.isEmpty else { return (page, nil) }
        return (page, try engine.records.countComments(family: key, on: about, areDeleted: query.isDeleted))
    }

    /// Figures of one kind.
    ///
    /// - Parameter athlete: the athlete whose records count; `nil` for everybody's.
    /// - Returns: `invalid` for a kind without figures.
    package func statistics(
        family: Identifier, _ request: StatisticsRequest, athlete: Identifier?
    ) throws(StoreFailure) -> Result<StatisticsAnswer, Rejection> {
        guard Statistics.kinds.contains(request.kind) else {
            return .failure(
                Rejection(
                    .invalid, "Only events, documents, metrics and the family have figures: choose one of these", kind: request.kind,
                    field: "kind"))
        }
        return try reading {
            let key = try key(family)
            let sequence = try head(key)
            var statistics: Statistics
            if request.kind == .family {
                var counts = try engine.records.countKinds(family: key, athlete: athlete).map { Statistics.Count(kind: $0.key, records: $0.value) }
                let messages = try engine.records.countMessages(family: key)
                if messages > 0 { counts.append(Statistics.Count(kind: .message, records: messages)) }
                statistics = .family(counts.sorted { $0.kind.rawValue < $1.kind.rawValue })
            } else {
                let keys = try listing(key, request.kind, sequence: sequence).keys
                guard let made = Statistics(request.kind, keys, athlete: athlete, today: try today(key, family)) else {
                    throw StoreFailure("statistics of a kind that has none")
                }
                statistics = made
                if case .documents(var documents) = made {
                    documents.storageUsed = try storage(key)
                    documents.storageQuota = Int64(try engine.families.quotas(family: key).value(.files, environment.limits))
                    statistics = .documents(documents)
                }
            }
            return .success(StatisticsAnswer(request: request.request, sequence: sequence, statistics: statistics))
        }
    }

    /// The current day of the family.
    private func today(_ key: Int64, _ family: Identifier) throws -> CalendarDate {
        let zone = try record(family: key, family)?.fields.text("time_zone") ?? "UTC"
        return environment.rules.rules(zone).localDate(at: environment.now())
    }

    /// The number of a family's changes from which its listings are prepared: with fewer, a list finds its records as
    /// fast.
    package static let largeFamily: Int64 = 500

    /// Reads the listings of a family in advance, so that the first list need not: about 6 us per record.
    ///
    /// - Parameter goesOn: called before each kind; false if there is something better to do.
    package func prepareLists(family: Identifier, while goesOn: () -> Bool) throws(StoreFailure) {
        for kind in Kind.allCases where kind != .message && !QueryDeclaration.of(kind).sorts.isEmpty {
            guard goesOn() else { return }
            try reading {
                let key = try key(family)
                // A listing in the cache stays at its sequence: the next list updates it.
                guard listings.find(.init(family: key, kind: kind)) == nil else { return }
                _ = try listing(key, kind, sequence: try head(key))
            }
        }
    }

    /// The listing of a kind, updated to `sequence`.
    private func listing(_ family: Int64, _ kind: Kind, sequence: Int64) throws -> Listing {
        let name = ListingCache.Name(family: family, kind: kind)
        if let found = listings.find(name) ?? sharedListings.take(name, upTo: sequence).map(Listing.init), found.sequence <= sequence,
            sequence - found.sequence <= Self.followedChanges
        {
            if found.sequence < sequence {
                do { try follow(found, family, kind, to: sequence) } catch {
                    // A half-updated listing would be worse than none.
                    listings.forget(name)
                    throw error
                }
            }
            listings.keep(found, name)
            listings.trim()
            return found
        }
        // A stopped read leaves the part that it has read, so that the next one gets further. A record that came since
        // then, before or after the last id, is among the changes that `follow` reads.
        let begun = listings.takeBegun(name)
        let listing: Listing
        if let begun, begun.sequence <= sequence, sequence - begun.sequence <= Self.followedChanges { listing = begun } else { listing = Listing(sequence: sequence) }
        do {
            if listing.sequence < sequence { try follow(listing, family, kind, to: sequence) }
            try engine.records.forEach(family: family, of: kind, after: listing.lastID) { stored in
                if let record = readable(stored) { listing.set(keys(record)) }
                if let id = stored.id { listing.lastID = id }
            }
        } catch {
            // A half-followed listing would be worse than none.
            if listing.sequence == sequence { listings.keepBegun(listing, name) }
            throw error
        }
        listings.keep(listing, name)
        listings.trim()
        sharedListings.put(listing, name)
        return listing
    }

    private func follow(_ listing: Listing, _ family: Int64, _ kind: Kind, to sequence: Int64) throws {
        var changed: Set<Identifier> = []
        try outlines(family, after: listing.sequence) { change in
            for entry in change.entries where entry.kind == kind { changed.insert(entry.id) }
        }
        for id in changed {
            if let record = try record(family: family, id) { listing.set(keys(record)) }
        }
        listing.sequence = sequence
    }

    private func keys(_ record: Record) -> ListKeys {
        ListKeys(record) { zone, local in environment.rules.zone(zone)?.instant(of: local) }
    }
}

/// The records of one page while it fills.
struct PageFill {
    private(set) var records: [Record] = []
    /// The place at which the next page begins; `nil` while the list may have ended.
    var next: OrderKey?
    private var octets = 0
    private var last: OrderKey?
    private let limit: Int

    /// The largest number of octets of the records in one page, unless one record alone is larger.
    private static let maxOctets = 196_608

    init(limit: Int) { self.limit = limit }

    /// - Parameter size: the octets of the stored fields, which are sent in the same form.
    /// - Returns: false if the record belongs to the next page.
    mutating func add(_ record: Record, size: Int, _ place: OrderKey) -> Bool {
        octets += size
        guard records.isEmpty || (records.count < limit && octets <= Self.maxOctets) else {
            end()
            return false
        }
        records.append(record)
        last = place
        return true
    }

    /// Ends the page although the list continues.
    mutating func end() { next = last }
}
