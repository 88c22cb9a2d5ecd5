import Blobs
import Family
import HTTP1
import Posix
import Reactor
import Rooms
import Store

/// What all share links have in common: who guesses, and how often each is opened.
final class ShareLinkGuessLimiter {
    var guesses = GuessLimit()
    var openings = OpeningLimit()
    let missing = SharePage.missing
}

@available(*, unavailable) extension ShareLinkGuessLimiter: Sendable {}

/// How many links each address may try that open nothing.
struct GuessLimit {
    /// In each `time`: a person mistypes or opens old mails, a program tries thousands. The length of a token is what keeps guesses from finding
    /// anything; links that work open all the same, for others at the same address.
    static let most = 20
    /// Milliseconds.
    static let time: Int64 = 600_000
    /// Addresses that are remembered. When there are more, all is forgotten.
    static let maxAddresses = 10_000

    private var counts: [NetworkAddress: (count: Int, since: Int64)] = [:]

    /// Addresses that are remembered.
    var addresses: Int { counts.count }

    /// Milliseconds until an address may try again; `nil` when it may now.
    func wait(_ group: NetworkAddress?, now: Int64) -> Int64? {
        guard let group, let entry = counts[group], entry.count >= GuessLimit.most, now - entry.since < GuessLimit.time else { return nil }
        return entry.since + GuessLimit.time - now
    }

    /// A try has opened nothing.
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

/// How often each link may be opened.
struct OpeningLimit {
    /// Pages and files of one link, by anybody: enough for a team of coaches who open a mail together, and little enough that nobody is kept busy.
    static let rate = TokenRate(perSecond: 5, burst: 20)
    /// Links that are remembered. When there are more, those that rest are forgotten, or else all.
    static let maxLinks = 10_000
    /// Milliseconds after which a link that rests has all its permits.
    private static let rest = Int64(rate.burst / rate.perSecond) * 1_000

    private var buckets: [ShareLinkName: (bucket: TokenBucket, at: Int64)] = [:]

    /// Links that are remembered.
    var links: Int { buckets.count }

    /// Counts an opening.
    ///
    /// - Returns: milliseconds until the link may be opened again; `nil` when it may now.
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

/// `/s/<token>` and `/s/<token>/file`: what somebody outside of the family was given. A link that has ended, was revoked or never was gets one
/// and the same answer.
final class ShareVisitWork: DocumentFileHandler {
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

    /// The look-up of a link costs little, so that guessers are only refused here: behind their address may be others, whose links work.
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
            // A server that ends can note nothing any more.
            guard services.usage.isOpen else { return respond(SharePage.busy) }
            // Whoever only asks whether it is there has seen nothing.
            if context.head.method == "GET" { services.usage.note(visit) }
            respond(SharePage.page(shared, token: context.path["token"]))
        case .download:
            let refusal: () -> HTTPResponse? = { [self] in services.access.hasEnded(name) ? limiter.missing : nil }
            give(DocumentFile(document: shared.document, caching: "no-store"), refusal: refusal) { [services] first in
                // Going on with a download is not another.
                if first == 0 { services.usage.note(visit) }
            }
        }
    }
}
