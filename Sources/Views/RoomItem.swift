internal import Terminal
package import Words

/// An item of the room: an item of the family's timeline, lines of the program for this user alone, or the mark where
/// reading stopped.
package enum RoomItem: Hashable, Sendable {
    case timeline(TimelineItem)
    /// Lines of the program: the result of a command.
    case notice(Notice)
    /// The mark above the first unread item.
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

    /// The item's text, without time and name.
    var text: String {
        switch self {
        case .timeline(let item): item.text
        case .notice(let notice): notice.lines.joined(separator: "\n")
        case .marker: ""
        }
    }

    /// Whether select mode can act on the item.
    var isSelectable: Bool {
        guard case .timeline(let item) = self else { return false }
        return item.kind == .message || item.kind == .change || item.kind == .gap
    }

    /// Merges both in the order of their times: a notice follows items of the same moment, and the marker is above
    /// `firstUnread`.
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
