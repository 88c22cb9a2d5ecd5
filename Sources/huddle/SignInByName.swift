import Arguments
import Commands
import Family
import Posix
import Sessions
import Terminal
import Wire

/// `huddle sign-in --name NAME`: creates a session with the password, or with a recovery code, and keeps it in the
/// profile.
enum SignInByName {
    /// - Returns: the token of the new session; the profile then has the secret of this device.
    static func token(_ name: String, isRecovery: Bool, _ profile: inout Profile, _ invocation: Invocation) throws -> String {
        let address = try Setting.address(invocation, profile)
        var questions = SecretQuestion()
        var secrets = ShownSecrets()
        if isRecovery {
            secrets.recoveryCode = try questions.need("Recovery code: ", "the recovery code")
        } else {
            secrets.password = try questions.need("Password: ", "the password")
        }
        while true {
            // A device secret counts only for its own account, and is not sent to another server.
            let device = profile.server == address.description ? profile.device : nil
            let signIn = NameSignIn(name: name, secrets: secrets, device: device, label: "")
            switch attempt(signIn, address, invocation) {
            case .success(let made):
                profile.device = made.device
                return made.token
            case .failure(let failure):
                guard case .refused(let rejection) = failure, rejection.code == .factorRequired, secrets.oneTime == nil else { throw failure }
                guard let typed = try questions.ask("One-time password, or a recovery code: "), !typed.isEmpty else {
                    throw ProgramFailure(ExitStatus(rejection), rejection.message.printable)
                }
                secrets.oneTime = typed
            }
        }
    }

    private static func attempt(_ signIn: NameSignIn, _ address: ServerAddress, _ invocation: Invocation) -> Result<NameSignedIn, SingleRequest.Failure> {
        do throws(SingleRequest.Failure) {
            return .success(try SingleRequest.signIn(signIn, at: address, timeoutMilliseconds: invocation.timeout))
        } catch {
            return .failure(error)
        }
    }
}
