import Bytes
import Family
import Wire
import Words

/// The news that a person has already seen, so that nothing is reported twice.
struct ReportedNews {
    private var presence: [Identifier: Presence] = [:]
    /// Other members' uploads whose beginning was reported.
    private var uploads: Set<Identifier> = []
    /// Messages that are on the screen, so that no page shows them again.
    private var messages: Set<Identifier> = []
    /// The last changes that were reported, by their sequence.
    private var recent: [Int64: Change] = [:]
    private static let mostRecent = 200
    /// Changes that were applied before everything missed had arrived.
    private var missed: [Change] = []

    /// Takes the members who are present when the person enters the room.
    mutating func enter(_ present: [Presence]) { presence = Dictionary(present.map { ($0.member, $0) }, uniquingKeysWith: { _, last in last }) }

    /// - Returns: whether to report it. A second screen of the same member is not news.
    mutating func isNews(_ now: Presence) -> Bool {
        let before = presence[now.member]
        presence[now.member] = now.connections > 0 ? now : nil
        return (before?.connections ?? 0 > 0) != (now.connections > 0) || before?.context != now.context
    }

    /// - Returns: whether to report it: the beginning, and the cancellation of an upload that was reported. The
    ///   document itself comes as a change.
    mutating func isNews(_ upload: UploadProgress) -> Bool {
        let isKnown = uploads.contains(upload.id)
        uploads = upload.isOver ? uploads.subtracting([upload.id]) : uploads.union([upload.id])
        return upload.state == .cancelled ? isKnown : !upload.isOver && !isKnown
    }

    mutating func show(_ ids: some Sequence<Identifier>) { messages.formUnion(ids) }

    /// The messages that are not on the screen yet; the call counts them as shown.
    mutating func unseen(_ records: [Record]) -> [Record] {
        let unseen = records.filter { !messages.contains($0.id) }
        show(unseen.map(\.id))
        return unseen
    }

    /// Takes a change that is reported, so that its undo can name it.
    mutating func note(_ change: Change) {
        recent[change.sequence] = change
        if recent.count > Self.mostRecent, let oldest = recent.keys.min() { recent[oldest] = nil }
    }

    /// The change that another change undid or redid, if it was reported.
    func undone(by change: Change) -> (change: Change, isUndo: Bool)? { change.undone { recent[$0] } }

    mutating func miss(_ change: Change) { missed.append(change) }

    /// The missed changes in order; afterwards none are missed.
    mutating func takeMissed() -> [Change] {
        defer { missed = [] }
        return missed
    }
}
