/// A limit of one family that the person who runs the server can set to another value (`huddled quota`). The raw value is the word in commands and in
/// the database: it never changes.
package enum FamilyQuota: String, CaseIterable, Sendable {
    /// Connections that are in the family's room.
    case connections
    /// Mutations per second.
    case mutations
    /// The number of mutations that may come together after a pause.
    case burst
    /// Lists and their like per second.
    case lists
    /// Octets of the log and the history.
    case rows
    /// Octets of the files of all documents, each once.
    case files
    /// Uploads that have begun and not ended.
    case uploads

    /// The limit of families without a value of their own.
    package var limit: any WritableKeyPath<Limits, Int> & Sendable {
        switch self {
        case .connections: \.connectionsPerFamily
        case .mutations: \.familyMutationsPerSecond
        case .burst: \.familyMutationBurst
        case .lists: \.familyListsPerSecond
        case .rows: \.familyHistory
        case .files: \.familyStorage
        case .uploads: \.uploadsPerFamily
        }
    }

    /// Whether the value counts octets.
    package var isOctets: Bool { self == .rows || self == .files }

    /// The values that can be set. A value of 1 stops what the quota is about without taking anything away.
    package var range: ClosedRange<Int> { isOctets ? 1...1_000_000 << 30 : 1...1_000_000 }
}

/// The values that one family has of its own; every other limit is that of all families.
package struct FamilyQuotas: Hashable, Sendable {
    private var values: [FamilyQuota: Int] = [:]

    package init() {}

    /// The own value; `nil`: that of all families.
    package subscript(quota: FamilyQuota) -> Int? {
        get { values[quota] }
        set { values[quota] = newValue }
    }

    package var isEmpty: Bool { values.isEmpty }

    /// The value in force.
    ///
    /// - Parameter limits: those of all families.
    package func value(_ quota: FamilyQuota, _ limits: Limits) -> Int {
        if let own = values[quota] { return own }
        let usual = limits[keyPath: quota.limit]
        // A rate that the burst of all families does not reach could never be used.
        return quota == .burst ? max(usual, values[.mutations] ?? 0) : usual
    }
}
