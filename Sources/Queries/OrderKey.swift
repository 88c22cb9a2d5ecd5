package import Bytes

/// The position of a record in the order of a query: its compared values, smallest first. No two records have the same
/// place.
package struct OrderKey: Hashable, Comparable, Sendable {
    /// Compared first; empty if numbers decide.
    package var text: ArraySlice<UInt8>
    package var first: Int64
    package var second: Int64
    package var name: ArraySlice<UInt8>
    package var id: Identifier

    package init(text: ArraySlice<UInt8> = [], first: Int64 = 0, second: Int64 = 0, name: ArraySlice<UInt8> = [], id: Identifier) {
        self.text = text
        self.first = first
        self.second = second
        self.name = name
        self.id = id
    }

    package static func < (left: OrderKey, right: OrderKey) -> Bool {
        if let order = order(left.text, right.text) { return order }
        if left.first != right.first { return left.first < right.first }
        if left.second != right.second { return left.second < right.second }
        if let order = order(left.name, right.name) { return order }
        return left.id < right.id
    }

    /// Whether `left` comes first; `nil` if both are equal.
    private static func order(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool? {
        if left.isEmpty && right.isEmpty { return nil }
        return left.withUnsafeBufferPointer { left in
            right.withUnsafeBufferPointer { right in
                let count = min(left.count, right.count)
                var index = 0
                while index < count {
                    if left[index] != right[index] { return left[index] < right[index] }
                    index += 1
                }
                return left.count == right.count ? nil : left.count < right.count
            }
        }
    }
}

extension Query {
    /// The position of a record in this query's order.
    package func place(_ keys: ListKeys) -> OrderKey {
        // `~` reverses an order and, unlike `-`, is defined for every number.
        switch sort {
        case .dateDescending: OrderKey(first: ~keys.moment, name: keys.name, id: keys.id)
        case .dateAscending, .start: OrderKey(first: keys.moment, name: keys.name, id: keys.id)
        case .name: OrderKey(text: keys.name, first: ~keys.moment, id: keys.id)
        case .type: OrderKey(text: word(keys.type), first: ~keys.moment, second: ~keys.createdAt, name: keys.name, id: keys.id)
        case .newest: OrderKey(first: ~keys.createdAt, name: keys.name, id: keys.id)
        case .oldest: OrderKey(first: keys.createdAt, name: keys.name, id: keys.id)
        case .mostShared: OrderKey(first: ~Int64(keys.sharedCount), second: ~keys.createdAt, name: keys.name, id: keys.id)
        }
    }

    private func word(_ type: UInt8) -> ArraySlice<UInt8> {
        let words = QueryDeclaration.of(kind).typeOctets
        return Int(type) < words.count ? words[Int(type)] : []
    }

    /// Two numbers that order most places: of two places with different leads the one with the smaller lead comes
    /// first; places with the same lead have to be compared themselves.
    struct Lead: Comparable {
        /// The first eight octets of the text.
        var text: UInt64 = 0
        var number: Int64 = 0

        static func < (left: Lead, right: Lead) -> Bool { (left.text, left.number) < (right.text, right.number) }

        /// The first eight octets as one number, with zeros after the end; it orders like the octets compared one by
        /// one, the shorter first.
        static func first(_ octets: ArraySlice<UInt8>) -> UInt64 {
            var lead: UInt64 = 0
            for octet in octets.prefix(8) { lead = lead << 8 | UInt64(octet) }
            return octets.isEmpty ? 0 : lead << UInt64(8 * (8 - min(octets.count, 8)))
        }
    }

    /// The lead of `place(keys)`. No two types have the same first eight octets.
    func lead(_ keys: ListKeys) -> Lead {
        switch sort {
        case .dateDescending: Lead(number: ~keys.moment)
        case .dateAscending, .start: Lead(number: keys.moment)
        case .name: Lead(text: keys.nameLead)
        case .type: Lead(text: QueryDeclaration.of(kind).typeLead(keys.type), number: ~keys.moment)
        case .newest: Lead(number: ~keys.createdAt)
        case .oldest: Lead(number: keys.createdAt)
        case .mostShared: Lead(number: ~Int64(keys.sharedCount))
        }
    }

    func lead(_ place: OrderKey) -> Lead {
        switch sort {
        case .name: Lead(text: Lead.first(place.text))
        case .type: Lead(text: Lead.first(place.text), number: place.first)
        case .dateDescending, .dateAscending, .start, .newest, .oldest, .mostShared: Lead(number: place.first)
        }
    }
}
