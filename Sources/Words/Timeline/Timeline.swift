internal import Bytes
package import Family
package import Sync
package import Wire

/// The history of a family in the order of its log: messages, changes in words, presence lines, and gaps.
///
/// A value without I/O. Call `begin` when the records are there, then `receive` with each event of the session and the
/// engine in its state after the event; `items` returns the items to draw. It builds them from the current records each
/// time, so that names are always current.
///
/// Messages of a snapshot come without their sequence, so the timeline is known as *ranges* of the log: the changes
/// that the session has applied, the changes stored by an earlier run (`begin`'s `changes`), and the requested pages of
/// history (`ask`). Between two ranges there is a gap.
package struct Timeline: Sendable {
    /// The number of presence lines that the timeline holds.
    static let maxPresences = 200
    /// The largest number of entries: the oldest are dropped first, and become a gap. Ten years of a busy family.
    static let maxEntries = 50_000
    /// Milliseconds. A visit that is shorter is a command in a shell, and leaves no line.
    package static let shortVisit: Int64 = 10_000

    /// The position of an entry: by commit, then by its position in the commit. Pending entries come last.
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
            /// The lines of the change, which is in `changes`.
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

    /// The entries in the order of their keys.
    private(set) var entries: [Entry] = []
    private(set) var changes: [Int64: Known] = [:]
    /// The keys of messages.
    private var keys: [Identifier: Key] = [:]
    /// Messages that the engine does not hold, as the log created them.
    private(set) var oldMessages: [Identifier: Record] = [:]
    /// Changes that edited, deleted or restored a message.
    private var touches: [Identifier: [Int64]] = [:]
    private(set) var known = SequenceRanges()
    /// Whether the server's log is not the log that was followed: the next records start the timeline again.
    private var isStale = false
    /// The members present, according to the events so far.
    private var shownPresence: [Identifier: Presence] = [:]
    private var presenceCount = 0
    /// The pending requests, by number, with the gap that each one closes.
    private var asked: [Int64: Int64] = [:]

    package init() {}

    /// Starts with the content of an engine.
    ///
    /// - Parameter changes: the changes stored by earlier runs, in order; the last one is at or before the engine's
    ///   cursor.
    package init(_ engine: borrowing SyncEngine, changes: [Change] = []) {
        begin(engine)
        for change in changes.reversed() { insert(change, isUndoable: Self.isUndoable(change)) }
        for stretch in Self.stretches(changes) { known.insert(stretch) }
    }

    private static func stretches(_ changes: [Change]) -> [Range<Int64>] { changes.map { $0.sequence..<$0.sequence + 1 } }

    /// Takes the engine's current messages; the known log stays.
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

    /// Handles one event of a session.
    ///
    /// - Parameters:
    ///   - engine: the engine in its state after the event.
    ///   - at: the current time in UTC milliseconds.
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
        // No response will arrive any more: a view that shows the gap asks again.
        case .notice(.offline): asked = [:]
        case .notice, .stopped: break
        }
        if entries.count > Self.maxEntries { trim() }
    }

    /// The frame that requests the missing changes of a gap; pass it to `ClientSession.ask`. The request number
    /// identifies the response.
    ///
    /// - Parameters:
    ///   - gap: the sequence of a `.gap` item.
    ///   - request: the number from `ask`.
    ///   - limit: the number of changes, 1...200.
    package mutating func ask(_ gap: Int64, request: Int64, limit: Int = 100) -> ClientFrame {
        // Unanswered requests are dropped eventually.
        if asked.count > 16 { asked = [:] }
        asked[request] = gap
        return .history(HistoryRequest(request: request, record: nil, before: gap, limit: limit))
    }

    /// Whether a request for that gap is pending.
    package func isAsked(_ gap: Int64) -> Bool { asked.values.contains(gap) }

    // MARK: Entries

    /// The index for `key`: after all equal keys.
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
            // A message that the log contains keeps the position from the log.
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

    /// Applies the known later changes to a message that only the log contains.
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
        // A second connection of the same person adds no line.
        guard presence.member != engine.member, before?.context != presence.context || (before == nil) != (presence.connections == 0)
        else { return }
        guard before != nil || presence.connections > 0 else { return }
        if presence.connections == 0, removeVisit(of: presence.member, since: at - Self.shortVisit) { return }
        presenceCount += 1
        insert(.presence(presenceCount, presence), Key(at: at))
        let shown = entries.indices.filter { if case .presence = entries[$0].content { true } else { false } }
        if shown.count > Self.maxPresences, let oldest = shown.first { entries.remove(at: oldest) }
    }

    /// Removes the lines of a member's visit, if the member arrived at or after `time`.
    private mutating func removeVisit(of member: Identifier, since time: Int64) -> Bool {
        var lines: [Int] = []
        for place in entries.indices.reversed() {
            guard case .presence(_, let presence) = entries[place].content, presence.member == member else { continue }
            if presence.connections == 0 { break }
            lines.append(place)
        }
        guard let arrival = lines.last, entries[arrival].key.at >= time else { return false }
        for place in lines { entries.remove(at: place) }
        return true
    }

    /// Drops the followed log, because the server's log is a different one.
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
