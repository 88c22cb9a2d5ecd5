internal import Bytes
package import Family
package import Sync
package import Wire

/// What happened in a family in the order of its log: messages, changes in words, who came and went, and where something is missing.
///
/// A value without I/O. `begin` when the records are there, then `receive` each event of the session with the engine as it is after it;
/// `items` gives what to draw, built anew from the records each time, so that names are always the current ones.
///
/// Messages of a snapshot come without their sequence, so that a timeline is known as *stretches* of the log: what the session has
/// applied, what was kept from an earlier run (`begin`'s `changes`), and pages of history that were asked for (`ask`). Between two
/// stretches stands a gap.
package struct Timeline: Sendable {
    /// Lines about who came and went that are kept.
    static let maxPresences = 200
    /// Entries at most: the oldest are forgotten first, and are a gap then. Ten years of a busy family.
    static let maxEntries = 50_000
    /// Lines of one change; what goes beyond is counted.
    static let maxLines = 6

    /// Where something stands: by commit, then by its place in it. What waits comes last.
    struct Key: Hashable, Comparable, Sendable {
        var at: Int64
        var sequence: Int64 = .max
        var place = 0

        static func < (left: Key, right: Key) -> Bool {
            if left.at != right.at { return left.at < right.at }
            return left.sequence != right.sequence ? left.sequence < right.sequence : left.place < right.place
        }
    }

    struct Entry: Hashable, Sendable {
        enum Content: Hashable, Sendable {
            case message(Identifier)
            /// Lines of the change, which `changes` holds.
            case change(Int64)
            case presence(Int, Presence)
        }

        var key: Key
        var content: Content
    }

    struct Known: Hashable, Sendable {
        var change: Change
        var isUndoable: Bool
    }

    /// In the order of their keys.
    private(set) var entries: [Entry] = []
    private(set) var changes: [Int64: Known] = [:]
    /// Of messages.
    private var keys: [Identifier: Key] = [:]
    /// Messages that the engine does not hold, as the log made them.
    private(set) var oldMessages: [Identifier: Record] = [:]
    /// Changes that edited, deleted or restored a message.
    private var touches: [Identifier: [Int64]] = [:]
    private(set) var known = SequenceRanges()
    /// The server's log is not the one that was followed: the next records begin anew.
    private var isStale = false
    /// Who is here, as far as it has been told.
    private var shownPresence: [Identifier: Presence] = [:]
    private var presenceCount = 0
    /// Requests under way, by number: the gap that each is to close.
    private var asked: [Int64: Int64] = [:]

    package init() {}

    /// Starts with what an engine holds.
    ///
    /// - Parameter changes: changes kept from earlier runs, in order; the last of them at the engine's cursor or before it.
    package init(_ engine: borrowing SyncEngine, changes: [Change] = []) {
        begin(engine)
        for change in changes.reversed() { insert(change, isUndoable: Self.isUndoable(change)) }
        for stretch in Self.stretches(changes) { known.insert(stretch) }
    }

    private static func stretches(_ changes: [Change]) -> [Range<Int64>] { changes.map { $0.sequence..<$0.sequence + 1 } }

    /// Takes the engine's messages as they are; everything that is known of the log stays.
    package mutating func begin(_ engine: borrowing SyncEngine) {
        if let cursor = engine.cursor { known.insert(cursor.sequence + 1..<cursor.sequence + 1) }
        let messages = engine.records(of: .message)
        let held = Set(messages.map(\.id))
        entries.removeAll { entry in
            guard case .message(let id) = entry.content else { return false }
            return !held.contains(id) && oldMessages[id] == nil
        }
        keys = keys.filter { held.contains($0.key) || oldMessages[$0.key] != nil }
        for message in messages { place(message, engine) }
        shownPresence = engine.presence
    }

    /// Takes one event of a session.
    ///
    /// - Parameters:
    ///   - engine: as it is after the event.
    ///   - at: UTC milliseconds now.
    package mutating func receive(_ event: SessionEvent, _ engine: borrowing SyncEngine, at: Int64) {
        switch event {
        case .replaced:
            if isStale { forgetLog() }
            begin(engine)
        case .changed(let ids):
            for id in ids {
                if let message = engine.record(id) {
                    if message.kind == .message { message.isDeleted ? remove(id) : place(message, engine) }
                } else if keys[id] != nil, oldMessages[id] == nil {
                    remove(id)
                }
            }
        case .notice(.change(let change, _)):
            insert(change, isUndoable: Self.isUndoable(change))
            known.insert(change.sequence..<change.sequence + 1)
        case .notice(.presence(let presence)): insert(presence, engine, at: at)
        case .notice(.joined): shownPresence = engine.presence
        case .notice(.reset): isStale = true
        case .notice(.answer(.history(let page))): insert(page)
        case .notice(.failed(_, request: let request?)): asked[request] = nil
        // Nobody answers any more: who looks at the gap asks again.
        case .notice(.offline): asked = [:]
        case .notice, .stopped: break
        }
        if entries.count > Self.maxEntries { trim() }
    }

    /// The frame that fetches what a gap lacks; give it to `ClientSession.ask`. The answer finds its way by the number.
    ///
    /// - Parameters:
    ///   - gap: the sequence of a `.gap` item.
    ///   - request: the number that `ask` gave.
    ///   - limit: changes, 1...200.
    package mutating func ask(_ gap: Int64, request: Int64, limit: Int = 100) -> ClientFrame {
        // What nobody answers is forgotten by and by.
        if asked.count > 16 { asked = [:] }
        asked[request] = gap
        return .history(HistoryRequest(request: request, record: nil, before: gap, limit: limit))
    }

    /// Whether that gap is being filled.
    package func isAsked(_ gap: Int64) -> Bool { asked.values.contains(gap) }

    // MARK: Entries

    /// Where `key` belongs: behind those that are equal to it.
    private func index(_ key: Key) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].key <= key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func insert(_ content: Entry.Content, _ key: Key) {
        entries.insert(Entry(key: key, content: content), at: index(key))
    }

    private mutating func remove(_ id: Identifier) {
        guard let key = keys.removeValue(forKey: id) else { return }
        oldMessages[id] = nil
        if let place = entries.lastIndex(where: { $0.content == .message(id) && $0.key == key }) { entries.remove(at: place) }
    }

    private mutating func place(_ message: Record, _ engine: borrowing SyncEngine) {
        let isWaiting = engine.confirmedRecord(message.id) == nil
        let key = isWaiting ? Key(at: .max, sequence: message.createdAt) : Key(at: message.createdAt)
        if let old = keys[message.id] {
            oldMessages[message.id] = nil
            // What the log has told of stands where the log says.
            if old == key || (old.at != .max && old.sequence != .max) { return }
            remove(message.id)
        }
        keys[message.id] = key
        insert(.message(message.id), key)
    }

    private mutating func insert(_ change: Change, isUndoable: Bool) {
        if changes.updateValue(Known(change: change, isUndoable: isUndoable), forKey: change.sequence) != nil { return }
        for (place, entry) in change.entries.enumerated() where entry.kind == .message {
            guard case .create(_, let fields) = entry.effect else {
                touches[entry.id, default: []].append(change.sequence)
                if oldMessages[entry.id] != nil { bringUpToDate(entry.id) }
                continue
            }
            let key = Key(at: change.at, sequence: change.sequence, place: place)
            let isHeld = keys[entry.id] != nil
            remove(entry.id)
            keys[entry.id] = key
            insert(.message(entry.id), key)
            guard !isHeld else { continue }
            oldMessages[entry.id] = Record(
                kind: .message, id: entry.id, athlete: nil, version: entry.version, createdAt: change.at, createdBy: change.member,
                updatedAt: change.at, updatedBy: change.member, fields: fields)
            bringUpToDate(entry.id)
        }
        insert(.change(change.sequence), Key(at: change.at, sequence: change.sequence, place: change.entries.count))
    }

    /// Does to a message that only the log has told of what later changes did, those that are known.
    private mutating func bringUpToDate(_ id: Identifier) {
        guard var record = oldMessages[id] else { return }
        for sequence in (touches[id] ?? []).sorted() {
            guard let change = changes[sequence]?.change else { continue }
            for entry in change.entries where entry.id == id && entry.version > record.version {
                switch entry.effect {
                case .create: break
                case .update(let assignments):
                    for assignment in assignments where record.fields.values.indices.contains(assignment.field) {
                        record.fields[assignment.field] = assignment.value
                    }
                case .delete: record.deletedAt = change.at
                case .restore(_, let fields, _, _):
                    record.fields = fields
                    record.deletedAt = nil
                }
                record.version = entry.version
                record.updatedAt = change.at
            }
        }
        oldMessages[id] = record
    }

    private mutating func insert(_ page: HistoryPage) {
        guard let gap = asked.removeValue(forKey: page.request) else { return }
        for item in page.entries {
            let change = Change(
                sequence: item.sequence, at: item.at, member: item.member, client: nil, mutation: nil, undoes: item.undoes,
                entries: item.changes.map(\.entry))
            insert(change, isUndoable: item.isUndoable)
        }
        let start = page.next == nil ? 1 : page.entries.last?.sequence ?? gap
        known.insert(min(start, gap)..<gap)
    }

    private mutating func insert(_ presence: Presence, _ engine: borrowing SyncEngine, at: Int64) {
        let before = shownPresence[presence.member]
        shownPresence[presence.member] = presence.connections > 0 ? presence : nil
        // A second screen of the same person is no news.
        guard presence.member != engine.member, before?.context != presence.context || (before == nil) != (presence.connections == 0)
        else { return }
        guard before != nil || presence.connections > 0 else { return }
        presenceCount += 1
        insert(.presence(presenceCount, presence), Key(at: at))
        let shown = entries.indices.filter { if case .presence = entries[$0].content { true } else { false } }
        if shown.count > Self.maxPresences, let oldest = shown.first { entries.remove(at: oldest) }
    }

    /// The server's log is not the one that was followed.
    private mutating func forgetLog() {
        entries.removeAll { if case .presence = $0.content { false } else { true } }
        (changes, keys, oldMessages, touches, known, asked) = ([:], [:], [:], [:], SequenceRanges(), [:])
        isStale = false
    }

    private mutating func trim() {
        for entry in entries.prefix(Self.maxEntries / 10) {
            switch entry.content {
            case .message(let id): (keys[id], oldMessages[id], touches[id]) = (nil, nil, nil)
            case .change(let sequence):
                changes[sequence] = nil
                known.trim(below: sequence + 1)
            case .presence: break
            }
        }
        entries.removeFirst(Self.maxEntries / 10)
    }

    private static func isUndoable(_ change: Change) -> Bool { change.entries.allSatisfy(Undo.isUndoable) }
}
