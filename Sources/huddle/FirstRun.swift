import Arguments
import Commands
import Family
import Posix
import Sessions
import Terminal
import Wire
import Words

/// The first start on a terminal: asks for the server and the sign-in, tries them immediately, and keeps them in the
/// profile.
struct FirstRun {
    /// Letters and digits of the longest invitation code; a sign-in token has more.
    private static let longestCode = 32
    /// Octets of an answer: a server's address or a token, many times over.
    private static let answerLimit = 4_096

    private var invocation: Invocation
    private var typed: [UInt8] = []

    /// - Returns: the invocation to continue with: unchanged if somebody is signed in already, or if nobody can be
    ///   asked.
    /// - Throws: a sentence with the usage status, if the person leaves.
    static func complete(_ invocation: Invocation) throws -> Invocation {
        guard Standard.isTerminal(Standard.input), Standard.isTerminal(Standard.output), !invocation.isOffline else { return invocation }
        let profile = try Profile.load(invocation)
        if let token = invocation.token, profile.token == nil {
            // The profile is kept as if the token had been typed in here. If the server does not answer or refuses it,
            // the conversation says so.
            if let kept = try? Setting.keep(token, in: profile, invocation) { FirstRun(invocation: invocation).sayKept(kept) }
            return invocation
        }
        guard Setting.token(invocation, profile) == nil else { return invocation }
        return try ask(invocation)
    }

    /// Asks again after the sign-in of the profile has expired.
    ///
    /// - Throws: `failure` if nobody can be asked, or if the sign-in is not the profile's.
    static func again(_ invocation: Invocation, _ failure: ProgramFailure) throws -> Invocation {
        let profile = try Profile.load(invocation)
        guard Standard.isTerminal(Standard.input), Standard.isTerminal(Standard.output), !invocation.isOffline, profile.token != nil, profile.token == Setting.token(invocation, profile)
        else { throw failure }
        Standard.write(output: failure.message + "\n\n")
        return try ask(invocation)
    }

    /// Asks, even if somebody is signed in.
    static func ask(_ invocation: Invocation) throws -> Invocation {
        var assistant = FirstRun(invocation: invocation)
        try assistant.run()
        return assistant.invocation
    }

    private init(invocation: Invocation) { self.invocation = invocation }

    private mutating func run() throws {
        say(
            """
            Welcome to Huddle. \(try ProfilePlace(invocation).emptiness)
            You need the address of your family's server, and an invitation code or a sign-in token.
            Whoever runs the server makes them: huddled init for a new family, huddled invite for its members. Ctrl-D leaves.

            """)
        while true {
            let address = try server()
            guard try signIn(address) else { continue }
            invocation.server = address.description
            return
        }
    }

    // MARK: The server

