import Blobs
import HTTP1
import Posix
import Reactor
import Store

/// What all share links have in common: who guesses.
final class ShareDoor {
    var guesses = GuessLimit()
    let missing = SharePage.missing
}

@available(*, unavailable) extension ShareDoor: Sendable {}

/// How many links each address may try that open nothing.
struct GuessLimit {
    /// So many in a stretch of time: a person mistypes or opens old mails, a program tries thousands. It bounds the work; what keeps guesses
    /// from finding anything is the length of a token.
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

/// `/s/<token>` and `/s/<token>/file`: what somebody outside of the family was given. A link that has ended, was revoked or never was gets one
/// and the same answer.
final class ShareVisitWork: DocumentFileWork {
    private let door: ShareDoor
    private let what: ShareVisit.What

    init(_ request: HTTPRequest, _ shard: Shard, _ blobs: BlobFolder, _ door: ShareDoor, what: ShareVisit.What) {
        self.door = door
        self.what = what
        super.init(request, shard, blobs)
    }

    private var group: NetworkAddress? { AddressCounts.group(request.source?.address) }

    override func begin() {
        if let wait = door.guesses.wait(group, now: shard.reactor.now) {
            return respond(SharePage.tooMany(seconds: (wait + 999) / 1_000))
        }
        let token = request.name
        shard.read { reader throws(StoreFailure) in
            try reader.share(token: token)
        } then: { [self] answer in
            guard isOpen else { return }
            guard let answer else { return respond(SharePage.busy) }
            guard let shared = answer else {
                door.guesses.miss(group, now: shard.reactor.now)
                return respond(door.missing)
            }
            let name = ShareLinkName(family: shared.document.family, link: shared.link)
            guard !shard.hasEnded(name) else { return respond(door.missing) }
            show(shared, name)
        }
    }

    private func show(_ shared: SharedDocument, _ name: ShareLinkName) {
        let visit = ShareVisit(family: name.family, link: name.link, what: what)
        switch what {
        case .page:
            // A server that ends can note nothing any more.
            guard !shard.isEnding else { return respond(SharePage.busy) }
            // Whoever only asks whether it is there has seen nothing.
            if request.head.method == "GET" { shard.note(visit) }
            respond(SharePage.page(shared, token: request.name))
        case .download:
            let refusal: () -> HTTPResponse? = { [self] in shard.hasEnded(name) ? door.missing : nil }
            give(DocumentFile(document: shared.document, caching: "no-store"), refusal: refusal) { [shard] first in
                // Going on with a download is not another.
                if first == 0 { shard.note(visit) }
            }
        }
    }
}
