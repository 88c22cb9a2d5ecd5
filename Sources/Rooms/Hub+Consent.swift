package import Bytes
import Family
import Wire

// Consents, birth dates and last days, which parents enter. The writer decides, and its refusal names the text of consent.
extension Hub {
    func standings(_ session: Session, _ request: StandingsRequest) {
        guard let room = admitRequest(session, request.request) else { return }
        ask(session, .standings(family: room.family, member: session.member, request))
    }

    func consent(_ session: Session, _ request: ConsentRequest) {
        command(session, request.request) { .consent(family: $0.family, member: session.member, request) }
    }

    /// A member may not enter the family any more: their connections end within this call, and nothing that waits is sent to them.
    package func shutOut(_ member: Identifier, of family: Identifier) {
        guard let room = rooms[family] else { return }
        for session in room.sessions where session.member == member {
            end(session, .removed, "may not enter the family", dropsQueue: true)
        }
    }
}
