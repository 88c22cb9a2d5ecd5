package import Bytes
package import Family

/// What a buffer shows; there is at most one for each.
package enum BufferKey: Hashable, Sendable {
    case room, season, trips, documents
    /// What was refused and what waits.
    case kept
    /// A record in full.
    case record(Kind, Identifier)
    /// A form under way, by its number.
    case form(Int)

    /// Those that are always there, with the first numbers.
    package static let fixed: [BufferKey] = [.room, .season, .trips, .documents, .kept]

    fileprivate var isForm: Bool {
        if case .form = self { true } else { false }
    }

    /// What one that is always there is called; "" for the others, which are called as their records are.
    package var title: String {
        switch self {
        case .room: "Room"
        case .season: "Season"
        case .trips: "Trips"
        case .documents: "Documents"
        case .kept: "Kept"
        case .record, .form: ""
        }
    }

    /// Whether what happened to a record is news for who looks here.
    ///
    /// - Parameter record: as it is now, or was before it went; `nil` for one that is not known.
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

/// The buffers that are open, in the order of their numbers, which of them is on the screen, and where something has happened since one
/// looked. Pure.
package struct BufferList: Sendable {
    /// More than anybody finds again; the one that was looked at least lately is closed.
    package static let limit = 30

    package struct Entry: Hashable, Sendable {
        package let key: BufferKey
        package var title: String
        /// What others did here since it was on the screen.
        package var unread = 0
        package var isMention = false
        /// Counts up with each look.
        fileprivate var lastSeen = 0
    }

    package private(set) var entries: [Entry]
    package private(set) var current: BufferKey
    private var looks = 0
    /// What was on the screen, one behind the other, and where in it one is: as a browser goes back and forth.
    private var visited: [BufferKey] = [.room]
    private var visit = 0
    /// More steps back than anybody takes.
    private static let visitLimit = 100

    package init() {
        entries = BufferKey.fixed.map { Entry(key: $0, title: $0.title) }
        current = .room
    }

    /// Brings a buffer onto the screen, opening it if need be.
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
        // Forms hold what nobody has saved: they end with their own keys.
        let idle = entries.filter { !BufferKey.fixed.contains($0.key) && !$0.key.isForm && $0.key != key }.min { $0.lastSeen < $1.lastSeen }
        guard entries.count > Self.limit, let idle else { return nil }
        entries.removeAll { $0.key == idle.key }
        return idle.key
    }

    /// Opens a buffer behind the others and leaves on the screen what is there.
    package mutating func open(_ key: BufferKey, title: String) {
        if place(key) == nil { entries.append(Entry(key: key, title: title)) }
    }

    /// The number of a buffer, from 1.
    package func number(of key: BufferKey) -> Int? { place(key).map { $0 + 1 } }

    /// Closes a buffer and shows the one before it; the fixed ones stay, and only the one before comes.
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

    // MARK: Where to go

    /// The buffer of a number, from 1.
    package func key(numbered number: Int) -> BufferKey? { entries.indices.contains(number - 1) ? entries[number - 1].key : nil }

    /// The next one where something has happened, those with mentions first.
    package var nextActive: BufferKey? {
        let active = entries.filter { $0.unread > 0 && $0.key != current }
        return (active.first { $0.isMention } ?? active.first)?.key
    }

    /// Goes a step through what was on the screen, -1 back, 1 forth again; what is closed is passed over.
    ///
    /// - Returns: what is to be shown then; `nil` at the end.
    package mutating func travel(_ step: Int) -> BufferKey? {
        var next = visit + step
        while visited.indices.contains(next), visited[next] == current || place(visited[next]) == nil { next += step }
        guard visited.indices.contains(next) else { return nil }
        visit = next
        return visited[next]
    }

    /// The one with the next number (-1: the one before), in a circle.
    package func neighbour(_ step: Int) -> BufferKey? {
        place(current).map { entries[($0 + step + entries.count) % entries.count].key }
    }

    /// The one that was on the screen before.
    package var last: BufferKey? { entries.filter { $0.key != current }.max { $0.lastSeen < $1.lastSeen }?.key }

    // MARK: What happens

    /// Notes what somebody else did, where it is news and not seen at once.
    ///
    /// - Parameters:
    ///   - member: who looks.
    ///   - record: how a record is now.
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

    /// Where something has happened, for the status line.
    package var hotlist: [StatusFacts.Hot] {
        entries.enumerated().compactMap { index, entry in
            // What is unread in the room is told by itself.
            guard entry.unread > 0, entry.key != .room else { return nil }
            return StatusFacts.Hot(number: index + 1, title: entry.title, count: entry.unread)
        }
    }
}
