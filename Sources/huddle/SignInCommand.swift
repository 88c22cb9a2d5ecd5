import Arguments
import Commands
import Documents
import Family
import JSON
import Posix
import Sessions
import Sync
import Terminal
import Wire

/// `huddle sign-in`: keeps a token in a profile.
enum SignInCommand {
    /// - Parameter replaces: whether another sign-in of the profile may be replaced.
    static func run(replaces: Bool, origin: String?, _ invocation: Invocation) throws -> ExitStatus {
        let profile = try Profile.load(invocation)
        let isFree = replaces || profile.token == nil || origin != nil && origin == profile.origin
        guard let token = invocation.token ?? Environment.value("HUDDLE_TOKEN").flatMap({ $0.isEmpty ? nil : $0 }) else {
            guard Standard.isTerminal(Standard.input), Standard.isTerminal(Standard.output) else {
                throw UsageError("sign-in needs a token. Write --token-file FILE, or --token-file - and give it on standard input.")
            }
            guard isFree else { throw taken(profile) }
            if profile.token != nil { _ = try profile.saveAside() }
            _ = try FirstRun.ask(invocation)
            return .done
        }
        guard isFree || token == profile.token else { throw taken(profile) }
        return try keep(token, origin: origin, profile, invocation)
    }

    /// Signs in by name.
    static func run(name: String, isRecovery: Bool, replaces: Bool, _ invocation: Invocation) throws -> ExitStatus {
        var profile = try Profile.load(invocation)
        guard replaces || profile.token == nil else { throw taken(profile) }
        do {
            let token = try SignInByName.token(name, isRecovery: isRecovery, &profile, invocation)
            return try keep(token, origin: nil, profile, invocation)
        } catch let failure as SingleRequest.Failure {
            switch failure {
            case .refused(let rejection):
                let wait = rejection.retryAfterSeconds.map { " Try again in \($0) s." } ?? ""
                throw ProgramFailure(ExitStatus(rejection), rejection.message.printable + wait)
            case .offline(let reason): throw ProgramFailure(.offline, "\(reason) Nothing was kept.")
            }
        }
    }

    /// Asks the server to mail a code to a person who cannot sign in. The answer never says whether the name is known.
    static func askForMail(_ name: String, _ invocation: Invocation) throws -> ExitStatus {
        let address = try Setting.address(invocation, try Profile.load(invocation))
        do throws(DocumentFailure) { try RecoveryRequest.send(name, to: address) } catch {
            if case .offline = error { throw ProgramFailure(.offline, error.sentence.printable) }
            throw ProgramFailure(.refused, error.sentence.printable)
        }
        if invocation.isJSON {
            Standard.write(output: "{\"asked\":true}\n")
        } else {
            Standard.write(
                output: "If somebody has this name or address, and has confirmed an address, a mail with a code is on its way. "
                    + "When it is there: huddle sign-in --name NAME --recovery\n")
        }
        return .done
    }

    private static func keep(_ token: String, origin: String?, _ old: Profile, _ invocation: Invocation) throws -> ExitStatus {
        var profile = old
        let before = profile.token == nil || profile.token == token ? nil : profile.place.pathBefore
        do {
            profile = try Setting.keep(token, from: origin ?? (token == profile.token ? profile.origin : nil), in: profile, invocation)
        } catch let failure as SingleRequest.Failure {
            switch failure {
            case .refused(let rejection): throw ProgramFailure(ExitStatus(rejection), rejection.message.printable)
            case .offline(let reason): throw ProgramFailure(.offline, "\(reason) Nothing was kept.")
            }
        }
        if invocation.isJSON {
            try Output.write(json: json(profile))
        } else {
            Standard.write(output: "Signed in. Your sign-in is kept in \(profile.place.path ?? "the profile"). Run: huddle\(profile.place.option)\n")
            if let before { Standard.write(output: "The sign-in that was there before is kept in \(before).\n") }
        }
        return .done
    }

    private static func taken(_ profile: Profile) -> ProgramFailure {
        let name = profile.place.name.map { "The profile \($0)" } ?? "The profile"
        return ProgramFailure(
            .failed, "\(name) holds another sign-in, at \(profile.server ?? Setting.defaultServer). Choose another name with --profile NAME, or add --replace.")
    }

    private static func json(_ profile: Profile) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        if let name = profile.place.name {
            writer.key("profile")
            writer.string(name)
        }
        writer.key("server")
        writer.string(profile.server ?? "")
        if let family = profile.family {
            writer.key("family")
            writer.identifier(family)
        }
        writer.endObject()
        return writer.octets
    }
}