    /// A server that answers.
    private mutating func server() throws -> ServerAddress {
        var offered = try Setting.address(invocation, try Profile.load(invocation)).description
        while true {
            let prompt = "Server [\(offered)]: "
            let answer = try ask(prompt)
            // Otherwise a name server, and the default of the next question, would learn the token.
            if answer.count > Self.longestCode, answer.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }) {
                hide(prompt, answer)
                say("That looks like a sign-in token. It was not sent anywhere. The server comes first, like ws://HOST:PORT; then the token.")
                continue
            }
            var tried = invocation
            tried.server = answer.isEmpty ? offered : answer
            do {
                let address = try Setting.address(tried, try Profile.load(invocation))
                try SingleRequest.reach(address, timeoutMilliseconds: invocation.timeout)
                if !address.isSecure, !address.isOnThisMachine { say("This connection is not encrypted: use wss:// wherever the server has it.") }
                return address
            } catch let error as UsageError {
                say(error.message)
            } catch SingleRequest.Failure.offline(let reason) {
                offered = (try? Setting.address(tried, try Profile.load(invocation)).description) ?? offered
                say("\(reason) Is the address right, and the server running?")
            } catch SingleRequest.Failure.refused(let rejection) {
                say(rejection.message.printable)
            }
        }
    }

    // MARK: The sign-in

    /// - Returns: false if the person wants to choose another server.
    private mutating func signIn(_ address: ServerAddress) throws -> Bool {
        let prompt = "Invitation code, or sign-in token: "
        while true {
            let answer = try ask(prompt)
            if answer.isEmpty { return false }
            do {
                if answer.count(where: { $0.isLetter || $0.isNumber }) > Self.longestCode {
                    hide(prompt, answer)
                    guard try use(token: answer, address) else { continue }
                } else {
                    try redeem(answer, address)
                }
                return true
            } catch SingleRequest.Failure.refused(let rejection) {
                say("\(rejection.message.printable) Try again, or press Enter for another server.")
            } catch SingleRequest.Failure.offline(let reason) {
                say("\(reason) Try the same again, or press Enter for another server.")
            }
        }
    }

    private mutating func redeem(_ code: String, _ address: ServerAddress) throws {
        var profile = try Profile.load(invocation)
        let nonce = try profile.keepNonce()
        let signIn = try redeem(code, address, nonce, name: nil)
        profile.family = signIn.family
        profile.nonce = nil
        try keep(&profile, signIn.token, address)
    }

    /// Redeems a code, and asks for the name while the server asks for it.
    private mutating func redeem(_ code: String, _ address: ServerAddress, _ nonce: String, name: String?) throws -> Redemption.SignIn {
        let refusal: Rejection
        switch JoinCommand.attempt(code, name, address, nonce, invocation) {
        case .success(let signIn): return signIn
        case .failure(.refused(let rejection)) where Redemption.isNameAsked(rejection): refusal = rejection
        case .failure(let failure): throw failure
        }
        if refusal.code == .invalid { say(refusal.message.printable) }
        let answer = try ask(NameQuestion.prompt)
        // An empty answer goes back to the code.
        guard !answer.isEmpty else { throw Redemption.Failure.refused(refusal) }
        return try redeem(code, address, nonce, name: answer)
    }

    /// - Returns: false if the token belongs to no family.
    private mutating func use(token: String, _ address: ServerAddress) throws -> Bool {
        let memberships = try SingleRequest.memberships(of: token, at: address, timeoutMilliseconds: invocation.timeout)
        guard var chosen = memberships.first else {
            say("The person of this token belongs to no family. Ask a parent for an invitation code.")
            return false
        }
        if memberships.count > 1 {
            say("You belong to several families:")
            for (index, membership) in memberships.enumerated() { say("  \(index + 1)  \(membership.name.printable) (\(membership.role.rawValue))") }
            while true {
                let answer = try ask("Which one, 1 to \(memberships.count)? The others: huddle --family NAME. ")
                guard let number = Int(answer), memberships.indices.contains(number - 1) else { continue }
                chosen = memberships[number - 1]
                break
            }
        }
        var profile = try Profile.load(invocation)
        profile.family = chosen.family
        try keep(&profile, token, address)
        return true
    }

    private func keep(_ profile: inout Profile, _ token: String, _ address: ServerAddress) throws {
        profile.server = address.description
        profile.token = token
        profile.origin = nil
        try profile.save()
        sayKept(profile)
    }

    private func sayKept(_ profile: Profile) {
        say("Signed in. Your sign-in is kept in \(profile.place.path ?? "the profile"), readable by you alone.")
    }

    // MARK: The terminal

    private func say(_ text: String) {
        // The last column stays free, because writing into it makes some terminals wrap.
        let columns = (TerminalDevice.size()?.columns ?? 80) - 1
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { WordWrap.lines(String($0), columns: columns, indent: 0) }
        Standard.write(output: lines.joined(separator: "\n") + "\n")
    }

    /// A line, without the spaces around it.
    ///
    /// - Throws: at the end of the input.
    private mutating func ask(_ prompt: String) throws -> String {
        Standard.write(output: prompt)
        while true {
            if let place = typed.firstIndex(of: UInt8(ascii: "\n")) {
                defer { typed.removeFirst(place + 1) }
                return String(decoding: typed[..<place], as: UTF8.self).trimmed
            }
            var got: [UInt8] = []
            try withUnsafeTemporaryAllocation(byteCount: Self.answerLimit, alignment: 1) { buffer throws(Errno) in
                if case .done(let count) = try Octets.read(Standard.input, into: buffer) { got = Array(buffer[..<count]) }
            }
            guard !got.isEmpty, typed.count <= Self.answerLimit else {
                say("")
                throw ProgramFailure(.usage, "Nobody is signed in. Start huddle again once you have an invitation, or write: huddle join CODE --server ws://HOST:PORT")
            }
            typed += got
        }
    }

    /// Removes a token from the screen, because it works like a password.
    private func hide(_ prompt: String, _ answer: String) {
        guard !["dumb", ""].contains(Environment.value("TERM") ?? ""), let columns = TerminalDevice.size()?.columns, columns > 0 else { return }
        let rows = (prompt.count + answer.count - 1) / columns + 1
        Standard.write(output: String(repeating: "\u{1B}[A\u{1B}[2K", count: rows) + "\r\(prompt)(not shown)\n")
    }
}
