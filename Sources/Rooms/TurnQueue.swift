package import Bytes

/// Items of families that take turns: one item each, in the order in which the families came. The items of one family keep their order.
///
/// Each item is put in and taken out in constant time on average, however many families there are. Taking one by a condition also takes time for
/// each family that is passed over.
package struct TurnQueue<Item: Sendable>: Sendable {
    private var families: [Identifier: WaitingLine<Item>] = [:]
    /// The families with items, in the order of their turns.
    private var turns = WaitingLine<Identifier>()
    /// Items of all families.
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// Items of one family.
    package func count(of family: Identifier) -> Int { families[family]?.count ?? 0 }

    /// Whether any family but one has items.
    package func hasItems(besides family: Identifier) -> Bool { families.count > (families[family] == nil ? 0 : 1) }

    package mutating func append(_ item: Item, of family: Identifier) {
        if families[family] == nil { turns.append(family) }
        families[family, default: WaitingLine()].append(item)
        count += 1
    }

    /// Takes the next items, at most `maximum`.
    package mutating func removeFirst(_ maximum: Int) -> [Item] {
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
        count -= taken.count
        return taken
    }

    /// Takes the next item of the first family that may have a turn now; the others keep their places.
    package mutating func removeFirst(where mayHaveTurn: (Identifier) -> Bool) -> Item? {
        guard let family = turns.removeFirst(where: mayHaveTurn), var waiting = families.removeValue(forKey: family) else { return nil }
        let item = waiting.removeFirst()
        count -= 1
        guard !waiting.isEmpty else { return item }
        families[family] = waiting
        turns.append(family)
        return item
    }

    /// Whether any family with items may have a turn now.
    package func contains(where mayHaveTurn: (Identifier) -> Bool) -> Bool { families.keys.contains(where: mayHaveTurn) }

    /// Puts back items that were taken out last, in the same order: they are the next ones of their families, whose turns come first.
    package mutating func putBack(_ items: [Item], family: (Item) -> Identifier) {
        var order: [Identifier] = []
        for item in items where !order.contains(family(item)) { order.append(family(item)) }
        for item in items.reversed() { families[family(item), default: WaitingLine()].putBack(item) }
        turns.removeAll { order.contains($0) }
        for family in order.reversed() { turns.putBack(family) }
        count += items.count
    }
}

/// Items in the order in which they came, each taken out in constant time on average, and by a condition in time for each item that is passed over.
package struct WaitingLine<Item: Sendable>: Sendable {
    private var items: [Item] = []
    private var head = 0

    package init() {}

    package var count: Int { items.count - head }
    package var isEmpty: Bool { count == 0 }

    package mutating func append(_ item: Item) { items.append(item) }

    package mutating func removeFirst() -> Item {
        let first = items[head]
        head += 1
        trim()
        return first
    }

    /// - Returns: at most `maximum`.
    package mutating func removeFirst(_ maximum: Int) -> [Item] {
        let first = Array(items[head...].prefix(maximum))
        head += first.count
        trim()
        return first
    }

    /// The first item that fits; those before it stay.
    package mutating func removeFirst(where fits: (Item) -> Bool) -> Item? {
        guard let place = items[head...].firstIndex(where: fits) else { return nil }
        // The few that are passed over move up, not the many behind them.
        let found = items[place]
        for passed in (head..<place).reversed() { items[passed + 1] = items[passed] }
        head += 1
        trim()
        return found
    }

    /// In the place of the one that was taken out last.
    package mutating func putBack(_ item: Item) {
        if head == 0 {
            items.insert(item, at: 0)
        } else {
            head -= 1
            items[head] = item
        }
    }

    package mutating func removeAll(where isGone: (Item) -> Bool) {
        items = items[head...].filter { !isGone($0) }
        head = 0
    }

    /// Frees the items that were taken out once they are half of all.
    private mutating func trim() {
        guard head * 2 >= items.count else { return }
        items.removeFirst(head)
        head = 0
    }
}
