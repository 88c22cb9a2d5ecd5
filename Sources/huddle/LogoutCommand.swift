import Arguments
import Commands
import Family
import Posix
import Sessions
import Sync
import Terminal

/// `huddle logout`: ends the session on the server, and deletes the token on this machine.
enum LogoutCommand {
    static func run(_ invocation: Invocation) throws -> ExitStatus {
        if invocation.isOffline { throw UsageError("logout needs the server: leave --offline out.") }
        let setting = try Setting(invocation)
        let room = try JoinedRoom(setting, timeout: invocation.timeout, keeps: true)
        defer { room.leave() }
        try room.enter(context: nil)
        // The server has not seen these changes, and the end of the session deletes them.
        let waiting = room.session.engine.pending.count + room.session.engine.drafts.count
        guard waiting == 0 else {
            throw ProgramFailure(
                .failed, "\(waiting == 1 ? "1 change waits" : "\(waiting) changes wait") in the outbox. Nothing was ended: send or drop them first (huddle outbox).")
        }
        room.session.signOut()
        do {
            let refusal: Rejection? = try room.wait { if case .failed(let rejection, _) = $0 { rejection } else { nil } }
            guard let refusal else { throw ProgramFailure(.offline, "\(setting.address) did not answer in time. Try again: huddle logout") }
            throw ProgramFailure(ExitStatus(refusal), refusal.message.printable)
        } catch let failure as ProgramFailure where failure.message == ProgramFailure.ended {
            try forget(setting, invocation)
        }
        try Output.write(invocation.isJSON ? "{\"type\":\"signed_out\"}\n" : "Signed out. This session opens nothing any more.\n")
        return .done
    }

    /// Removes the token from the profile, if it is there.
    private static func forget(_ setting: Setting, _ invocation: Invocation) throws {
        var profile = try Profile.load(invocation)
        guard profile.token == setting.token else { return }
        (profile.token, profile.family, profile.origin) = (nil, nil, nil)
        try profile.save()
    }
}
