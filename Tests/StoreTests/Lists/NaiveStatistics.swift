import Bytes
import Dates
import Family
import Queries

extension NaiveList {
    /// The figures of a kind, counted record by record.
    ///
    /// - Parameter quota: octets that the family may store.
    func statistics(_ kind: Kind, _ records: some Sequence<Record>, athlete: Identifier?, quota: Int) -> Statistics {
        let living = records.filter { !$0.isDeleted && (athlete == nil || $0.athlete == nil || $0.athlete == athlete) }
        func count(_ condition: (Record) -> Bool) -> Int { living.filter { $0.kind == kind && condition($0) }.count }
        func types(_ counted: (Record) -> Bool) -> [Statistics.TypeCount] {
            words(kind, "type").map { word in .init(type: word, records: count { counted($0) && $0.fields.text("type") == word }) }
                .filter { $0.records > 0 }
        }
        switch kind {
        case .event:
            var events = Statistics.Events()
            events.total = count { _ in true }
            events.upcoming = count { ($0.fields.text("end_date") ?? $0.fields.text("start_date") ?? "") >= today.description }
            events.attended = count { $0.fields.flag("attended") }
            events.registered = count { $0.fields.flag("registered") && !$0.fields.flag("attended") }
            events.notRegistered = count { !$0.fields.flag("registered") && !$0.fields.flag("attended") }
            events.types = types { _ in true }
            return .events(events)
        case .document:
            var documents = Statistics.Documents()
            documents.total = count { $0.fields.flag("is_current") }
            documents.shared = count { $0.fields.flag("is_current") && !$0.fields.set("shared_with_schools").isEmpty }
            documents.types = types { $0.fields.flag("is_current") }
            documents.mostCommonType = documents.types.reduce(nil) { (best: Statistics.TypeCount?, next) in
                best.map { $0.records >= next.records } ?? false ? best : next
            }?.type
            for case .integer(let octets)? in living.filter({ $0.kind == kind }).map({ $0.fields["octets"] }) { documents.octets += octets }
            // The storage of the whole family, older versions and deleted documents too, a file that several have once.
            var files: [String: Int64] = [:]
            for record in records where record.kind == kind {
                if let sha256 = record.fields.text("sha256"), case .integer(let octets)? = record.fields["octets"] { files[sha256] = octets }
            }
            documents.storageUsed = files.values.reduce(0, +)
            documents.storageQuota = Int64(quota)
            return .documents(documents)
        case .metric: return .metrics(metrics(living.filter { $0.kind == .metric }))
        default:
            return .family(Kind.allCases.map { kind in .init(kind: kind, records: living.filter { $0.kind == kind }.count) }
                .filter { $0.records > 0 })
        }
    }

    private func words(_ kind: Kind, _ field: String) -> [String] {
        guard case .choice(let words, _) = kind.declaration.fields[kind.field(field)].type else { return [] }
        return words
    }

    private func metrics(_ records: [Record]) -> [Statistics.Metric] {
        func text(_ record: Record, _ field: String) -> String { record.fields.text(field) ?? "" }
        /// When it was measured, then when it was entered.
        func isEarlier(_ left: Record, _ right: Record) -> Bool {
            (text(left, "recorded_date"), left.createdAt, left.id) < (text(right, "recorded_date"), right.createdAt, right.id)
        }
        func mark(_ record: Record) -> Statistics.Metric.Mark {
            .init(id: record.id, value: text(record, "value"), unit: text(record, "unit"), date: text(record, "recorded_date"))
        }
        return words(.metric, "metric_type").flatMap { type in
            let groups = Dictionary(grouping: records.filter { text($0, "metric_type") == type }) {
                [type == "other" ? text($0, "label") : "", text($0, "unit")]
            }
            return groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap { name, group -> Statistics.Metric? in
                let inTime = group.sorted(by: isEarlier)
                let less = ["sixty_time", "pop_time", "era"].contains(type)
                let values = inTime.map { Double(text($0, "value")) ?? .nan }
                guard let best = less ? values.min() : values.max(), let place = values.firstIndex(of: best), let latest = inTime.last else {
                    return nil
                }
                return .init(
                    type: type, label: name[0].isEmpty ? nil : name[0], records: group.count, best: mark(inTime[place]), latest: mark(latest))
            }
        }
    }
}
