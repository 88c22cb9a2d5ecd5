/// A list of items of different heights that is read from the bottom, as a conversation is: which of them are seen, and where.
///
/// Items have identities, so that what one looks at stays in its place when others come above or below, and when the width and with it
/// all heights change. Only the heights of items that are seen, or passed while scrolling, are asked for.
package struct Scrollback<ID: Hashable & Sendable>: Sendable {
    /// What the view holds on to.
    package enum Anchor: Hashable, Sendable {
        /// The newest item stands at the bottom, and new ones push the others up.
        case bottom
        /// This item's first row stands so many rows below the top; negative when it begins above it.
        case item(ID, row: Int)
    }

    package private(set) var anchor = Anchor.bottom
    /// The item that is selected, in select mode.
    package private(set) var selected: ID?

    package init() {}

    package var isAtBottom: Bool { anchor == .bottom }

    /// The items and their heights as they are now.
    package struct Items {
        package let count: Int
        package let id: (Int) -> ID
        /// Rows of an item; 0 hides it.
        package let height: (Int) -> Int
        /// Where an item is; `nil` when it is no more.
        package let place: (ID) -> Int?
        /// Whether one can select it: a message, not a line between days.
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

    /// An item that is seen.
    package struct Placed: Hashable, Sendable {
        package let index: Int
        /// Its first row, 0 is the top; negative when its beginning is above.
        package let row: Int
        package let height: Int
    }

    /// What is seen in so many rows, from top to bottom. Few items stand at the bottom, with room above.
    package func layout(_ items: Items, rows: Int) -> [Placed] {
        guard items.count > 0, rows > 0 else { return [] }
        guard case .item(let id, let row) = anchor, let index = items.place(id) else { return fromBottom(items, rows) }
        var placed: [Placed] = []
        // Upwards from the anchor, then downwards.
        var top = row
        var above = index
        while top > 0, above > 0 {
            above -= 1
            top -= items.height(above)
        }
        // Above the oldest is no gap.
        top = min(top, 0)
        var place = above
        while top < rows, place < items.count {
            let height = items.height(place)
            if top + height > 0, height > 0 { placed.append(Placed(index: place, row: top, height: height)) }
            top += height
            place += 1
        }
        // There is nothing below any more, but room: the bottom is what one sees then.
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

    /// How many items are below what is seen, one whose end is not seen among them: nobody takes half a help page for all of it.
    package func hiddenBelow(_ items: Items, rows: Int) -> Int {
        guard let last = layout(items, rows: rows).last else { return 0 }
        return items.count - 1 - last.index + (last.row + last.height > rows ? 1 : 0)
    }

    /// Moves the view; positive towards the newest.
    ///
    /// - Returns: whether the oldest item is at the top now, so that the caller fetches older ones.
    @discardableResult
    package mutating func scroll(by count: Int, _ items: Items, rows: Int) -> Bool {
        let placed = layout(items, rows: rows)
        guard let first = placed.first, let last = placed.last else { return true }
        var count = count
        if count > 0 {
            // No further than that the newest stands at the bottom.
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
            // No further than that the oldest stands at the top.
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

    /// Holds on to the first item that is seen, so that the way to it stays short.
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

    /// Shows an item at a third of the height, as a jump to the first unread does.
    package mutating func show(_ id: ID, rows: Int) { show(id, at: rows / 3) }

    /// Shows an item with its first row so many rows below the top.
    package mutating func show(_ id: ID, at row: Int) { anchor = .item(id, row: row) }

    // MARK: Selecting

    /// Selects the next older (-1) or newer (1) item that can be selected, beginning with the newest that is seen, and shows it.
    ///
    /// - Returns: false when there is none: beyond the newest selecting ends.
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

    /// Selects this item, as a click does.
    package mutating func select(_ id: ID?) { selected = id }

    /// Scrolls just so far that the item is seen whole, or its beginning when it is higher than the view.
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
