import Blobs
import Family
import HTTP1
import Posix
import EventLoop
import Rooms
import Store

/// Limits the guesses of each address, and the openings of each link.
final class ShareLinkGuessLimiter {
    var guesses = GuessLimit()
    var openings = OpeningLimit()
    let missing = SharePage.missing
}

@available(*, unavailable) extension ShareLinkGuessLimiter: Sendable {}

/// The limit of wrong links per address.
struct GuessLimit {
    /// Wrong links in each `time`: a person mistypes or opens old mails, a program tries thousands. The length of a
    /// token keeps guesses from finding anything; valid links open all the same, for other clients at the same address.
    static let most = 20
    /// Milliseconds.
    static let time: Int64 = 600_000
    /// The largest number of addresses that are remembered. Above it, all are dropped.
    static let maxAddresses = 10_000

    private var counts: [NetworkAddress: (count: Int, since: Int64)] = [:]

    /// The number of remembered addresses.
    var addresses: Int { counts.count }

    /// Milliseconds until an address may try again; `nil` if it may now.
    func wait(_ group: NetworkAddress?, now: Int64) -> Int64? {
        guard let group, let entry = counts[group], entry.count >= GuessLimit.most, now - entry.since < GuessLimit.time else { return nil }
        return entry.since + GuessLimit.time - now
    }

    /// Counts a wrong link.
    mutating func miss(_ group: NetworkAddress?, now: Int64) {
        guard let group else { return }
        if let entry = counts[group], now - entry.since < GuessLimit.time {
            counts[group] = (entry.count + 1, entry.since)
            return
        }
        if counts.count >= GuessLimit.maxAddresses { counts = counts.filter { now - $0.value.since < GuessLimit.time } }
        if counts.count >= GuessLimit.maxAddresses { counts = [:] }
        counts[group] = (1, now)
    }
}

/// The limit of openings per link.
struct OpeningLimit {
    /// Pages and files of one link, by anybody: enough for a team of coaches who open a mail together, and too few to
    /// keep the server busy.
    static let rate = TokenRate(perSecond: 5, burst: 20)
    /// The largest number of links that are remembered. Above it, the idle ones are dropped, or otherwise all.
    static let maxLinks = 10_000
    /// Milliseconds after which an idle link has all its permits again.
    private static let rest = Int64(rate.burst / rate.perSecond) * 1_000

    private var buckets: [ShareLinkName: (bucket: TokenBucket, at: Int64)] = [:]

    /// The number of remembered links.
    var links: Int { buckets.count }

    /// Counts an opening.
    ///
    /// - Returns: milliseconds until the link may be opened again; `nil` if it may now.
    mutating func wait(_ link: ShareLinkName, now: Int64) -> Int64? {
        if buckets[link] == nil, buckets.count >= Self.maxLinks {
            buckets = buckets.filter { now - $0.value.at < Self.rest }
            if buckets.count >= Self.maxLinks { buckets = [:] }
        }
        var bucket = buckets[link]?.bucket ?? TokenBucket()
        let wait = bucket.take(Self.rate, now: now)
        buckets[link] = (bucket, now)
        return wait
    }
}

/// `/s/<token>` and `/s/<token>/file`: the document that a member shared with a person outside of the family. A link
/// that has ended, was revoked or never existed gets the same answer in each case.
final class ShareVisitHandler: DocumentFileHandler {
    private let limiter: ShareLinkGuessLimiter
    private let what: ShareVisit.What

    init(_ context: RequestContext, _ services: RequestServices, _ blobs: BlobFolder, _ limiter: ShareLinkGuessLimiter, what: ShareVisit.What) {
        self.limiter = limiter
        self.what = what
        super.init(context, services, blobs)
    }

    override func begin() {
        let token = context.path["token"]
        services.workers.read { reader throws(StoreFailure) in
            try reader.share(token: token)
        } then: { [self] answer in
            guard isOpen else { return }
            guard let answer else { return respond(SharePage.busy) }
            guard let shared = answer else { return miss() }
            let name = ShareLinkName(family: shared.document.family, link: shared.link)
            guard !services.access.hasEnded(name) else { return respond(limiter.missing) }
            if let wait = limiter.openings.wait(name, now: services.now) { return respond(SharePage.tooOften(seconds: RetryAfter.seconds(wait))) }
            show(shared, name)
        }
    }

    /// Looking up a link is cheap, so guessers are refused only here: other clients behind the same address may have
    /// valid links.
    private func miss() {
        let now = services.now
        if let wait = limiter.guesses.wait(context.address, now: now) { return respond(SharePage.tooMany(seconds: RetryAfter.seconds(wait))) }
        limiter.guesses.miss(context.address, now: now)
        respond(limiter.missing)
    }

    private func show(_ shared: SharedDocument, _ name: ShareLinkName) {
        let visit = ShareVisit(family: name.family, link: name.link, what: what)
        switch what {
        case .page:
            // A server that is shutting down can no longer note a view.
            guard services.usage.isOpen else { return respond(SharePage.busy) }
            // A client that only asks whether the page exists has not seen it.
            if context.head.method == "GET" { services.usage.note(visit) }
            respond(SharePage.page(shared, token: context.path["token"]))
        case .download:
            let refusal: () -> HTTPResponse? = { [self] in services.access.hasEnded(name) ? limiter.missing : nil }
            give(DocumentFile(document: shared.document, caching: "no-store"), refusal: refusal) { [services] first in
                // A resumed download is not another one.
                if first == 0 { services.usage.note(visit) }
            }
        }
    }
}
