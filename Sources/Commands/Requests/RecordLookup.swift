package import Arguments
internal import Bytes
package import Family
package import Sync
internal import Terminal
package import Words

/// Finds the records that a person's words name.
///
/// A snapshot of the shown records: create a new one when records have changed.
package struct RecordLookup {
    package let names: RecordNames
    /// The names of deleted records that can be restored.
    package let deleted: RecordNames
    /// The record of a bare number, which is a place in a list that was shown. `nil` if that list shows none of these
    /// kinds.
    private let numbered: (_ kinds: [Kind], _ number: Int) -> Record?

    package init(_ engine: borrowing SyncEngine, names: RecordNames? = nil, numbered: @escaping ([Kind], Int) -> Record? = { _, _ in nil }) {
        self.names = names ?? RecordNames(engine)
        deleted = Self.deleted(engine)
        self.numbered = numbered
    }

    /// The names of deleted records that can be restored.
    package static func deleted(_ engine: borrowing SyncEngine) -> RecordNames { RecordNames(DeletedText.records(engine.confirmedRecords.values)) }

    /// - Parameter kinds: the kinds of which the record may be.
    /// - Throws: a sentence, if the text fits no record or several.
    package func find(_ kinds: [Kind], _ text: String) throws(UsageError) -> Record {
        if let number = Int(text), let record = numbered(kinds, number) { return record }
        return try Self.find(kinds, text, names)
    }

    /// The same among the deleted records.
    package func findDeleted(_ kinds: [Kind], _ text: String) throws(UsageError) -> Record {
        do {
            return try Self.find(kinds, text, deleted)
        } catch {
            if (try? Self.find(kinds, text, names)) != nil { throw UsageError("'\(text.printable)' is not deleted.") }
            throw error
        }
    }

    private static func find(_ kinds: [Kind], _ text: String, _ names: RecordNames) throws(UsageError) -> Record {
        var found: [Record] = []
        var several: LookupFailure?
        var none: LookupFailure?
        var like: [String] = []
        for kind in kinds {
            do throws(LookupFailure) { found.append(try names.find(kind, text)) } catch {
                switch error {
                case .several: several = several ?? error
                case .none(_, _, let more):
                    none = none ?? error
                    like += more
                }
            }
        }
        // An id never is the name of another record.
        if let exact = found.first(where: { $0.id.description == text }) { return exact }
        if let several { throw UsageError(several.message) }
        guard let first = found.first else {
            guard kinds.count == 1, let none else {
                throw UsageError("No record is called '\(text.printable)'." + (like.isEmpty ? "" : " Did you mean \(like.prefix(5).joined(separator: "; "))?"))
            }
            throw UsageError(none.message)
        }
        guard found.count == 1 else {
            let kinds = found.map { KindWords.singular($0.kind)[0] }
            throw UsageError(
                "'\(text.printable)' matches \(found.count) records (\(kinds.joined(separator: ", "))). Write the kind before it, like: \(kinds[0]) \(text.printable)")
        }
        return first
    }
}
