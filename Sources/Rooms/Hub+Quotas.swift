package import Bytes
package import Family
import Wire

/// The limits that one family has of its own, and the refusals above them. They act on open rooms with the next frame.
extension Hub {
    /// Milliseconds after which a client may try again to join a family whose connections are used up.
    static let connectionWait: Int64 = 10_000

    /// Sets the values that a family has of its own. If the family has more connections than it may have now, the server closes the surplus.
    ///
    /// - Parameter own: an empty one gives the family the limits of all families again.
    package func setQuotas(_ own: FamilyQuotas, of family: Identifier) {
        quotas[family] = own.isEmpty ? nil : own
        accounts.set(own, of: family)
        guard let room = rooms[family] else { return }
        for session in room.sessions.dropFirst(quota(.connections, of: family)) {
            end(session, .tooManyConnections, "too many connections of one family")
        }
    }

    /// The connections that are in a family's room now.
    package func connections(of family: Identifier) -> Int { rooms[family]?.sessions.count ?? 0 }

    /// The value in force for a family.
    package func quota(_ quota: FamilyQuota, of family: Identifier) -> Int {
        quotas[family]?.value(quota, limits) ?? limits[keyPath: quota.limit]
    }

    /// Counts a refusal, and makes its sentence with the figures.
    ///
    /// - Parameter wait: milliseconds until the same can succeed.
    func refusal(_ quota: FamilyQuota, of family: Identifier, wait: Int64) -> Rejection {
        quotaRefusals[quota, default: 0] += 1
        let value = self.quota(quota, of: family)
        switch quota {
        case .connections:
            return Rejection(
                .busy, "Your family has \(connections(of: family)) open connections, and \(value) is its limit. Close one of them, or try again in a moment.",
                retryAfter: wait)
        case .lists:
            return Rejection(.rateLimited, "Your family asks for more than \(value) lists per second. Try again in a moment.", retryAfter: wait)
        default:
            return Rejection(
                .rateLimited, "Your family makes more than \(value) changes per second. This one was not made; try again in a moment.", retryAfter: wait)
        }
    }
}
