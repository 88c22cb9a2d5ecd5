package import Bytes

/// Items of families that take turns: one item each, in the order in which the families came. The items of one family keep their order.
///
/// Each item is put in and taken out in constant time on average, however many families there are. Taking one by a condition also takes time for
/// each family that is passed over.
///
/// Inlinable, so that another target's queue of its own items is compiled for them: the writer's queue of mutations, which was not, took some 2 % of a
/// mutation's time.
package struct TurnQueue<Item: Sendable>: Sendable {
    @usableFromInline var families: [Identifier: WaitingLine<Item>] = [:]
    /// The families with items, in the order of their turns.
    @usableFromInline var turns = WaitingLine<Identifier>()
    @usableFromInline var total = 0

    /// Items of all families.
    @inlinable package var count: Int { total }

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { count == 0 }

    /// Items of one family.
    @inlinable package func count(of family: Identifier) -> Int { families[family]?.count ?? 0 }

    /// Whether any family but one has items.
    @inlinable package func hasItems(besides family: Identifier) -> Bool { families.count > (families[family] == nil ? 0 : 1) }

    @inlinable package mutating func append(_ item: Item, of family: Identifier) {
        if families[family] == nil { turns.append(family) }
        families[family, default: WaitingLine()].append(item)
        total += 1
    }

    /// Takes the next items, at most `maximum`.
    @inlinable package mutating func removeFirst(_ maximum: Int) -> [Item] {
        var taken: [Item] = []
        let wanted = min(count, maximum)
        taken.reserveCapacity(wanted)
        while taken.count < wanted {
            let family = turns.removeFirst()
            guard var waiting = families.removeValue(forKey: family) else { continue }
            if turns.isEmpty {
                taken += waiting.removeFirst(wanted - taken.count)
            } else {
                taken.append(waiting.removeFirst())
            }
            guard !waiting.isEmpty else { continue }
            families[family] = waiting
            turns.append(family)
        }
        total -= taken.count
        return taken
    }

    /// Takes the next item of the first family that may have a turn now; the others keep their places.
    @inlinable package mutating func removeFirst(where mayHaveTurn: (Identifier) -> Bool) -> Item? {
        guard let family = turns.removeFirst(where: mayHaveTurn), var waiting = families.removeValue(forKey: family) else { return nil }
        let item = waiting.removeFirst()
        total -= 1
        guard !waiting.isEmpty else { return item }
        families[family] = waiting
        turns.append(family)
        return item
    }

    /// Whether any family with items may have a turn now.
    @inlinable package func contains(where mayHaveTurn: (Identifier) -> Bool) -> Bool { families.keys.contains(where: mayHaveTurn) }

    /// Puts back items that were taken out last, in the same order: they are the next ones of their families, whose turns come first.
    @inlinable package mutating func putBack(_ items: [Item], family: (Item) -> Identifier) {
        var order: [Identifier] = []
        for item in items where !order.contains(family(item)) { order.append(family(item)) }
        for item in items.reversed() { families[family(item), default: WaitingLine()].putBack(item) }
        turns.removeAll { order.contains($0) }
        for family in order.reversed() { turns.putBack(family) }
        total += items.count
    }
}

/// Items in the order in which they came, each taken out in constant time on average, and by a condition in time for each item that is passed over.
package struct WaitingLine<Item: Sendable>: Sendable {
    @usableFromInline var items: [Item] = []
    @usableFromInline var head = 0

    @inlinable package init() {}

    @inlinable package var count: Int { items.count - head }
    @inlinable package var isEmpty: Bool { count == 0 }

    @inlinable package mutating func append(_ item: Item) { items.append(item) }

    @inlinable package mutating func removeFirst() -> Item {
        let first = items[head]
        head += 1
        trim()
        return first
    }

    /// - Returns: at most `maximum`.
    @inlinable package mutating func removeFirst(_ maximum: Int) -> [Item] {
        let first = Array(items[head...].prefix(maximum))
        head += first.count
        trim()
        return first
    }

    /// The first item that fits; those before it stay.
    @inlinable package mutating func removeFirst(where fits: (Item) -> Bool) -> Item? {
        guard let place = items[head...].firstIndex(where: fits) else { return nil }
        // The few that are passed over move up, not the many behind them.
        let found = items[place]
        for passed in (head..<place).reversed() { items[passed + 1] = items[passed] }
        head += 1
        trim()
        return found
    }

    /// In the place of the one that was taken out last.
    @inlinable package mutating func putBack(_ item: Item) {
        if head == 0 {
            items.insert(item, at: 0)
        } else {
            head -= 1
            items[head] = item
        }
    }

    @inlinable package mutating func removeAll(where isGone: (Item) -> Bool) {
        items = items[head...].filter { !isGone($0) }
        head = 0
    }

    /// Frees the items that were taken out once they are half of all.
    @inlinable mutating func trim() {
        guard head * 2 >= items.count else { return }
        items.removeFirst(head)
        head = 0
    }
}
