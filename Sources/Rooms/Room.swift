import Bytes
import Family
import Wire

/// The live side of one family: who is here. Exists while somebody is.
final class Room {
    let family: Identifier
    private(set) var sessions: [Session] = []
    /// The sequence up to which the room has followed its family's log; `nil` before the first join.
    var delivered: Int64?
    /// Changes are missing and are being read from the log, or no join is complete yet; `nil` as a rule.
    var missing: MissingChanges?
    /// Of the family's records after it.
    var checksum = StateChecksum()
    /// Changes since the last `checksum` frame.
    var unverified = 0
    /// When the next `checksum` frame is due if there are such changes, by the hub's clock.
    var checksumDueAt: Int64 = 0
    /// The last change that touched anybody's rights, or where the room began. A join that was read before it is read again.
    var rightsChangedAt: Int64 = 0
    /// Deliveries of activities.
    var deliveries = TokenBucket()
    /// As last read or changed: whom a context may name.
    var athletes: Set<Identifier> = []

    init(family: Identifier) {
        self.family = family
    }

    var isEmpty: Bool { sessions.isEmpty }

    func add(_ session: Session) { sessions.append(session) }

    func remove(_ session: Session) {
        // Order among sessions means nothing, so the last one takes the place.
        guard let index = sessions.firstIndex(where: { $0 === session }) else { return }
        sessions.swapAt(index, sessions.count - 1)
        sessions.removeLast()
    }

    func connections(of member: Identifier) -> Int {
        sessions.reduce(0) { $0 + ($1.member == member && $1.phase != .closed ? 1 : 0) }
    }

    /// Everybody who is here and not quiet, each once.
    func presence() -> [Presence] {
        var list: [Presence] = []
        for session in sessions where session.isSeated && !session.isQuiet && session.phase != .closed {
            if let index = list.firstIndex(where: { $0.member == session.member }) {
                list[index].connections += 1
                list[index].context = session.context
            } else {
                list.append(Presence(member: session.member, connections: 1, context: session.context))
            }
        }
        return list
    }

    func presence(of member: Identifier) -> Presence {
        presence().first { $0.member == member } ?? Presence(member: member, connections: 0, context: .all)
    }
}

@available(*, unavailable)
extension Room: Sendable {}
