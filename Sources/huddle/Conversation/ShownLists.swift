import Bytes
import Family

/// The meaning of the numbers that a person types: places in the lists that were shown last.
struct ShownLists {
    /// The kind of the last list, to which a bare number refers.
    private(set) var kind = Kind.event
    private var records: [Kind: [Identifier]] = [:]
    /// The mutations of the drafts that were listed last, by their numbers from 1; `nil` before any list.
    var drafts: [Int64]?
    /// The same for transfers, by their numbers in the cache.
    var files: [Int]?
    /// From the last answer to `/invites`; `nil` before any.
    var invites: [Invite]?
    /// From the last answer to `/sessions`; `nil` before any.
    var sessions: [AccountSession]?
    /// The end of the page of older messages that was shown last.
    var olderMark: String?

    mutating func show(_ kind: Kind, _ shown: [Record]) {
        records[kind] = shown.map(\.id)
        self.kind = kind
    }

    /// - Parameter upcoming: the next events, to which a number refers before any list was shown.
    /// - Returns: `nil` if there is no such number.
    func record(_ number: Int, _ kinds: [Kind], upcoming: () -> [Identifier]) -> Identifier? {
        let kind = kinds.contains(self.kind) ? self.kind : kinds[0]
        guard let shown = records[kind] ?? (kind == .event ? upcoming() : nil), shown.indices.contains(number - 1) else { return nil }
        return shown[number - 1]
    }

    /// The number of a draft. A draft without one gets the next; the others keep theirs.
    mutating func number(ofDraft mutation: Int64, among all: [Int64]) -> Int? {
        guard all.contains(mutation) else { return nil }
        var listed = drafts ?? all.filter { $0 != mutation }
        if !listed.contains(mutation) { listed.append(mutation) }
        drafts = listed
        return listed.firstIndex(of: mutation).map { $0 + 1 }
    }
}
