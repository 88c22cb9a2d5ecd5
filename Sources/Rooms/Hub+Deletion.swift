package import Bytes
import Family
import Wire

// The deletion of a family, for which parents ask. The writer decides.
extension Hub {
    func deletion(_ session: Session, _ request: DeletionRequest) {
        guard let number = session.number else { return command(session, request.request) { _ in preconditionFailure("nobody has joined without a sign-in") } }
        command(session, request.request) { .deletion(family: $0.family, member: session.member, request.act, by: number) }
    }

    /// A family is erased from now on: the connections of its members end within this call, and nothing that waits is sent to them.
    package func erased(_ family: Identifier) {
        guard let room = rooms[family] else { return }
        for session in room.sessions { end(session, .removed, "the family was deleted", dropsQueue: true) }
    }
}
