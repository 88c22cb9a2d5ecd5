import Bytes
import Family
import Wire
import Words

/// What a person has been told of others already, so that nothing is told twice.
struct ToldNews {
    private var presence: [Identifier: Presence] = [:]
    /// Uploads of others whose beginning was told.
    private var uploads: Set<Identifier> = []
    /// Messages that are on the screen, so that no page shows them again.
    private var messages: Set<Identifier> = []
    /// Changes that were told last, by their sequence.
    private var recent: [Int64: Change] = [:]
    private static let mostRecent = 200
    /// Changes that were applied before everything missed was here.
    private var missed: [Change] = []

    /// Takes who is there when the room is entered.
    mutating func enter(_ present: [Presence]) { presence = Dictionary(present.map { ($0.member, $0) }, uniquingKeysWith: { _, last in last }) }

    /// - Returns: whether the person wants to know. A second screen of the same member is no news.
    mutating func isNews(_ now: Presence) -> Bool {
        let before = presence[now.member]
        presence[now.member] = now.connections > 0 ? now : nil
        return (before?.connections ?? 0 > 0) != (now.connections > 0) || before?.context != now.context
    }

    /// - Returns: whether the person wants to know: the beginning, and that what they heard of was given up. The document itself comes as a
    ///   change.
    mutating func isNews(_ upload: UploadProgress) -> Bool {
        let isKnown = uploads.contains(upload.id)
        uploads = upload.isOver ? uploads.subtracting([upload.id]) : uploads.union([upload.id])
        return upload.state == .cancelled ? isKnown : !upload.isOver && !isKnown
    }

    mutating func show(_ ids: some Sequence<Identifier>) { messages.formUnion(ids) }

    /// The messages that are not on the screen yet; they are from now on.
    mutating func unseen(_ records: [Record]) -> [Record] {
        let unseen = records.filter { !messages.contains($0.id) }
        show(unseen.map(\.id))
        return unseen
    }

    /// Takes a change that is told, so that its undo can name it.
    mutating func note(_ change: Change) {
        recent[change.sequence] = change
        if recent.count > Self.mostRecent, let oldest = recent.keys.min() { recent[oldest] = nil }
    }

    /// The change that another one undid or did again, if it was told.
    func undone(by change: Change) -> (change: Change, isUndo: Bool)? { change.undone { recent[$0] } }

    mutating func miss(_ change: Change) { missed.append(change) }

    /// What was missed, in order; nothing is missed any more.
    mutating func takeMissed() -> [Change] {
        defer { missed = [] }
        return missed
    }
}
