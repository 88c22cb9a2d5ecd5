package import Bytes
package import Family

/// Figures about the living records of one kind (R123 and the like).
package enum Statistics: Hashable, Sendable {
    case events(Events)
    case documents(Documents)
    case metrics([Metric])
    /// The living records of each kind, in the order of `Kind`; kinds without records are omitted.
    case family([Count])

    package struct Count: Hashable, Sendable {
        package var kind: Kind
        package var records: Int

        package init(kind: Kind, records: Int) {
            self.kind = kind
            self.records = records
        }
    }

    /// A type, with the number of its records.
    package struct TypeCount: Hashable, Sendable {
        package var type: String
        package var records: Int

        package init(type: String, records: Int) {
            self.type = type
            self.records = records
        }
    }

    package struct Events: Hashable, Sendable {
        package var total = 0
        package var upcoming = 0
        package var registered = 0
        package var notRegistered = 0
        package var attended = 0
        /// In the order of the declaration; types without records are omitted.
        package var types: [TypeCount] = []

        package init() {}
    }

    package struct Documents: Hashable, Sendable {
        /// The number of newest versions; older ones count only for `octets`.
        package var total = 0
        /// The number of these documents that a school has.
        package var shared = 0
        /// The most common type; of several, the first of the declaration; `nil` without documents.
        package var mostCommonType: String?
        /// All stored octets, including older versions.
        package var octets: Int64 = 0
        package var types: [TypeCount] = []
        /// The octets that the family stores, each file once, including deleted documents until they are purged,
        /// regardless of the owner that the other figures are for. `nil` from a server that does not report it.
        package var storageUsed: Int64?
        /// The octets that the family may store.
        package var storageQuota: Int64?

        package init() {}
    }

    /// The measurements of one type in one unit (of type `other`: of one label).
    package struct Metric: Hashable, Sendable {
        package struct Mark: Hashable, Sendable {
            package var id: Identifier
            /// The value as it was written.
            package var value: String
            package var unit: String
            /// `YYYY-MM-DD`.
            package var date: String

            package init(id: Identifier, value: String, unit: String, date: String) {
                self.id = id
                self.value = value
                self.unit = unit
                self.date = date
            }
        }

        package var type: String
        /// The label, for type `other`.
        package var label: String?
        package var records: Int
        /// The largest value; for times and averages of runs, where less is better, the smallest.
        package var best: Mark
        package var latest: Mark

        package init(type: String, label: String? = nil, records: Int, best: Mark, latest: Mark) {
            self.type = type
            self.label = label
            self.records = records
            self.best = best
            self.latest = latest
        }
    }

    /// The kind of the figures.
    package var kind: Kind {
        switch self {
        case .events: .event
        case .documents: .document
        case .metrics: .metric
        case .family: .family
        }
    }
}
