package import Bytes
package import Dates
package import Family

extension Statistics {
    /// The kinds that have statistics.
    package static let kinds: [Kind] = [.family, .event, .document, .metric]

    /// Counts records.
    ///
    /// - Parameters:
    ///   - kind: event, document or metric; the result is `nil` for others.
    ///   - keys: the keys of all records of the kind.
    ///   - athlete: the owner; `nil` for all owners.
    ///   - today: the date in the family's zone.
    package init?(_ kind: Kind, _ keys: [ListKeys], athlete: Identifier?, today: CalendarDate) {
        /// In place: a copy of a record's keys retains its texts, which took longer than everything else.
        func each(_ body: (ListKeys) -> Void) {
            keys.withUnsafeBufferPointer { keys in
                for index in keys.indices where keys[index].deletedAt == nil && (athlete == nil || keys[index].athlete == athlete) {
                    body(keys[index])
                }
            }
        }
        var types = Types(kind)
        switch kind {
        case .event:
            var events = Events()
            let today = Int32(truncatingIfNeeded: today.days)
            each { events.add($0, today: today, &types) }
            events.types = types.all
            self = .events(events)
        case .document:
            var documents = Documents()
            each { documents.add($0, &types) }
            documents.types = types.all
            let most = documents.types.map(\.records).max()
            documents.mostCommonType = documents.types.first { $0.records == most }?.type
            self = .documents(documents)
        case .metric:
            var living: [ListKeys] = []
            each { living.append($0) }
            self = .metrics(Metric.figures(living))
        default: return nil
        }
    }

    /// The number of records of each type, in the order of the declaration.
    fileprivate struct Types {
        private var counts: [Int] = []
        private let words: [String]

        init(_ kind: Kind) {
            words = QueryDeclaration.of(kind).types
            counts = Array(repeating: 0, count: words.count)
        }

        mutating func add(_ type: UInt8) {
            if Int(type) < counts.count { counts[Int(type)] += 1 }
        }

        var all: [TypeCount] { zip(words, counts).filter { $1 > 0 }.map { TypeCount(type: $0, records: $1) } }
    }
}

extension Statistics.Events {
    fileprivate mutating func add(_ key: ListKeys, today: Int32, _ types: inout Statistics.Types) {
        total += 1
        if key.firstDay != ListKeys.none, key.lastDay >= today { upcoming += 1 }
        switch key.status {
        case .registered: registered += 1
        case .notRegistered: notRegistered += 1
        case .attended: attended += 1
        }
        types.add(key.type)
    }
}

extension Statistics.Documents {
    fileprivate mutating func add(_ key: ListKeys, _ types: inout Statistics.Types) {
        octets += key.octetsStored
        guard key.marks.contains(.current) else { return }
        total += 1
        if key.sharedCount > 0 { shared += 1 }
        types.add(key.type)
    }
}

extension Statistics.Metric {
    /// The types of which a smaller value is better: seconds, and runs that others make.
    private static let fewerIsBetter: Set<String> = ["sixty_time", "pop_time", "era"]

    private struct Group {
        var records = 0
        var best: ListKeys
        var latest: ListKeys
    }

    /// One entry for each type and unit, and for type `other` for each label, in the order of the declaration, then of
    /// labels and units.
    fileprivate static func figures(_ keys: [ListKeys]) -> [Statistics.Metric] {
        let words = QueryDeclaration.of(.metric).types
        var groups: [String: [[String]: Group]] = [:]
        for key in keys where Int(key.type) < words.count && key.measure != nil {
            let type = words[Int(key.type)]
            let name = [type == "other" ? key.measure?.label ?? "" : "", key.measure?.unit ?? ""]
            var group = groups[type]?[name] ?? Group(best: key, latest: key)
            group.records += 1
            if isBetter(key, than: group.best, of: type) { group.best = key }
            if (key.moment, key.createdAt, key.id) > (group.latest.moment, group.latest.createdAt, group.latest.id) { group.latest = key }
            groups[type, default: [:]][name] = group
        }
        return words.flatMap { type in
            (groups[type] ?? [:]).sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap { name, group in
                guard let best = Mark(group.best), let latest = Mark(group.latest) else { return nil }
                return Statistics.Metric(
                    type: type, label: name[0].isEmpty ? nil : name[0], records: group.records, best: best, latest: latest)
            }
        }
    }

    /// Of equal values the earlier one is the best, because it was there first.
    private static func isBetter(_ key: ListKeys, than best: ListKeys, of type: String) -> Bool {
        guard let new = key.measure?.number, let old = best.measure?.number else { return false }
        if new != old { return fewerIsBetter.contains(type) ? new < old : new > old }
        return (key.moment, key.createdAt, key.id) < (best.moment, best.createdAt, best.id)
    }
}

extension Statistics.Metric.Mark {
    fileprivate init?(_ keys: ListKeys) {
        guard let measure = keys.measure else { return nil }
        self.init(
            id: keys.id, value: measure.value, unit: measure.unit,
            date: keys.firstDay == ListKeys.none ? "" : CalendarDate(days: Int(keys.firstDay))?.description ?? "")
    }
}
