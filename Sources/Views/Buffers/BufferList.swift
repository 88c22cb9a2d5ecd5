package import Bytes
package import Family

/// The content of a buffer; at most one buffer is open for each key.
package enum BufferKey: Hashable, Sendable {
    case room, season, trips, documents
    /// Refused changes and changes that wait.
    case kept
    /// A record in full.
    case record(Kind, Identifier)
    /// A form in progress, by its number.
    case form(Int)

    /// The buffers that are always open; they have the first numbers.
    package static let fixed: [BufferKey] = [.room, .season, .trips, .documents, .kept]

    fileprivate var isForm: Bool {
        if case .form = self { true } else { false }
    }

    /// The title of a fixed buffer; "" for the other buffers, which take the titles of their records.
    package var title: String {
        switch self {
        case .room: "Room"
        case .season: "Season"
        case .trips: "Trips"
        case .documents: "Documents"
        case .kept: "Outbox"
        case .record, .form: ""
        }
    }

    /// Whether a change to a record is news for a person who looks at this buffer.
    ///
    /// - Parameter record: the record as it is now, or as it was before its deletion; `nil` for an unknown record.
    package func concerns(_ entry: ChangeEntry, _ record: Record?) -> Bool {
        var fields = record?.fields
        if case .create(_, let new) = entry.effect { fields = new }
        switch self {
        case .room: return entry.kind == .message
        case .season: return entry.kind == .event || entry.kind == .metric || entry.kind == .interaction
        case .trips: return entry.kind == .trip || entry.kind == .tripItem
        case .documents: return entry.kind == .document
        case .kept, .form: return false
        case .record(_, let id): return entry.id == id || fields?.values.contains { $0 == .reference(id) } == true
        }
    }
}

/// The open buffers in the order of their numbers, the buffer on the screen, and the buffers with activity since they
/// were last on the screen. Pure.
package struct BufferList: Sendable {
    /// The largest number of open buffers. Above the limit, the buffer that was on the screen longest ago is closed.
    package static let limit = 30

    package struct Entry: Hashable, Sendable {
        package let key: BufferKey
        package var title: String
        /// The number of changes that others made here since the buffer was on the screen.
        package var unread = 0
        package var isMention = false
        /// The value of `looks` when the buffer was last on the screen; it grows with each look.
        fileprivate var lastSeen = 0
    }

    package private(set) var entries: [Entry]
    package private(set) var current: BufferKey
    private var looks = 0
    /// The buffers that were on the screen, oldest first, and the current position among them, like the history of a
    /// browser.
    private var visited: [BufferKey] = [.room]
    private var visit = 0
    /// The largest number of steps back.
    private static let visitLimit = 100

    package init() {
        entries = BufferKey.fixed.map { Entry(key: $0, title: $0.title) }
        current = .room
    }

    /// Brings a buffer to the screen and opens it first if it is closed.
    ///
    /// - Returns: the buffer that was closed to make room.
    @discardableResult
    package mutating func show(_ key: BufferKey, title: String) -> BufferKey? {
        looks += 1
        note(visit: key)
        if let place = place(key) {
            entries[place].title = title
            see(place)
            current = key
            return nil
        }
        entries.append(Entry(key: key, title: title, lastSeen: looks))
        current = key
        // Forms hold unsaved input, so only their own keys close them.
        let idle = entries.filter { !BufferKey.fixed.contains($0.key) && !$0.key.isForm && $0.key != key }.min { $0.lastSeen < $1.lastSeen }
        guard entries.count > Self.limit, let idle else { return nil }
        entries.removeAll { $0.key == idle.key }
        return idle.key
    }

    /// Opens a buffer behind the others; the buffer on the screen stays there.
    package mutating func open(_ key: BufferKey, title: String) {
        if place(key) == nil { entries.append(Entry(key: key, title: title)) }
    }

    /// The number of a buffer, from 1.
    package func number(of key: BufferKey) -> Int? { place(key).map { $0 + 1 } }

    /// Closes a buffer and shows the previous one. A fixed buffer stays open; only the previous one is shown.
    package mutating func close(_ key: BufferKey) {
        let before = last
        if !BufferKey.fixed.contains(key) { entries.removeAll { $0.key == key } }
        guard current == key else { return }
        looks += 1
        let next = before.flatMap { place($0) } ?? 0
        current = entries[next].key
        note(visit: current)
        see(next)
    }

    private mutating func note(visit key: BufferKey) {
        guard visited[visit] != key else { return }
        visited.removeSubrange((visit + 1)...)
        visited.append(key)
        if visited.count > Self.visitLimit { visited.removeFirst() }
        visit = visited.count - 1
    }

    package mutating func rename(_ key: BufferKey, _ title: String) {
        if let place = place(key) { entries[place].title = title }
    }

    private mutating func see(_ place: Int) {
        entries[place].unread = 0
        entries[place].isMention = false
        entries[place].lastSeen = looks
    }

    private func place(_ key: BufferKey) -> Int? { entries.firstIndex { $0.key == key } }

    // MARK: Navigation

    /// The buffer with a number, from 1.
    package func key(numbered number: Int) -> BufferKey? { entries.indices.contains(number - 1) ? entries[number - 1].key : nil }

    /// The next buffer with activity; buffers with mentions come first.
    package var nextActive: BufferKey? {
        let active = entries.filter { $0.unread > 0 && $0.key != current }
        return (active.first { $0.isMention } ?? active.first)?.key
    }

    /// Moves one step through the visited buffers, -1 back, 1 forward; closed buffers are skipped.
    ///
    /// - Returns: the buffer to show; `nil` at the end.
    package mutating func travel(_ step: Int) -> BufferKey? {
        var next = visit + step
        while visited.indices.contains(next), visited[next] == current || place(visited[next]) == nil { next += step }
        guard visited.indices.contains(next) else { return nil }
        visit = next
        return visited[next]
    }

    /// The buffer with the next number (-1: the previous number), in a circle.
    package func neighbour(_ step: Int) -> BufferKey? {
        place(current).map { entries[($0 + step + entries.count) % entries.count].key }
    }

    /// The buffer that was on the screen before the current one.
    package var last: BufferKey? { entries.filter { $0.key != current }.max { $0.lastSeen < $1.lastSeen }?.key }

    // MARK: Activity

    /// Counts a change by another member as unread where it is news and not visible immediately.
    ///
    /// - Parameters:
    ///   - member: the member who uses this client.
    ///   - record: returns a record in its current state.
    package mutating func note(_ change: Change, for member: Identifier?, _ record: (Identifier) -> Record?) {
        for entry in change.entries {
            let known = record(entry.id)
            var isMention = false
            if entry.kind == .message, case .create(_, let fields) = entry.effect {
                isMention = fields.set("mentions").contains { $0.id == member }
            }
            for place in entries.indices where entries[place].key != current && entries[place].key.concerns(entry, known) {
                entries[place].unread += 1
                if isMention { entries[place].isMention = true }
            }
        }
    }

    /// The buffers with activity, for the status line.
    package var hotlist: [StatusFacts.ActiveBuffer] {
        entries.enumerated().compactMap { index, entry in
            // The status line shows the unread items of the room separately.
            guard entry.unread > 0, entry.key != .room else { return nil }
            return StatusFacts.ActiveBuffer(number: index + 1, title: entry.title, count: entry.unread)
        }
    }
}
