import Bytes
import Family
import Wire

/// The newest activity of one session, while it may matter.
struct SessionActivity {
    /// When the others received one of this session, by the hub's clock.
    var sentAt: Int64
    /// The newest one that they have not received: an earlier one does not matter any more.
    var waiting: Activity?
}

/// The moment: who types, edits or looks at a record; and the sign of life that a browser asks for.
///
/// An activity is sent to the live sessions of the other members and not kept. A session is processed at most once per second: the newest of what it
/// says within that second is sent with the next `tick`.
extension Hub {
    /// Frames that the activities of one family may make. Above it they wait for the next `tick`: forty members who all type stay below.
    static let activityDeliveries = TokenRate(perSecond: 2_000, burst: 4_000)

    /// Of one delivery, microseconds.
    static let deliveryCost: Int64 = 3

    func ping(_ session: Session, _ request: Int64) {
        guard let room = session.room, session.isSeated else { return sendError(unjoined(session), to: session, request: request) }
        guard admits(session, in: room, request: request) else { return }
        send(.pong(request: request), to: session)
    }

    func activity(_ session: Session, _ activity: Activity) {
        guard let room = session.room, session.isSeated else { return sendError(unjoined(session), to: session) }
        guard admits(session, in: room, request: nil) else { return }
        // The others are not notified that a quiet session is here.
        guard !session.isQuiet else { return }
        let last = activities[session.id]
        if let last, now - last.sentAt < Activity.pace || last.waiting != nil {
            activities[session.id]?.waiting = activity
        } else {
            tell(activity, of: session, in: room)
        }
    }

    /// Sends those that had to wait, and forgets those that are no news any more; to be called about once a second.
    func sendDueActivities() {
        guard !activities.isEmpty else { return }
        for (id, last) in activities.sorted(by: { $0.value.sentAt < $1.value.sentAt }) {
            guard let session = session(id), let room = session.room else {
                activities[id] = nil
                continue
            }
            if let waiting = last.waiting {
                if now - last.sentAt >= Activity.pace { tell(waiting, of: session, in: room) }
            } else if now - last.sentAt > Activity.life {
                activities[id] = nil
            }
        }
    }

    /// Sends an activity to the others, or lets it wait if the family has had its share.
    private func tell(_ activity: Activity, of session: Session, in room: Room) {
        let others = room.sessions.filter { $0.phase == .live && $0.member != session.member }
        guard room.deliveries.wait(Hub.activityDeliveries, now: now) == nil else {
            activities[session.id] = SessionActivity(sentAt: activities[session.id]?.sentAt ?? now - Activity.pace, waiting: activity)
            return
        }
        room.deliveries.charge(Int64(others.count), Hub.activityDeliveries, now: now)
        accounts.charge(family: room.family, member: session.member, Hub.deliveryCost * Int64(others.count), now: now)
        activities[session.id] = SessionActivity(sentAt: now, waiting: nil)
        guard !others.isEmpty else { return }
        let frame = ServerFrame.activity(MemberActivity(member: session.member, activity)).encode()
        for other in others { emit(.send(other.id, frame)) }
    }
}
