package import Bytes

/// Where a record stands in the order of a query: what is compared, the smallest first. Two records never have the same.
package struct Place: Hashable, Comparable, Sendable {
    /// Compared first; empty where numbers decide.
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

    package static func < (left: Place, right: Place) -> Bool {
        if let order = order(left.text, right.text) { return order }
        if left.first != right.first { return left.first < right.first }
        if left.second != right.second { return left.second < right.second }
        if let order = order(left.name, right.name) { return order }
        return left.id < right.id
    }

    /// `nil` for equal ones.
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
    /// Where a record stands in this query's order.
    package func place(_ keys: ListKeys) -> Place {
        // `~` turns an order round, and unlike `-` has an answer for every number.
        switch sort {
        case .dateDescending: Place(first: ~keys.moment, name: keys.name, id: keys.id)
        case .dateAscending, .start: Place(first: keys.moment, name: keys.name, id: keys.id)
        case .name: Place(text: keys.name, first: ~keys.moment, id: keys.id)
        case .type: Place(text: word(keys.type), first: ~keys.moment, second: ~keys.createdAt, name: keys.name, id: keys.id)
        case .newest: Place(first: ~keys.createdAt, name: keys.name, id: keys.id)
        case .oldest: Place(first: keys.createdAt, name: keys.name, id: keys.id)
        case .mostShared: Place(first: ~Int64(keys.sharedCount), second: ~keys.createdAt, name: keys.name, id: keys.id)
        }
    }

    private func word(_ type: UInt8) -> ArraySlice<UInt8> {
        let words = QueryDeclaration.of(kind).typeOctets
        return Int(type) < words.count ? words[Int(type)] : []
    }
}
