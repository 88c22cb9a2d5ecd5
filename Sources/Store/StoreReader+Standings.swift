package import Bytes
package import Family
import Ledger
package import Wire

extension StoreReader {
    /// The members' standings: for a parent those of all members, for every other member their own; with the text of
    /// consent in force.
    package func standings(family: Identifier, member: Identifier, _ request: StandingsRequest) throws(StoreFailure) -> Result<StandingList, Rejection> {
        try reading {
            let key = try key(family)
            let members = try engine.records.members(family: key)
            guard let own = members[member], !own.isRemoved else { return .failure(.noSuchFamily) }
            let zone = try record(family: key, family)?.fields.text("time_zone") ?? "UTC"
            let now = environment.now()
            var standings: [Standing] = []
            for (id, state) in members.sorted(by: { $0.key < $1.key }) where !state.isRemoved && (own.role == .parent || id == member) {
                guard let membership = try engine.people.membership(id) else { continue }
                standings.append(try Standing(membership, state, bar: environment.bar(state, zone: zone, at: now), engine.people))
            }
            return .success(StandingList(request: request.request, text: environment.consent, standings: standings))
        }
    }
}
