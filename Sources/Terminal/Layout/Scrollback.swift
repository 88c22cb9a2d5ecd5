/// A list of items of different heights that is read from the bottom, like a conversation: it computes the visible
/// items and their positions.
///
/// Items have ids, so that the visible items stay in place when others are added above or below, and when the width and
/// with it all heights change. Only the heights of items that are visible, or passed while scrolling, are requested.
package struct Scrollback<ID: Hashable & Sendable>: Sendable {
    /// The fixed point of the view.
    package enum Anchor: Hashable, Sendable {
        /// The newest item is at the bottom, and new ones push the others up.
        case bottom
        /// This item's first row is this many rows below the top; negative if it begins above the top.
        case item(ID, row: Int)
    }

    package private(set) var anchor = Anchor.bottom
    /// The selected item, in select mode.
    package private(set) var selected: ID?

    package init() {}

    package var isAtBottom: Bool { anchor == .bottom }

    /// The current items and their heights.
    package struct Items {
        package let count: Int
        package let id: (Int) -> ID
        /// The rows of an item; 0 hides it.
        package let height: (Int) -> Int
        /// The position of an item; `nil` if it is gone.
        package let place: (ID) -> Int?
        /// Whether the item can be selected: a message, not a line between days.
        package let isSelectable: (Int) -> Bool

        package init(
            count: Int, id: @escaping (Int) -> ID, height: @escaping (Int) -> Int, place: @escaping (ID) -> Int?,
            isSelectable: @escaping (Int) -> Bool = { _ in true }
        ) {
            self.count = count
            self.id = id
            self.height = height
            self.place = place
            self.isSelectable = isSelectable
        }
    }

    /// A visible item.
    package struct Placed: Hashable, Sendable {
        package let index: Int
        /// The item's first row; 0 is the top, negative if the item begins above the top.
        package let row: Int
        package let height: Int
    }

    /// The items visible in `rows` rows, from top to bottom. If there are only a few items, they are at the bottom with
    /// room above.
    package func layout(_ items: Items, rows: Int) -> [Placed] {
        guard items.count > 0, rows > 0 else { return [] }
        guard case .item(let id, let row) = anchor, let index = items.place(id) else { return fromBottom(items, rows) }
        var placed: [Placed] = []
        // First go up from the anchor, then down.
        var top = row
        var above = index
        while top > 0, above > 0 {
            above -= 1
            top -= items.height(above)
        }
        // There is no gap above the oldest item.
        top = min(top, 0)
        var place = above
        while top < rows, place < items.count {
            let height = items.height(place)
            if top + height > 0, height > 0 { placed.append(Placed(index: place, row: top, height: height)) }
            top += height
            place += 1
        }
        // The items end above the last row, so the view shows the bottom instead.
        return top <= rows && place == items.count ? fromBottom(items, rows) : placed
    }

    private func fromBottom(_ items: Items, _ rows: Int) -> [Placed] {
        var placed: [Placed] = []
        var bottom = rows
        var index = items.count
        while bottom > 0, index > 0 {
            index -= 1
            let height = items.height(index)
            bottom -= height
            if height > 0 { placed.append(Placed(index: index, row: bottom, height: height)) }
        }
        return placed.reversed()
    }

    /// The number of items below the visible part. An item whose end is hidden counts, so that half a help page is not
    /// taken for all of it.
    package func hiddenBelow(_ items: Items, rows: Int) -> Int {
        guard let last = layout(items, rows: rows).last else { return 0 }
        return items.count - 1 - last.index + (last.row + last.height > rows ? 1 : 0)
    }

    /// Moves the view; positive counts go towards the newest item.
    ///
    /// - Returns: whether the oldest item is at the top now, so that the caller fetches older ones.
    @discardableResult
    package mutating func scroll(by count: Int, _ items: Items, rows: Int) -> Bool {
        let placed = layout(items, rows: rows)
        guard let first = placed.first, let last = placed.last else { return true }
        var count = count
        if count > 0 {
            // Stop when the newest item is at the bottom.
            var below = last.row + last.height - rows
            var index = last.index + 1
            while below < count, index < items.count {
                below += items.height(index)
                index += 1
            }
            if count >= below {
                anchor = .bottom
                return layout(items, rows: rows).first?.index == 0
            }
        } else {
            // Stop when the oldest item is at the top.
            var above = -first.row
            var index = first.index
            while above < -count, index > 0 {
                index -= 1
                above += items.height(index)
            }
            count = max(count, -max(above, 0))
            guard count < 0 else { return true }
        }
        anchor = .item(items.id(first.index), row: first.row - count)
        rebase(items, rows)
        return layout(items, rows: rows).first.map { $0.index == 0 && $0.row >= 0 } ?? true
    }

    /// Anchors the view at the first visible item, so that the next layout begins there.
    private mutating func rebase(_ items: Items, _ rows: Int) {
        guard let first = layout(items, rows: rows).first else { return }
        anchor = .item(items.id(first.index), row: first.row)
    }

    package mutating func toBottom() {
        anchor = .bottom
        selected = nil
    }

    package mutating func toTop(_ items: Items) {
        guard items.count > 0 else { return }
        anchor = .item(items.id(0), row: 0)
    }

    /// Shows an item at a third of the height, for the jump to the first unread item.
    package mutating func show(_ id: ID, rows: Int) { show(id, at: rows / 3) }

    /// Shows an item with its first row `row` rows below the top.
    package mutating func show(_ id: ID, at row: Int) { anchor = .item(id, row: row) }

    // MARK: Selecting

    /// Selects the next older (-1) or newer (1) selectable item, starting with the newest visible one, and shows it.
    ///
    /// - Returns: false if there is none: the selection ends after the newest item.
    @discardableResult
    package mutating func select(_ step: Int, _ items: Items, rows: Int) -> Bool {
        let start: Int
        if let selected, let place = items.place(selected) {
            start = place + step
        } else {
            start = layout(items, rows: rows).last { items.isSelectable($0.index) }?.index ?? items.count - 1
        }
        var index = start
        while index >= 0, index < items.count, !items.isSelectable(index) { index += step }
        guard index >= 0, index < items.count else {
            if step > 0 { selected = nil }
            return false
        }
        selected = items.id(index)
        reveal(index, items, rows)
        return true
    }

    /// Selects an item, as a click does.
    package mutating func select(_ id: ID?) { selected = id }

    /// Scrolls by the least amount that makes the whole item visible, or its beginning if it is higher than the view.
    private mutating func reveal(_ index: Int, _ items: Items, _ rows: Int) {
        let placed = layout(items, rows: rows)
        let height = items.height(index)
        if let found = placed.first(where: { $0.index == index }), found.row >= 0, found.row + height <= rows { return }
        let isAbove = placed.first.map { index <= $0.index } ?? true
        if !isAbove, index == items.count - 1, height <= rows {
            anchor = .bottom
        } else {
            anchor = .item(items.id(index), row: isAbove ? 0 : max(rows - height, 0))
            if isAbove { rebase(items, rows) }
        }
    }
}
