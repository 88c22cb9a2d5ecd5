package import Bytes
package import Family
package import Queries

/// Answers `list`.
package struct Page: Hashable, Sendable {
    package var request: Int64
    /// The sequence at which all of it is true.
    package var sequence: Int64
    package var records: [Record]
    /// The page mark for what follows; `nil`: that was the end.
    package var next: String?
    /// Records of the whole list, when it was asked for.
    package var total: Int?

    package init(request: Int64, sequence: Int64, records: [Record], next: String? = nil, total: Int? = nil) {
        self.request = request
        self.sequence = sequence
        self.records = records
        self.next = next
        self.total = total
    }
}

/// Answers `statistics`.
package struct StatisticsAnswer: Hashable, Sendable {
    package var request: Int64
    package var sequence: Int64
    package var statistics: Statistics

    package init(request: Int64, sequence: Int64, statistics: Statistics) {
        self.request = request
        self.sequence = sequence
        self.statistics = statistics
    }
}

/// Answers `history`.
package struct HistoryPage: Hashable, Sendable {
    package var request: Int64
    package var entries: [HistoryItem]
    /// What to ask for with `before`; `nil`: that was the oldest.
    package var next: Int64?

    package init(request: Int64, entries: [HistoryItem], next: Int64? = nil) {
        self.request = request
        self.entries = entries
        self.next = next
    }
}

/// One change of a family as history tells it.
package struct HistoryItem: Hashable, Sendable {
    package struct Change: Hashable, Sendable {
        package var entry: ChangeEntry
        /// What an update replaced, for each field that it changed; empty for others, and where that was purged.
        package var before: [FieldPatch.Assignment]

        package init(entry: ChangeEntry, before: [FieldPatch.Assignment] = []) {
            self.entry = entry
            self.before = before
        }
    }

    package var sequence: Int64
    /// UTC milliseconds.
    package var at: Int64
    package var member: Identifier
    /// Whether an undo of it contradicts nothing that came later, as things stand now.
    package var isUndoable: Bool
    /// The change that this one undid.
    package var undoes: Int64?
    package var changes: [Change]

    package init(sequence: Int64, at: Int64, member: Identifier, isUndoable: Bool, undoes: Int64? = nil, changes: [Change]) {
        self.sequence = sequence
        self.at = at
        self.member = member
        self.isUndoable = isUndoable
        self.undoes = undoes
        self.changes = changes
    }
}

/// Answers `digest`.
package struct DigestAnswer: Hashable, Sendable {
    /// How often which kind was created, updated, deleted and restored.
    package struct KindCount: Hashable, Sendable {
        package var kind: Kind
        package var created: Int
        package var updated: Int
        package var deleted: Int
        package var restored: Int

        package init(kind: Kind, created: Int = 0, updated: Int = 0, deleted: Int = 0, restored: Int = 0) {
            self.kind = kind
            self.created = created
            self.updated = updated
            self.deleted = deleted
            self.restored = restored
        }
    }

    /// How many changes somebody made.
    package struct Author: Hashable, Sendable {
        package var member: Identifier
        package var changes: Int

        package init(member: Identifier, changes: Int) {
            self.member = member
            self.changes = changes
        }
    }

    /// The latest that happened to one record.
    package struct Latest: Hashable, Sendable {
        package var kind: Kind
        package var id: Identifier
        package var sequence: Int64
        /// UTC milliseconds.
        package var at: Int64
        package var member: Identifier

        package init(kind: Kind, id: Identifier, sequence: Int64, at: Int64, member: Identifier) {
            self.kind = kind
            self.id = id
            self.sequence = sequence
            self.at = at
            self.member = member
        }
    }

    package var request: Int64
    /// Where it ends: the newest change.
    package var sequence: Int64
    /// What it covers: the changes after this one.
    package var after: Int64
    /// False when more happened since than a digest looks at: `after` is later than what was asked for.
    package var isComplete: Bool
    /// Changes that it covers.
    package var changes: Int
    package var kinds: [KindCount]
    /// Who made most, first.
    package var authors: [Author]
    /// New messages of others.
    package var messages: Int
    /// New messages that mention the member who asks, newest first.
    package var mentions: [Identifier]
    /// Which records changed, the latest first.
    package var records: [Latest]

    package init(
        request: Int64, sequence: Int64, after: Int64, isComplete: Bool, changes: Int, kinds: [KindCount], authors: [Author], messages: Int,
        mentions: [Identifier], records: [Latest]
    ) {
        self.request = request
        self.sequence = sequence
        self.after = after
        self.isComplete = isComplete
        self.changes = changes
        self.kinds = kinds
        self.authors = authors
        self.messages = messages
        self.mentions = mentions
        self.records = records
    }
}

/// Answers `access_log`.
package struct AccessPage: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        /// UTC milliseconds.
        package var at: Int64
        /// Whose season.
        package var athlete: Identifier
        /// Who looked.
        package var member: Identifier
        /// `context`, `document` or `export`.
        package var what: String
        /// The document.
        package var record: Identifier?

        package init(at: Int64, athlete: Identifier, member: Identifier, what: String, record: Identifier? = nil) {
            self.at = at
            self.athlete = athlete
            self.member = member
            self.what = what
            self.record = record
        }
    }

    package var request: Int64
    package var entries: [Entry]
    package var next: String?

    package init(request: Int64, entries: [Entry], next: String? = nil) {
        self.request = request
        self.entries = entries
        self.next = next
    }
}
