package import Bytes
import Family
import JSON
package import Wire

extension StoreReader {
    /// The number of newest changes that a digest covers: some milliseconds (`digestOctets` bounds long ones from
    /// before version 8). After a longer absence, the history has the rest.
    package static let digestChanges: Int64 = 1_000
    /// The largest number of records and mentions in a digest.
    static let digestRecords = 50

    /// The changes of others since a member last looked.
    package func digest(family: Identifier, member: Identifier, _ request: DigestRequest) throws(StoreFailure) -> DigestAnswer {
        try reading {
            let key = try key(family)
            let head = try head(key)
            let wanted = min(try request.after ?? readingPosition(key, of: member), head)
            let (changes, after) = try newestOutlines(key, after: max(wanted, head - Self.digestChanges))
            var digest = Summary(reader: member)
            for change in changes { digest.add(change) }
            return digest.answer(request: request.request, head: head, after: after, isComplete: after == wanted)
        }
    }

    /// The changes after a sequence, in order, in the form that counting needs.
    func outlines(_ family: Int64, after: Int64, _ body: (ChangeOutline) throws -> Void) throws {
        try engine.log.outlines(family: family, after: after) { _, octets in
            try body(outline(octets))
            return true
        }
    }

    /// The newest of the changes after a sequence, in order, as many as fit into `digestOctets`, and the sequence
    /// before the first of them.
    private func newestOutlines(_ family: Int64, after: Int64) throws -> ([ChangeOutline], after: Int64) {
        var changes: [ChangeOutline] = []
        var octets = 0
        var start = after
        try engine.log.newestOutlines(family: family, after: after) { sequence, outline in
            octets += outline.count
            guard octets <= digestOctets || changes.isEmpty else {
                start = sequence
                return false
            }
            changes.append(try self.outline(outline))
            return true
        }
        return (changes.reversed(), start)
    }

    private func outline(_ octets: [UInt8]) throws -> ChangeOutline {
        guard let change = try? octets.withUnsafeBytes({ octets throws(JSONError) in try ChangeOutline.decode(octets) }) else {
            throw StoreFailure("a stored change is damaged")
        }
        return change
    }

    /// The reading position of a member; 0 before the first note of it.
    private func readingPosition(_ family: Int64, of member: Identifier) throws -> Int64 {
        guard case .integer(let sequence)? = try record(family: family, ReadingPosition.id(of: member))?.fields["sequence"] else { return 0 }
        return sequence
    }
}

/// Counts changes one after the other.
private struct Summary {
    private let reader: Identifier
    private var changes = 0
    private var kinds: [Kind: DigestAnswer.KindCount] = [:]
    private var authors: [Identifier: Int] = [:]
    private var messages = 0
    private var mentions: [Identifier] = []
    private var records: [Identifier: DigestAnswer.Latest] = [:]

    init(reader: Identifier) { self.reader = reader }

    mutating func add(_ change: ChangeOutline) {
        // The member's own changes are not news.
        guard change.member != reader else { return }
        // Neither are others' reading positions and reminder rules.
        let entries = change.entries.filter { $0.kind != .readingPosition && $0.kind != .reminderRule }
        guard !entries.isEmpty else { return }
        changes += 1
        authors[change.member, default: 0] += 1
        for entry in entries {
            var count = kinds[entry.kind] ?? DigestAnswer.KindCount(kind: entry.kind)
            switch entry.operation {
            case .create:
                count.created += 1
                if entry.kind == .message {
                    messages += 1
                    if entry.mentions.contains(reader) { mentions.append(entry.id) }
                }
            case .update: count.updated += 1
            case .delete: count.deleted += 1
            case .restore: count.restored += 1
            }
            kinds[entry.kind] = count
            records[entry.id] = DigestAnswer.Latest(
                kind: entry.kind, id: entry.id, sequence: change.sequence, at: change.at, member: change.member)
        }
    }

    func answer(request: Int64, head: Int64, after: Int64, isComplete: Bool) -> DigestAnswer {
        let latest = records.values.sorted { ($1.sequence, $0.id) < ($0.sequence, $1.id) }
        return DigestAnswer(
            request: request, sequence: head, after: after, isComplete: isComplete, changes: changes,
            kinds: kinds.values.sorted { $0.kind.rawValue < $1.kind.rawValue },
            authors: authors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { .init(member: $0.key, changes: $0.value) },
            messages: messages, mentions: Array(mentions.reversed().prefix(StoreReader.digestRecords)),
            records: Array(latest.prefix(StoreReader.digestRecords)))
    }
}
