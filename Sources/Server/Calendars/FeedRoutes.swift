import Bytes
import Calendar
import Crypto
import Family
import HTTP1
import Posix
import Store

/// Calendar feeds over HTTP.
///
/// | path | methods | purpose |
/// | --- | --- | --- |
/// | `/feeds/<token>.ics` | GET HEAD OPTIONS | the feed of a token |
enum FeedRoutes {
    static func all(_ services: RequestServices, _ shared: SharedFeedState = SharedFeedState()) -> [RouteGroup.Resource] {
        [RouteGroup("/feeds").resource("/{file}", .get { .handler(FeedHandler($0, services, shared)) })]
    }
}

/// The state that all fetches of a shard share.
final class SharedFeedState {
    var cache = FeedCache()
    var pace = FeedPace()
    var guesses = GuessLimit()
}

@available(*, unavailable) extension SharedFeedState: Sendable {}

/// `GET /feeds/<token>.ics`. A feed that has ended, was revoked or never existed gets the same answer in each case.
final class FeedHandler: RequestHandler {
    private let services: RequestServices
    private let shared: SharedFeedState

    init(_ context: RequestContext, _ services: RequestServices, _ shared: SharedFeedState) {
        self.services = services
        self.shared = shared
        super.init(context)
    }

    private var isHead: Bool { context.head.method == "HEAD" }

    override func begin() {
        let file = context.path["file"]
        // The path must end with the suffix; the part before it may be a token of any form.
        guard file.hasSuffix(".ics") else { return miss() }
        let token = String(file.dropLast(4))
        services.read(for: self) { reader throws(StoreFailure) in try reader.feed(token: token) } then: { [self] found in
            guard let found else { return miss() }
            let name = FeedName(family: found.family, feed: found.id)
            guard !services.access.hasEnded(found) else { return miss() }
            // A server that is shutting down can no longer count a fetch.
            guard services.usage.isOpen else { return respond(HTTPResponse(refusal: .busy)) }
            if let wait = shared.pace.wait(name, isHead: isHead, now: services.now) { return respond(Self.tooOften(wait)) }
            answer(found, name)
        }
    }

    /// Answers from the cache, or makes the feed.
    private func answer(_ found: OpenFeed, _ name: FeedName) {
        let state = FeedCache.State(feed: found, day: StoreReader.feedDay(at: Clock.wallMilliseconds()), address: address)
        if let entry = shared.cache.entry(name, state) {
            let representation = representation(tag: entry.tag, length: entry.length, gzipLength: entry.gzipLength)
            if Preconditions.evaluate(context.head.method, context.head.fields, representation.validators, now: HTTPSite.now) != .proceed {
                return give(representation, nil, name)
            }
            if let content = entry.content { return give(representation, content, name) }
        }
        let address = address
        services.read(for: self) { reader throws(StoreFailure) -> (FeedContent, FeedRepresentation)? in
            let end = WorkClock.monotonicNanoseconds() + Self.longest
            let content = try reader.stopping(when: { WorkClock.monotonicNanoseconds() >= end }) { () throws(StoreFailure) in
                try reader.feedContent(found.id, family: found.family, address: address)
            }
            return content.map { ($0, FeedRepresentation($0.file.octets)) }
        } then: { [self] made in
            guard let (made, content) = made, !services.access.hasEnded(found) else { return miss() }
            shared.cache.put(name, FeedCache.State(feed: made.feed, day: made.day, address: address), content)
            give(representation(tag: content.tag, length: content.plain.count, gzipLength: content.gzip.count), content, name)
        }
    }

    /// The largest number of nanoseconds for reading the records of one feed.
    private static let longest: Int64 = 2_000_000_000

    /// The address at which the client fetches the feed, according to its request.
    private var address: String? {
        guard let source = context.source, let authority = source.authority else { return nil }
        return (source.isSecure ? "https://" : "http://") + Self.text(authority) + "/feeds/" + context.path["file"]
    }

    private static func text(_ authority: Authority) -> String { authority.host + (authority.port.map { ":\($0)" } ?? "") }

    private func representation(tag: String, length: Int, gzipLength: Int) -> Representation {
        let isSmall = gzipLength > 0 && WebClientRoutes.takes("gzip", context.head.fields)
        return Representation(
            length: isSmall ? gzipLength : length, contentType: "text/calendar; charset=utf-8",
            validators: Validators(tag: EntityTag(isSmall ? tag + "-gzip" : tag)),
            fields: [Field("Cache-Control", "private, no-cache"), Field("Vary", "Accept-Encoding"), Field("X-Robots-Tag", "noindex")]
                + (isSmall ? [Field("Content-Encoding", "gzip")] : []))
    }

    /// - Parameter content: `nil` if the conditions of the request make it unnecessary.
    private func give(_ representation: Representation, _ content: FeedRepresentation?, _ name: FeedName) {
        services.usage.note(name, program: Self.program(context.head.fields))
        let selection = ContentSelection(context.head, representation, now: HTTPSite.now, boundary: Hex.encode(Random.octets(16)))
        let isSmall = representation.fields.contains { $0.name == "Content-Encoding" }
        var octets: [UInt8] = []
        if let content {
            for piece in selection.pieces {
                switch piece {
                case .octets(let more): octets += more
                case .part(let range): octets += (isSmall ? content.gzip : content.plain)[range]
                }
            }
        }
        respond(HTTPResponse(selection.status, selection.fields, content: octets))
    }

    /// The program's own name, as far as it fits into one line.
    static func program(_ fields: HTTPFields) -> String {
        let name = (fields.all("user-agent").first ?? "").unicodeScalars.filter { (0x20..<0x7F).contains($0.value) }
        return String(String.UnicodeScalarView(name.prefix(CalendarFeed.programLength)))
    }

    /// Looking up a feed is cheap, so guessers are refused only here: other clients behind the same address may have
    /// valid feeds.
    private func miss() {
        let now = services.now
        if let wait = shared.guesses.wait(context.address, now: now) {
            return respond(
                HTTPResponse(Rejection(.rateLimited, "Too many invalid addresses come from your network. Try again later.", retryAfter: wait)))
        }
        shared.guesses.miss(context.address, now: now)
        respond(Self.missing)
    }

    static var missing: HTTPResponse {
        HTTPResponse(
            404, code: "not_found", sentence: "There is no calendar at this address, or it has ended. Make a new one in Huddle and subscribe to that.")
    }

    private static func tooOften(_ wait: Int64) -> HTTPResponse {
        HTTPResponse(Rejection(.rateLimited, "This calendar was fetched a moment ago. Fetch it again in a few seconds.", retryAfter: wait))
    }
}
