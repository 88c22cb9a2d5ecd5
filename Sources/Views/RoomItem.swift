internal import Terminal
package import Words

/// What stands in the room: the family's timeline, what the program says for this person alone, and where reading stopped.
package enum RoomItem: Hashable, Sendable {
    case timeline(TimelineItem)
    /// Lines of the program: what a command came to.
    case notice(Notice)
    /// Above the first item that was not read.
    case marker

    package struct Notice: Hashable, Sendable {
        package let number: Int
        /// UTC milliseconds.
        package let at: Int64
        /// Safe for a terminal.
        package let lines: [String]
    }

    package enum ID: Hashable, Sendable {
        case timeline(TimelineItem.ID)
        case notice(Int)
        case marker
    }

    package var id: ID {
        switch self {
        case .timeline(let item): .timeline(item.id)
        case .notice(let notice): .notice(notice.number)
        case .marker: .marker
        }
    }

    /// What it says, without time and name.
    var text: String {
        switch self {
        case .timeline(let item): item.text
        case .notice(let notice): notice.lines.joined(separator: "\n")
        case .marker: ""
        }
    }

    /// Whether one can act on it in select mode.
    var isSelectable: Bool {
        guard case .timeline(let item) = self else { return false }
        return item.kind == .message || item.kind == .change || item.kind == .gap
    }

    /// Both in the order of their times, notices behind what happened at the same moment, and the marker above `firstUnread`.
    static func merge(_ timeline: [TimelineItem], _ notices: [Notice], firstUnread: TimelineItem.ID?) -> [RoomItem] {
        var items: [RoomItem] = []
        items.reserveCapacity(timeline.count + notices.count + 1)
        var rest = notices[...]
        for item in timeline {
            while let notice = rest.first, notice.at < item.at {
                items.append(.notice(notice))
                rest.removeFirst()
            }
            if item.id == firstUnread { items.append(.marker) }
            items.append(.timeline(item))
        }
        items += rest.map { .notice($0) }
        return items
    }
}
