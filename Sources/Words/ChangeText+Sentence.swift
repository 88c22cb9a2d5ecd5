package import Bytes
package import Family
internal import Terminal

extension Change {
    /// The change that this one undoes or does again, and whether it undoes it; `nil` if it does neither, or that change
    /// is not known.
    package func undone(_ known: (Int64) -> Change?) -> (change: Change, isUndo: Bool)? {
        var (original, isUndo) = (self, false)
        while let sequence = original.undoes {
            guard sequence < original.sequence, let earlier = known(sequence) else { return nil }
            (original, isUndo) = (earlier, !isUndo)
        }
        return original.sequence == self.sequence ? nil : (original, isUndo)
    }
}

/// A whole change in one sentence: "moved Asheville to Dec 11 - 13, 2026, with 4 items", "added 200 events".
extension ChangeText {
    /// A change in words, and the record that it is mostly about.
    package struct Sentence: Hashable, Sendable {
        /// Begins with the author, if there is one.
        package var text: String
        /// The position of the main entry.
        package var place: Int
        /// The name of the main record, as it is in the text; "" if the text counts records.
        package var name: String
    }

    /// The verb of an effect, for several records.
    private enum Verb: String {
        case added, changed, deleted, restored

        init(_ effect: ChangeEntry.Effect) {
            switch effect {
            case .create: self = .added
            case .update: self = .changed
            case .delete: self = .deleted
            case .restore: self = .restored
            }
        }
    }

    /// The description of a change as one sentence; `nil` if nothing in it is described.
    ///
    /// - Parameters:
    ///   - places: the positions of the entries that count; the caller leaves out those that it shows elsewhere.
    ///   - author: "" for a sentence without its author.
    ///   - before: returns a record in its state before the change, for the names of deleted records.
    package func sentence(_ entries: [ChangeEntry], at places: [Int]? = nil, by author: String, before: (Identifier) -> Record? = { _ in nil }) -> Sentence? {
        let told = (places ?? Array(entries.indices)).filter { Self.isDescribed(entries[$0]) }
        guard let first = told.first else { return nil }
        func said(_ words: String) -> String { author.isEmpty ? words : "\(author) \(words)" }
        func named(_ place: Int) -> String { name(entries[place], names[entries[place].id] ?? before(entries[place].id)) }
        if let place = told.first(where: { Self.isNewVersion(entries[$0]) }), case .create(_, let fields) = entries[place].effect,
            told.allSatisfy({ entries[$0].kind == .document }), case .integer(let number)? = fields["version"] {
            return Sentence(text: said("uploaded version \(number) of \(named(place))"), place: place, name: named(place))
        }
        if let place = told.first(where: { Self.isNewFamily(entries[$0]) }) { return Sentence(text: said("made the family"), place: place, name: "") }
        let main = main(entries, told)
        let rest = told.filter { $0 != main }
        if let main {
            let entry = entries[main]
            let name = named(main)
            let moved = moved(entry, name)
            let text = moved.map(said) ?? (line(entry, by: author, before: before(entry.id)) ?? "").trimmed
            return Sentence(text: text + tail(entry, rest.map { entries[$0] }), place: main, name: name)
        }
        // Nothing is in front: records are counted.
        let verbs = Set(told.map { Verb(entries[$0].effect) })
        let counts = Self.counts(told.map { entries[$0].kind })
        if verbs.count == 1, let verb = verbs.first { return Sentence(text: said("\(verb.rawValue) \(counts)"), place: first, name: "") }
        let line = (line(entries[first], by: author, before: before(entries[first].id)) ?? "").trimmed
        return Sentence(text: "\(line), and \(told.count - 1) more", place: first, name: named(first))
    }

    /// Whether `line` describes an entry.
    private static func isDescribed(_ entry: ChangeEntry) -> Bool {
        switch entry.effect {
        case .create: entry.kind != .message && entry.kind != .readingPosition
        case .update: entry.kind != .readingPosition
        case .delete, .restore: true
        }
    }

    /// The entry that the others accompany; `nil` if there is none.
    private func main(_ entries: [ChangeEntry], _ told: [Int]) -> Int? {
        if told.count == 1 { return told.first }
        // A trip carries its items, an event its results and interactions.
        for kind in [Kind.trip, .event] {
            let found = told.filter { entries[$0].kind == kind }
            if found.count == 1, let only = found.first, told.allSatisfy({ $0 == only || Self.accompany(kind).contains(entries[$0].kind) }) { return only }
        }
        // A deletion or restoration says more than a change that accompanies it, such as an older version that becomes
        // current again.
        let whole = told.filter { Verb(entries[$0].effect) == .deleted || Verb(entries[$0].effect) == .restored }
        return whole.count == 1 ? whole.first : nil
    }

    private static func accompany(_ kind: Kind) -> Set<Kind> {
        kind == .trip ? [.tripItem] : [.metric, .interaction, .school, .coach]
    }

    /// The first change of every family, with its first member.
    private static func isNewFamily(_ entry: ChangeEntry) -> Bool {
        if case .create = entry.effect { entry.kind == .family } else { false }
    }

    private static func isNewVersion(_ entry: ChangeEntry) -> Bool {
        guard entry.kind == .document, case .create(_, let fields) = entry.effect else { return false }
        return fields.reference("replaces") != nil
    }

    /// ", with 4 items"; "; 2 results stay" after a deletion that only unlinks them.
    private func tail(_ entry: ChangeEntry, _ rest: [ChangeEntry]) -> String {
        guard !rest.isEmpty else { return "" }
        let counts = Self.counts(rest.map(\.kind))
        guard case .delete = entry.effect else { return ", with \(counts)" }
        if rest.allSatisfy({ Verb($0.effect) == .deleted }) { return ", with \(counts)" }
        return entry.kind == .event ? "; \(counts) stay\(rest.count == 1 ? "s" : "")" : ", and \(rest.count) more"
    }

    /// "moved Asheville to Dec 11 - 13, 2026", if an entry changes nothing but when something is.
    private func moved(_ entry: ChangeEntry, _ name: String) -> String? {
        guard case .update(let assignments) = entry.effect, !assignments.isEmpty else { return nil }
        let fields = entry.kind.declaration.fields
        var values: [String: Value] = [:]
        for assignment in assignments {
            guard fields.indices.contains(assignment.field), let value = assignment.value else { return nil }
            values[fields[assignment.field].name] = value
        }
        switch entry.kind {
        case .trip, .event:
            guard Set(values.keys).isSubset(of: ["start_date", "end_date"]), case .text(let start)? = values["start_date"] else { return nil }
            guard case .text(let end)? = values["end_date"] else { return "moved \(name) to \(EventText.dates(start, nil))" }
            return "moved \(name) to \(EventText.dates(start, end))"
        case .tripItem:
            guard Set(values.keys).isSubset(of: ["start_time", "end_time"]), case .text(let start)? = values["start_time"] else { return nil }
            return "moved \(name) to \(TripText.moment(start))"
        default: return nil
        }
    }

    /// "3 events and 2 trips", in the order in which the kinds come.
    private static func counts(_ kinds: [Kind]) -> String {
        var order: [Kind] = []
        var numbers: [Kind: Int] = [:]
        for kind in kinds {
            if numbers[kind] == nil { order.append(kind) }
            numbers[kind, default: 0] += 1
        }
        let parts = order.map { KindWords.counted($0, numbers[$0] ?? 0) }
        guard parts.count > 1, let last = parts.last else { return parts.first ?? "" }
        return parts.dropLast().joined(separator: ", ") + " and " + last
    }
}
