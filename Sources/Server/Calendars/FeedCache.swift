import Bytes
import Calendar
import Crypto
import Dates
import Deflate
import Family
import HTTP1
import Store

/// The octets of a feed in its content codings, with their validator.
struct FeedRepresentation: Sendable {
    let plain: [UInt8]
    /// Empty if it is not smaller.
    let gzip: [UInt8]
    /// The tag of the plain octets; the tag of the gzip ones ends with `-gzip`.
    let tag: String

    init(_ octets: [UInt8]) {
        plain = octets
        let small = Gzip.compress(octets, .little)
        gzip = small.count < octets.count ? small : []
        tag = Hex.encode(Array(Digest.sha256(octets).prefix(16)))
    }
}

/// Recent feeds. The cache keeps the validators of many, so that a program that already has a feed gets its answer
/// without making the feed; it keeps the octets of few, within a bound.
struct FeedCache {
    /// Everything that determines the octets of a feed, besides the zone data.
    struct State: Hashable {
        var feed: OpenFeed
        var day: CalendarDate
        var address: String?
    }

    struct Entry {
        var state: State
        var tag: String
        /// The number of octets, plain and compressed; 0: same as `plain`.
        var length: Int
        var gzipLength: Int
        /// `nil` if there was no more room.
        var content: FeedRepresentation?
        fileprivate var usedAt: UInt64
    }

    /// The largest total of octets of all contents.
    static let maxOctets = 16_777_216
    /// The largest number of feeds whose validators are kept.
    static let maxEntries = 10_000

    private let maxOctets: Int
    private let maxEntries: Int
    private var entries: [FeedName: Entry] = [:]
    private(set) var octets = 0
    private var uses: UInt64 = 0

    init(maxOctets: Int = FeedCache.maxOctets, maxEntries: Int = FeedCache.maxEntries) {
        self.maxOctets = maxOctets
        self.maxEntries = maxEntries
    }

    var count: Int { entries.count }

    /// The cached feed, if nothing has changed since.
    mutating func entry(_ name: FeedName, _ state: State) -> Entry? {
        guard var entry = entries[name], entry.state == state else { return nil }
        uses += 1
        entry.usedAt = uses
        entries[name] = entry
        return entry
    }

    mutating func put(_ name: FeedName, _ state: State, _ content: FeedRepresentation) {
        remove(name)
        uses += 1
        let size = content.plain.count + content.gzip.count
        entries[name] = Entry(
            state: state, tag: content.tag, length: content.plain.count, gzipLength: content.gzip.count, content: size <= maxOctets ? content : nil, usedAt: uses)
        if size <= maxOctets { octets += size }
        if entries.count > maxEntries { forgetOldest(entries.count - maxEntries * 3 / 4) }
        dropContents()
    }

    mutating func remove(_ name: FeedName) {
        guard let entry = entries.removeValue(forKey: name) else { return }
        octets -= entry.size
    }

    private mutating func forgetOldest(_ count: Int) {
        for (name, _) in entries.sorted(by: { $0.value.usedAt < $1.value.usedAt }).prefix(count) { remove(name) }
    }

    /// Drops the least recently used contents until a quarter of the room is free.
    private mutating func dropContents() {
        guard octets > maxOctets else { return }
        for (name, entry) in entries.sorted(by: { $0.value.usedAt < $1.value.usedAt }) where entry.content != nil {
            guard octets > maxOctets * 3 / 4 else { return }
            octets -= entry.size
            entries[name]?.content = nil
        }
    }
}

extension FeedCache.Entry {
    fileprivate var size: Int { content.map { $0.plain.count + $0.gzip.count } ?? 0 }
}

/// A rate limit for the fetches of each feed.
struct FeedPace {
    /// Milliseconds between two fetches of a feed by one method.
    static let interval: Int64 = 10_000
    /// The largest number of feeds that are counted. Above it, the feeds that may be fetched again are dropped, or
    /// otherwise all.
    static let maxFeeds = 10_000

    private struct Fetch: Hashable {
        var feed: FeedName
        var isHead: Bool
    }

    private var last: [Fetch: Int64] = [:]

    var count: Int { last.count }

    /// Counts a fetch.
    ///
    /// - Returns: milliseconds until the feed may be fetched again; `nil` if it may now.
    mutating func wait(_ feed: FeedName, isHead: Bool, now: Int64) -> Int64? {
        let fetch = Fetch(feed: feed, isHead: isHead)
        if let at = last[fetch], now - at < Self.interval { return at + Self.interval - now }
        if last[fetch] == nil, last.count >= Self.maxFeeds {
            last = last.filter { now - $0.value < Self.interval }
            if last.count >= Self.maxFeeds { last = [:] }
        }
        last[fetch] = now
        return nil
    }
}
