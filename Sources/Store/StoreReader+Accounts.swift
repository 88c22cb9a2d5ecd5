package import Accounts
package import Crypto
package import Family
import Folding

/// The stored data with which a sign-in by name is compared.
package struct StoredSecrets: Hashable, Sendable {
    package var person: Int64
    /// For the limits of guesses; `nil` for a stored name that is not valid.
    package var account: SignInThrottle.Account?
    /// `nil` for a stored text that is not a hash.
    package var hash: PasswordHash?
    /// Whether the recovery code is one that the person has left, as far as a reader knows.
    package var hasRecoveryCode: Bool
    /// Whether the account knows the device.
    package var isKnownDevice: Bool
}

extension StoreReader {
    /// The stored data of a sign-in name; `nil` if nobody has it.
    ///
    /// - Parameters:
    ///   - name: `nil` for a text that cannot be a name.
    ///   - typed: the text of the name. With a mailed code, the address to which it was sent is enough.
    ///   - recoveryCode: typed in place of the password.
    ///   - device: the secret of a device.
    package func secrets(of name: SignInName?, typed: String = "", recoveryCode: String?, device: String?) throws(StoreFailure) -> StoredSecrets? {
        try reading {
            if let recoveryCode, let mailed = try mailed(recoveryCode, name: name, typed: typed) { return mailed }
            guard let name, let row = try engine.people.credential(folded: name.folded.octets) else { return nil }
            return try secrets(row, recoveryCode: recoveryCode, device: device)
        }
    }

    /// The stored data of a person; `nil` without a password.
    package func secrets(ofPerson person: Int64, recoveryCode: String?) throws(StoreFailure) -> StoredSecrets? {
        try reading { try engine.people.credential(person: person).map { try secrets($0, recoveryCode: recoveryCode, device: nil) } }
    }

    /// Whether any person with this sign-in name or address has a confirmed address.
    package func hasMail(name: SignInName?, typed: String) throws(StoreFailure) -> Bool {
        try reading {
            if let name, let person = try engine.people.credential(folded: name.folded.octets)?.person, try engine.people.mail(person: person)?.address != nil { return true }
            return try !engine.people.mails(folded: MailRow.folded(typed), limit: 1).isEmpty
        }
    }

    /// The stored data of the person with a mailed code, if the name or the address is theirs.
    private func mailed(_ code: String, name: SignInName?, typed: String) throws -> StoredSecrets? {
        guard let hash = InviteCode.hash(code), let row = try engine.people.mail(recoveryHash: hash), row.isRecovery(hash, at: environment.now()),
            let address = row.address
        else { return nil }
        let credential = try engine.people.credential(person: row.person)
        let hasName = name.map { $0.folded.octets == credential?.folded } ?? false
        guard hasName || MailRow.folded(address) == MailRow.folded(typed) else { return nil }
        let account = credential.flatMap { try? SignInName($0.name) }.map { SignInThrottle.Account($0) }
        return StoredSecrets(person: row.person, account: account, hash: nil, hasRecoveryCode: true, isKnownDevice: false)
    }

    private func secrets(_ row: CredentialRow, recoveryCode: String?, device: String?) throws -> StoredSecrets {
        var hasCode = false
        if let recoveryCode {
            var codes = RecoveryCodes(hashes: try engine.people.recoveryCodes(person: row.person))
            hasCode = codes.use(recoveryCode)
        }
        let isKnown = try device.map { try engine.people.person(ofDevice: SessionToken.hash($0)) == row.person } ?? false
        return StoredSecrets(
            person: row.person, account: (try? SignInName(row.name)).map { SignInThrottle.Account($0) }, hash: PasswordHash(row.hash), hasRecoveryCode: hasCode, isKnownDevice: isKnown)
    }

    /// A person's ways to sign in, for one of their sessions.
    package func accountState(ofPerson person: Int64, session: Int64) throws(StoreFailure) -> AccountState {
        try reading { try engine.people.accountState(ofPerson: person, session: session, at: environment.now()) }
    }

    /// The reason why a session may not change its person's ways to sign in; `nil` if it may, as far as a reader knows.
    package func refusal(ofChangeBy session: Int64, person: Int64) throws(StoreFailure) -> Rejection? {
        try reading {
            guard try engine.people.hasCredential(person: person) else { return nil }
            let state = try engine.people.accountState(ofPerson: person, session: session, at: environment.now())
            return state.confirmedUntil == nil ? .confirmFirst : nil
        }
    }
}
