import Arguments
import Commands
import Family
import Posix
import Sessions
import Terminal

/// `huddle join CODE`: redeems an invitation and writes the profile.
enum JoinCommand {
    static func run(_ code: String, _ invocation: Invocation) throws -> ExitStatus {
        var profile = try Profile.load(invocation)
        let address = try Setting.address(invocation, profile)
        let nonce = try profile.keepNonce()
        let seat: Redemption.Seat
        do throws(Redemption.Failure) {
            seat = try Redemption.redeem(code: code, at: address, nonce: nonce, timeoutMilliseconds: invocation.timeout)
        } catch {
            switch error {
            case .refused(let rejection): throw ProgramFailure(ExitStatus(rejection), rejection.message.printable)
            case .offline(let reason): throw ProgramFailure(.offline, "\(reason) Try again with the same code.")
            }
        }
        profile.server = address.description
        profile.nonce = nil
        // Who was signed in here before is not lost: nobody else may have that token.
        let before = profile.token == nil ? nil : try profile.saveAside()
        profile.token = seat.token
        profile.origin = nil
        profile.family = seat.family
        try profile.save()
        if invocation.isJSON {
            Standard.write(output: "{\"family\":\"\(seat.family)\",\"member\":\"\(seat.member)\"}\n")
        } else {
            Standard.write(output: "Welcome. This is kept in \(profile.place.path ?? "the profile"); start with: huddle\(profile.place.option)\n")
            if let before { Standard.write(output: "The sign-in that was there before is kept in \(before).\n") }
        }
        return .done
    }
}
