package import Bytes
package import Family
import Ledger
package import Wire

extension StoreReader {
    /// A page of the audit log: for a parent all entries of the family, for every other member their own acts and those
    /// that concern them.
    ///
    /// - Returns: `not_found` for a member who is no longer in the family, `invalid` for a mark that is not from an
    ///   answer.
    package func audit(family: Identifier, member: Identifier, _ request: AuditRequest) throws(StoreFailure) -> Result<AuditPage, Rejection> {
        var before = Int64.max
        if let text = request.before {
            guard let number = Int64(text), number > 0, "\(number)" == text else {
                return .failure(Rejection(.invalid, "This page mark does not belong to this list: begin at its first page", field: "before"))
            }
            before = number
        }
        let limit = min(max(request.limit, 1), environment.limits.pageRecords)
        return try reading {
            let key = try key(family)
            guard let own = try engine.records.members(family: key)[member], !own.isRemoved else { return .failure(.noSuchFamily) }
            let seesAll = own.role == .parent && !request.isOwn
            let rows = try engine.audits.entries(family: key, of: seesAll ? nil : member, before: before, limit: limit + 1)
            var page = AuditPage(request: request.request, entries: rows.prefix(limit).map(\.entry))
            if rows.count > limit, let last = rows.prefix(limit).last { page.next = "\(last.number)" }
            return .success(page)
        }
    }
}
