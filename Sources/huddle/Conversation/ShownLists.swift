import Bytes
import Family

/// What the numbers mean that a person types: places in the lists that were shown last.
struct ShownLists {
    /// The kind of the last list, which a bare number is about.
    private(set) var kind = Kind.event
    private var records: [Kind: [Identifier]] = [:]
    /// The mutations of the drafts that were listed last, by their numbers from 1; `nil` before any were.
    var drafts: [Int64]?
    /// The same of files on their way, by what they are kept under.
    var files: [Int]?
    /// Of the last answer to `/invites`; `nil` before any.
    var invites: [Invite]?
    /// Of the last answer to `/sessions`; `nil` before any.
    var sessions: [AccountSession]?
    /// Where the page of older messages ended that was shown last.
    var olderMark: String?

    mutating func show(_ kind: Kind, _ shown: [Record]) {
        records[kind] = shown.map(\.id)
        self.kind = kind
    }

    /// - Parameter upcoming: the events that come next, which a number means before there was a list.
    /// - Returns: `nil` where there is no such number.
    func record(_ number: Int, _ kinds: [Kind], upcoming: () -> [Identifier]) -> Identifier? {
        let kind = kinds.contains(self.kind) ? self.kind : kinds[0]
        guard let shown = records[kind] ?? (kind == .event ? upcoming() : nil), shown.indices.contains(number - 1) else { return nil }
        return shown[number - 1]
    }

    /// The number of a draft: behind those that have one, which keep theirs.
    ///
    /// - Parameter all: the mutations of all drafts, in order.
    mutating func number(ofDraft mutation: Int64, among all: [Int64]) -> Int? {
        guard all.contains(mutation) else { return nil }
        var listed = drafts ?? all.filter { $0 != mutation }
        if !listed.contains(mutation) { listed.append(mutation) }
        drafts = listed
        return listed.firstIndex(of: mutation).map { $0 + 1 }
    }
}
