import Accounts
import Bytes
import Crypto
import Family
import Wire

@testable import Store

/// A sign-up in fixed steps, from the parent's password to the end of the athlete's sign-in. Each step is one transaction: it can be interrupted, and
/// sent again by a client that does not know what became of it.
final class PeopleEpisode {
    enum Step: Int, CaseIterable {
        case setPassword, propose, consent, invite, redeem, use, joinPassword, recoveryCodes, signIn, expire, confirm, changePassword, correctBirth, withdraw
    }

    /// The content of the tables in words: equal for two runs that did the same.
    typealias Summary = [String]

    let surroundings = Surroundings(seed: 15)
    /// The steps whose answers arrived.
    private(set) var done = 0
    private var home: World.Home?
    private var parent: SignIn?
    private var athlete: Identifier?
    private var code: String?
    private var athletesToken: String?
    private var athletesSession: Int64?
    /// The session by name, whose answer arrived.
    private var namedToken: String?

    private static let start: Int64 = 1_795_262_400_000
    private static let cost = PasswordHash.Cost(memory: 64, passes: 1, lanes: 1) ?? .standard
    private static let text = ConsentText.standard

    private static func hash(_ number: UInt8) throws -> PasswordHash {
        guard let hash = PasswordHash.make([UInt8](repeating: number, count: 12), salt: [UInt8](repeating: number, count: 16), cost: cost) else { throw Unexpected() }
        return hash
    }

    /// Makes the family and its parent's session, which the faults do not touch.
    func prepare(_ world: World) throws {
        surroundings.now = Self.start
        let home = try world.home()
        self.home = home
        parent = try world.signIn(home.parent)
    }

    /// Takes the steps that are left.
    ///
    /// - Returns: false when the disk was full; the step can be taken again.
    func run(_ world: World) throws -> Bool {
        while done < Step.allCases.count { guard try step(world) else { return false } }
        return true
    }

    /// Takes the next step.
    func step(_ world: World) throws -> Bool {
        guard let step = Step(rawValue: done) else { throw Unexpected() }
        surroundings.now = time(of: done)
        guard try take(step, world) else { return false }
        done += 1
        return true
    }

    /// From the step `expire` on, the last check of the parent's session is more than 10 minutes ago.
    private func time(of step: Int) -> Int64 { Self.start + Int64(step + 1) * 1000 + (step >= Step.expire.rawValue ? 660_000 : 0) }

    private func take(_ step: Step, _ world: World) throws -> Bool {
        guard let parent else { throw Unexpected() }
        switch step {
        case .setPassword: return try value(world.store.setPassword(try SignInName("Ana"), Self.hash(1), by: parent.session)) != nil
        case .propose:
            guard let made = try value(world.store.perform(.make(invitation(1, name: "Leo"))).0) else { return false }
            guard made.code == nil else { throw Unexpected() }
            athlete = made.invite.member
            return true
        case .consent: return try act(.consent(version: Self.text.version, digest: Self.text.digest), world)
        case .invite:
            guard let made = try value(world.store.perform(.make(invitation(2, member: athlete))).0) else { return false }
            code = made.code
            return made.code != nil
        case .redeem:
            guard let code, let answer = try value(world.store.perform(.redeem(code: code, nonce: World.nonce(2), name: "Leo")).0) else { return false }
            guard case .token(let created) = answer else { throw Unexpected() }
            athletesToken = created.token
            return true
        case .use:
            guard let athletesToken, let signIn = try world.reader.signIn(token: athletesToken) else { throw Unexpected() }
            athletesSession = signIn.session
            guard let refused = try world.store.closeRedemption(session: signIn.session) else { return true }
            guard refused.code == .storageFull else { throw refused }
            return false
        case .joinPassword:
            guard let athletesSession else { throw Unexpected() }
            return try value(world.store.setPassword(try SignInName("Leo"), Self.hash(2), by: athletesSession)) != nil
        case .recoveryCodes: return try value(world.store.makeRecoveryCodes(by: parent.session)) != nil
        case .signIn:
            let checked = CheckedSecrets(person: parent.person, proof: .password(try Self.hash(1), renewed: nil), oneTime: nil)
            guard let made = try value(world.store.signIn(checked, NewSession(person: 0, kind: .browser), device: nil)) else { return false }
            namedToken = made.session.token
            return true
        case .expire:
            // Nothing is written: the act waits for a check.
            guard try world.store.setPassword(try SignInName("Ana"), Self.hash(3), by: parent.session).failure?.code == .confirmFirst else { throw Unexpected() }
            return true
        case .confirm:
            let checked = CheckedSecrets(person: parent.person, proof: .password(try Self.hash(1), renewed: nil), oneTime: nil)
            return try value(world.store.confirm(checked, session: parent.session)) != nil
        case .changePassword: return try value(world.store.setPassword(try SignInName("Ana"), Self.hash(3), by: parent.session)) != nil
        case .correctBirth: return try act(.correctBirthDate("2011-05-06"), world)
        case .withdraw: return try act(.withdrawConsent, world)
        }
    }

