import Bytes
package import Family
package import Ledger
import SQLite
package import Wire

extension Store {
    /// Makes the record of a document, in one transaction, under the rights of the person who uploads it (`Decider.add`).
    ///
    /// Adding it again, after an answer that was lost, changes nothing and is answered as the first time, also if it was deleted meanwhile.
    ///
    /// - Returns: its number in the chain of versions (the field `version`), or why nothing was done; and the change for the live rooms.
    package func addDocument(_ document: NewDocument) throws(StoreFailure) -> (Result<Int64, Rejection>, [CommitResult]) {
        let outcome = try transaction {
            guard let family = try family(document.family), let member = family.state.member(document.member) else { throw Rejection.noSuchFamily }
            let actor = Actor(member: document.member, role: member.role)
            return try decide(family, actor: actor, context: .athlete(document.athlete), at: environment.now()) { decider in
                try decider.known(document) ?? decider.add(document)
            }
        } as Outcome<(Int64, CommittedChange?)>
        switch outcome {
        case .done((let version, let change)): return (.success(version), change.map { [.change($0)] } ?? [])
        case .refused(let rejection): return (.failure(rejection), [])
        }
    }
}

/// The writer's statements on chains of documents. They run seldom, so they are compiled when they are used.
final class DocumentTable {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// The newest living document that replaces another.
    func successor(family: Int64, of id: Identifier, excluding isExcluded: (Identifier) -> Bool) throws -> Record? {
        let find = try database.prepare(
            """
            SELECT \(RecordTable.columns) FROM records
            WHERE family = ? AND replaces = ? AND kind = \(Kind.document.rawValue) AND deleted_at IS NULL
            ORDER BY created_seq DESC, created_at DESC, id DESC
            """)
        find.bind(1, family)
        find.bind(2, id.description)
        defer { find.reset() }
        while try find.step() {
            let record = try RecordTable.decode(find).record
            if !isExcluded(record.id) { return record }
        }
        return nil
    }

    /// The largest number in the chain among the documents that ever replaced another, deleted ones included; 0 for none.
    func newestVersion(family: Int64, replacing id: Identifier) throws -> Int64 {
        let find = try database.prepare(
            """
            SELECT max(json_extract(CAST(fields AS TEXT), '$.version')) FROM records
            WHERE family = ? AND replaces = ? AND kind = \(Kind.document.rawValue)
            """)
        find.bind(1, family)
        find.bind(2, id.description)
        return try find.one { $0.int64(0) } ?? 0
    }
}

@available(*, unavailable)
extension DocumentTable: Sendable {}
