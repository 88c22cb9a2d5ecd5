import Bytes
import Family
import JSON

/// Parts of the host's answers that several commands share.
enum HostAnswer {
    /// The limits of one family, each with its current use, as far as the database knows it.
    static func quotas(
        _ family: Identifier, name: String?, _ own: FamilyQuotas, _ limits: Limits, used: [FamilyQuota: Int64]
    ) -> JSONTree {
        let rows = FamilyQuota.allCases.map { quota in
            JSONTree.object(of: [
                "quota": .text(quota.rawValue), "value": .integer(Int64(own.value(quota, limits))),
                "default": .integer(Int64(limits[keyPath: quota.limit])), "own": .flag(own[quota] != nil), "used": used[quota].map { .integer($0) },
            ])
        }
        return .object(of: ["family": .text(family.description), "name": name.map { .text($0) }, "quotas": .list(rows)])
    }
}