    private func invitation(_ number: UInt64, name: String? = nil, member: Identifier? = nil) -> NewInvite {
        NewInvite(
            family: home.map { "\($0.family)" } ?? "", member: member, name: name, role: member == nil ? .athlete : nil, born: member == nil ? "2011-05-05" : nil,
            by: home?.parent, origin: .session(id: Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_0000 | number), nonce: World.nonce(Int(number))))
    }

    private func act(_ act: MemberCommand.Act, _ world: World) throws -> Bool {
        guard let home, let athlete else { throw Unexpected() }
        return try value(world.store.perform(MemberCommand(act, member: athlete, family: home.family, by: home.parent)).0) != nil
    }

    /// - Returns: `nil` when the disk was full.
    private func value<Value>(_ result: Result<Value, Rejection>) throws -> Value? {
        switch result {
        case .success(let value): return value
        case .failure(let rejection) where rejection.code == .storageFull: return nil
        case .failure(let rejection): throw rejection
        }
    }

    // MARK: What is there

    func summary(_ world: World) throws -> Summary {
        guard let home, let parent else { throw Unexpected() }
        return try world.stored { engine in
            guard let key = try engine.families.find(home.family)?.key else { return ["no family"] }
            var lines: Summary = []
            let acts = try engine.audits.entries(family: key, of: nil, before: .max, limit: 200).reversed()
            lines.append("acts " + acts.map { "\($0.entry.act)×\($0.entry.count)" }.joined(separator: " "))
            // The athlete is found by the tables, because an answer that was lost names nobody.
            let members = try engine.people.persons(family: key).map(\.member).filter { $0 != home.parent }
            lines.append("members \(members.count)")
            for member in members {
                let consent = try engine.people.consent(family: key, member: member)
                lines.append("consent \(consent.map { "\($0.terms) \($0.digest.map { Hex.encode($0) } ?? "") \($0.by == home.parent)" } ?? "none")")
                lines.append("born \(try engine.people.persons(family: key).first { $0.member == member }?.born ?? "")")
                let person = try engine.people.membership(member)?.person
                lines.append("password \(try person.flatMap { try engine.people.credential(person: $0)?.name } ?? "none")")
                lines.append("signed in \(try person.map { try engine.people.hasSession(person: $0) } ?? false)")
            }
            let credential = try engine.people.credential(person: parent.person)
            lines.append("parent's password \(credential?.hash.suffix(12) ?? "none"), codes \(try engine.people.recoveryCodes(person: parent.person).count)")
            lines.append("checked \(try engine.people.session(key: parent.session)?.checkedAt ?? 0)")
            return lines
        } + ["sessions", "codes", "invites", "memberships", "credentials", "known_devices"].map { "\(try world.count($0)) \($0)" }
    }

    /// A summary without what a step leaves twice that was sent twice because its answer was lost: the acts of a person about their own sign-in, and the time
    /// of a check. A password that is set again also ends again the sessions that there are then. Invites and consents are left once, however often
    /// they are asked for.
    static func settled(_ summary: Summary) -> Summary {
        let own = ["password_set", "recovery_codes_made", "signed_in"]
        return summary.filter { !$0.hasPrefix("checked") }.map { line in
            line.hasPrefix("acts") ? line.split(separator: " ").filter { act in !own.contains { act.hasPrefix($0) } }
                .map { $0.hasPrefix("sessions_ended") ? "sessions_ended" : $0 }.joined(separator: " ") : line
        }
    }

    /// The promises that do not hold in the database that is left.
    ///
    /// - Parameter reference: the summaries of a run without faults, before the first step and after each.
    func violations(_ world: World, _ reference: [Summary]) throws -> [String] {
        var wrong: [String] = []
        if try world.memory == nil && world.query("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'") != 1 { wrong.append("integrity") }
        let found = try summary(world)
        // The interrupted step is done wholly or not at all.
        if found != reference[done] && found != reference[min(done + 1, reference.count - 1)] {
            wrong.append("after \(done) answers: \(found) instead of \(reference[done])")
        }
        if let namedToken, done <= Step.confirm.rawValue, try world.reader.signIn(token: namedToken) == nil { wrong.append("the session by name is gone") }
        if let athletesToken, done < Step.withdraw.rawValue, try world.reader.signIn(token: athletesToken) == nil { wrong.append("the athlete's session is gone") }
        if let athletesToken, done > Step.withdraw.rawValue, try world.reader.signIn(token: athletesToken) != nil { wrong.append("the athlete is signed in") }
        return wrong
    }
}
