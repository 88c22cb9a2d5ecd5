import Bytes

/// The octets of mutations between reactor and writer, in all and of each family.
///
/// A family may have a quarter of them, so that no family, nor two or three together, fills the room of all the others.
struct PendingOctets {
    /// The part of all octets that one family may have.
    static let share = 4

    private let most: Int
    private let mostOfFamily: Int
    private(set) var count = 0
    private var families: [Identifier: Int] = [:]

    /// - Parameter most: above it no mutation is taken.
    init(most: Int) {
        self.most = most
        mostOfFamily = max(most / Self.share, 1)
    }

    /// Whether a family may have another mutation. The one that reaches a bound is the last one.
    func hasRoom(for family: Identifier) -> Bool { count < most && families[family, default: 0] < mostOfFamily }

    mutating func add(_ octets: Int, of family: Identifier) {
        count += octets
        families[family, default: 0] += octets
    }

    /// Mutations are answered, or not taken.
    mutating func remove(_ octets: Int, of family: Identifier) {
        guard octets > 0 else { return }
        count -= octets
        let left = families[family, default: 0] - octets
        families[family] = left > 0 ? left : nil
    }
}
