package import Bytes
package import Family

/// Figures about the living records of one kind (R123 and the like).
package enum Statistics: Hashable, Sendable {
    case events(Events)
    case documents(Documents)
    case metrics([Metric])
    /// Living records of each kind, in the order of `Kind`, kinds without any left out.
    case family([Count])

    package struct Count: Hashable, Sendable {
        package var kind: Kind
        package var records: Int

        package init(kind: Kind, records: Int) {
            self.kind = kind
            self.records = records
        }
    }

    /// A type, and how many are of it.
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
        /// In the order of the declaration, types without any left out.
        package var types: [TypeCount] = []

        package init() {}
    }

    package struct Documents: Hashable, Sendable {
        /// Newest versions; older ones count for `octets` only.
        package var total = 0
        /// Of them those that a school has.
        package var shared = 0
        /// The one that most are of; of several the first of the declaration; `nil` without a document.
        package var mostCommonType: String?
        /// All that is stored, older versions included.
        package var octets: Int64 = 0
        package var types: [TypeCount] = []
        /// Octets that the family stores, each file once, deleted documents included until they are purged; whosever documents are counted.
        /// `nil` from a server that does not tell.
        package var storageUsed: Int64?
        /// Octets that the family may store.
        package var storageQuota: Int64?

        package init() {}
    }

    /// What was measured of one type in one unit (of type `other`: of one label).
    package struct Metric: Hashable, Sendable {
        package struct Mark: Hashable, Sendable {
            package var id: Identifier
            /// As it was written.
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
        /// For type `other`.
        package var label: String?
        package var records: Int
        /// The largest; for times and averages of runs, where less is better, the smallest.
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

    /// The kind that was asked for.
    package var kind: Kind {
        switch self {
        case .events: .event
        case .documents: .document
        case .metrics: .metric
        case .family: .family
        }
    }
}
