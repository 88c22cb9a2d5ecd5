import Arguments
import Commands
import Family
import Posix
import Sessions
import Terminal
import Wire

/// `huddle join CODE`: redeems an invitation and writes the profile.
enum JoinCommand {
    /// - Parameter name: the person's name, as the invite has it; `nil`: ask for it if the server wants to know.
    /// - Parameter adds: whether the family is added to the profile's sign-in; `nil`: ask the person if there is one.
    static func run(_ code: String, name: String?, adds: Bool?, _ invocation: Invocation) throws -> ExitStatus {
        var profile = try Profile.load(invocation)
        let address = try Setting.address(invocation, profile)
        let nonce = try profile.keepNonce()
        if let token = profile.token, profile.server == address.description, try adds ?? wantsToAdd(token, address, invocation) {
            return try add(code, name, token, address, nonce, &profile, invocation)
        }
        guard adds != true else { throw ProgramFailure(.usage, "Nobody is signed in to \(address) here. Leave out --add.") }
        let signIn = try explained { try redeem(name) { attempt(code, $0, address, nonce, invocation) }.get() }
        profile.server = address.description
        profile.nonce = nil
        // The former sign-in of this profile must not be lost: no other copy of its token may exist.
        let before = profile.token == nil ? nil : try profile.saveAside()
        profile.token = signIn.token
        profile.origin = nil
        profile.family = signIn.family
        try profile.save()
        if invocation.isJSON {
            Standard.write(output: "{\"family\":\"\(signIn.family)\",\"member\":\"\(signIn.member)\"}\n")
        } else {
            // The sign-in is kept already: without an answer the welcome is shorter.
            let joined = (try? SingleRequest.memberships(of: signIn.token, at: address, timeoutMilliseconds: invocation.timeout))?.first { $0.family == signIn.family }
            let family = joined.map { "You've joined \($0.name.printable) as \(article($0.role)) \($0.role.rawValue)" } ?? "You've joined the family"
            Standard.write(output: "Welcome. \(family). Your sign-in is kept in \(profile.place.path ?? "the profile"). Run: huddle\(profile.place.option)\n")
            if let before { Standard.write(output: "The sign-in that was there before is kept in \(before).\n") }
        }
        return .done
    }

    private static func article(_ role: Role) -> String { role == .athlete ? "an" : "a" }

    /// Asks a person who is signed in whether the invite is for the same person. A script is not asked: its invite
    /// makes a new sign-in.
    private static func wantsToAdd(_ token: String, _ address: ServerAddress, _ invocation: Invocation) throws -> Bool {
        guard Standard.isTerminal(Standard.input), Standard.isTerminal(Standard.output) else { return false }
        // A token that has ended signs nobody in.
        guard let families = try? SingleRequest.memberships(of: token, at: address, timeoutMilliseconds: invocation.timeout), !families.isEmpty else { return false }
        let names = families.map { $0.name.printable }.joined(separator: ", ")
        let answer = TerminalQuestion.ask("You are signed in here already (\(names)). Add the family of this invite to your sign-in? Type yes or no: ")
        switch answer?.lowercased() {
        case "yes": return true
        case "no": return false
        default: throw ProgramFailure(.usage, "Nothing was done. Write huddle join CODE --add, or --new for another person.")
        }
    }

    /// Adds the family to the person of the profile.
    private static func add(
        _ code: String, _ name: String?, _ token: String, _ address: ServerAddress, _ nonce: String, _ profile: inout Profile, _ invocation: Invocation
    ) throws -> ExitStatus {
        let added = try explained {
            try redeem(name) { name in
                do throws(Redemption.Failure) {
                    return .success(
                        try Redemption.add(code: code, to: token, at: address, nonce: nonce, name: name, timeoutMilliseconds: invocation.timeout))
                } catch {
                    return .failure(error)
                }
            }.get()
        }
        guard let added else { throw ProgramFailure(.failed, "This server knows no person in several families. Write huddle join CODE --new.") }
        profile.nonce = nil
        profile.family = added.family
        try profile.save()
        if invocation.isJSON {
            Standard.write(output: "{\"family\":\"\(added.family)\",\"member\":\"\(added.member)\"}\n")
        } else {
            Standard.write(
                output: "The family \(added.name.printable) is added to your sign-in; you are \(added.role.rawValue) there. It is shown from now on: "
                    + "huddle\(profile.place.option). Your other families: huddle\(profile.place.option) --family NAME\n")
        }
        return .done
    }

    /// Runs a redemption, and explains its failure.
    private static func explained<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as Redemption.Failure {
            switch error {
            case .refused(let rejection) where Redemption.isNameAsked(rejection) && rejection.code == .required:
                throw ProgramFailure(.usage, "\(rejection.message.printable) Write: huddle join CODE --name \"NAME\"")
            case .refused(let rejection): throw ProgramFailure(ExitStatus(rejection), rejection.message.printable)
            case .offline(let reason): throw ProgramFailure(.offline, "\(reason) Try again with the same code.")
            }
        }
    }

    /// The number of names that a person may try on a terminal.
    private static let tries = 4

    /// Sends the name only to a server that asks for it: a server of 0.1.0 knows no names.
    private static func redeem<Value>(_ name: String?, _ attempt: (String?) -> Result<Value, Redemption.Failure>) -> Result<Value, Redemption.Failure> {
        var tried = attempt(nil)
        var typed = name
        for _ in 0..<tries {
            guard case .failure(.refused(let refusal)) = tried, Redemption.isNameAsked(refusal) else { break }
            guard let answer = typed ?? NameQuestion.ask(refusal) else { break }
            tried = attempt(answer)
            if name != nil { break }
            typed = nil
        }
        return tried
    }

    /// One attempt, whose refusal may ask for a name.
    static func attempt(
        _ code: String, _ name: String?, _ address: ServerAddress, _ nonce: String, _ invocation: Invocation
    ) -> Result<Redemption.SignIn, Redemption.Failure> {
        do throws(Redemption.Failure) {
            return .success(try Redemption.redeem(code: code, at: address, nonce: nonce, name: name, timeoutMilliseconds: invocation.timeout))
        } catch {
            return .failure(error)
        }
    }
}

/// Asks a person on a terminal for the name that their invite has.
enum NameQuestion {
    static let prompt = "Your name or e-mail address, as the invite has it: "
    /// - Returns: `nil` if nobody can be asked, and at the end of the input.
    static func ask(_ refusal: Rejection) -> String? {
        TerminalQuestion.ask(prompt, after: refusal.code == .invalid ? refusal.message.printable + "\n" : "")
    }
}

/// A question to the person at a terminal.
enum TerminalQuestion {
    /// The largest number of octets of an answer.
    private static let limit = 4_096

    /// - Parameter remark: the text before the question.
    /// - Returns: `nil` if nobody can be asked, at the end of the input, and for an empty answer.
    static func ask(_ question: String, after remark: String = "") -> String? {
        guard Standard.isTerminal(Standard.input), Standard.isTerminal(Standard.output) else { return nil }
        Standard.write(output: remark + question)
        var typed: [UInt8] = []
        while typed.last != UInt8(ascii: "\n") {
            let got = read()
            typed += got
            guard !got.isEmpty, typed.count <= limit else { return nil }
        }
        let name = String(decoding: typed, as: UTF8.self).trimmed
        return name.isEmpty ? nil : name
    }

    /// - Returns: nothing at the end of the input.
    private static func read() -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit, alignment: 1)
        defer { buffer.deallocate() }
        guard case .done(let count)? = try? Octets.read(Standard.input, into: buffer) else { return [] }
        return Array(buffer[..<count])
    }
}
