import Bytes
import Family
import Sync
import Testing
import Wire

/// Compares what two clients went through with what the database holds.
struct RestartReport {
    let book: DatabaseContent
    let tallies: [Tally]

    func check(mutations: Int, kills: Int) {
        checkLog()
        for tally in tallies {
            #expect(tally.complaints == [])
            checkEnd(tally)
            checkAnswers(tally)
            for draft in tally.rejected.values { checkConflict(draft, tally.client) }
        }
        #expect(tallies.reduce(0) { $0 + $1.issued.count } >= mutations)
        // The kills hit something.
        let cuts = tallies.flatMap(\.cuts)
        #expect(cuts.count >= kills)
        #expect(cuts.filter { $0 > 0 }.count >= kills / 2)
        #expect(tallies.allSatisfy { $0.resumes >= kills / 2 })
    }

    /// Sequences and versions without gaps.
    private func checkLog() {
        #expect(book.changes.map(\.sequence) == Array(1...max(book.sequence, 1)))
        var versions: [Identifier: Int64] = [:]
        for change in book.changes {
            for entry in change.entries {
                #expect(entry.version == versions[entry.id, default: 0] + 1, "in sequence \(change.sequence)")
                versions[entry.id] = entry.version
            }
        }
        #expect(versions == book.records.mapValues(\.version))
    }

    /// A client holds what the database holds, and got there without starting from the beginning.
    private func checkEnd(_ tally: Tally) {
        #expect(tally.cursor == Cursor(epoch: book.epoch, sequence: book.sequence))
        #expect(tally.pending == 0)
        #expect(tally.snapshots == 1)
        let ids = Set(tally.records.keys).union(book.records.keys)
        let different = ids.filter { tally.records[$0] != book.records[$0] }
        #expect(different.isEmpty, "\(different.prefix(3).map { (tally.records[$0], book.records[$0]) })")
    }

    /// Every mutation was answered once: done, once, where the answer says, or refused and kept.
    private func checkAnswers(_ tally: Tally) {
        let answered = Set(tally.acknowledged.keys).union(tally.rejected.keys)
        #expect(answered == tally.issued)
        #expect(answered.count == tally.acknowledged.count + tally.rejected.count)
        #expect(tally.drafts == Set(tally.rejected.keys).subtracting(tally.retried))

        let logged = book.changes(of: tally.client)
        #expect(logged.values.allSatisfy { $0.count == 1 })
        #expect(Set(logged.keys) == Set(tally.acknowledged.filter { $0.value.sequence != nil }.keys))
        for (id, ack) in tally.acknowledged {
            guard let change = logged[id]?.first else { continue }
            #expect(ack.sequence == change.sequence)
            #expect(ack.records == change.entries.map { Ack.Version(id: $0.id, version: $0.version) })
        }
    }

    /// A refused mutation had been overtaken by the other client, in the fields that the answer names.
    private func checkConflict(_ draft: Draft, _ client: Identifier) {
        guard draft.rejection.code == .conflict, let conflict = draft.rejection.conflict else {
            Issue.record("refused for another reason than a conflict: \(draft)")
            return
        }
        guard let operation = draft.operations.first(where: { $0.id == conflict.record.id }), let base = base(of: operation) else {
            Issue.record("a conflict of another record: \(draft)")
            return
        }
        // It rested on one of its author's own that was refused, or was a draft that was tried again: the record is so already.
        switch operation.action {
        case .restore where !conflict.record.isDeleted: return
        case .delete where conflict.record.isDeleted && conflict.record.version == base: return
        default: break
        }
        let others = book.steps(operation.id, after: base).filter {
            $0.change.client != client && $0.entry.version <= conflict.record.version
        }
        #expect(!others.isEmpty, "in conflict with nobody: \(draft)")
        guard case .update(_, _, let patch) = operation.action, !conflict.record.isDeleted else { return }
        #expect(!conflict.fields.isEmpty)
        for field in conflict.fields {
            #expect(patch.assignments.contains { $0.field == field.field } || patch.setEdits.contains { $0.field == field.field })
            let wrote = others.contains { step in
                // A deletion and a restoration in between touch the whole record.
                guard case .update(let assignments) = step.entry.effect else { return true }
                return assignments.contains { $0.field == field.field }
            }
            #expect(wrote, "field \(field.field) was written by nobody else: \(draft)")
        }
    }

    private func base(of operation: Operation) -> Int64? {
        switch operation.action {
        case .create, .copy: nil
        case .update(let base, _, _), .delete(let base), .restore(let base), .shift(let base, _): base
        }
    }

    static func summary(_ book: DatabaseContent, _ tallies: [Tally]) -> String {
        func sum(_ value: (Tally) -> Int) -> Int { tallies.reduce(0) { $0 + value($1) } }
        let cuts = tallies.flatMap(\.cuts)
        return """
            \(sum(\.issued.count)) mutations (\(sum(\.acknowledged.count)) acknowledged, \(sum(\.rejected.count)) conflicts, \
            \(sum(\.retried.count)) tried again), \(cuts.count) connections cut, \(cuts.filter { $0 > 0 }.count) of them with \
            \(cuts.reduce(0, +)) mutations unanswered, of which \(sum(\.doneUnheard)) had been done; sequence \(book.sequence)
            """
    }
}
