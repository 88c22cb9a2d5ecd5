package import Bytes
package import Family

/// The stored sign-in name, password and second factor of a person.
package struct CredentialRow: Hashable, Sendable {
    package var person: Int64
    /// As the person typed it.
    package var name: String
    /// For comparison: unique in the database.
    package var folded: [UInt8]
    /// A PHC string.
    package var hash: String
    /// The secret of the one-time passwords; `nil` without a second factor.
    package var factor: [UInt8]?
    /// The step of the last used one-time password.
    package var step: Int64?
    /// A secret that was shown and is not confirmed yet.
    package var pending: [UInt8]?

    package init(
        person: Int64, name: String, folded: [UInt8], hash: String, factor: [UInt8]? = nil, step: Int64? = nil, pending: [UInt8]? = nil
    ) {
        self.person = person
        self.name = name
        self.folded = folded
        self.hash = hash
        self.factor = factor
        self.step = step
        self.pending = pending
    }
}

/// A code with which a member signs in again.
package struct RecoveryTicket: Hashable, Sendable {
    /// The integer that stands for the family.
    package var family: Int64
    package var member: Identifier
    /// The parent who made it; `nil`: the person who runs the server.
    package var by: Identifier?
    package var createdAt: Int64
    package var expiresAt: Int64

    package init(family: Int64, member: Identifier, by: Identifier?, createdAt: Int64, expiresAt: Int64) {
        self.family = family
        self.member = member
        self.by = by
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// Names, passwords, second factors, recovery codes and known devices.
package protocol CredentialReads: AnyObject {
    /// The credential with a folded name; `nil` if nobody has the name.
    func credential(folded: [UInt8]) throws -> CredentialRow?

    /// The credential of a person; `nil` without a password.
    func credential(person: Int64) throws -> CredentialRow?

    /// The hashes of the recovery codes that a person has left.
    func recoveryCodes(person: Int64) throws -> [[UInt8]]

    /// The person who has used a device; `nil` if nobody has.
    func person(ofDevice hash: [UInt8]) throws -> Int64?

    /// The last recovery of a person's sign-in.
    func recovery(person: Int64) throws -> RecoveryNotice?
}

/// Changes names, passwords, second factors, recovery codes and known devices.
package protocol CredentialWrites: CredentialReads {
    /// Adds the credential of a person, or changes it.
    func setCredential(_ row: CredentialRow) throws

    /// Removes the credential of a person, with the recovery codes and the known devices.
    func removeCredential(person: Int64) throws

    /// Replaces the recovery codes of a person.
    func setRecoveryCodes(_ hashes: [[UInt8]], person: Int64) throws

    /// Uses a recovery code up.
    func removeRecoveryCode(_ hash: [UInt8], person: Int64) throws

    /// Adds a device to those that a person has used, or notes that it was used.
    ///
    /// - Parameter limit: the largest number of the person's devices; the least recently used ones are removed.
    func addDevice(_ hash: [UInt8], person: Int64, at: Int64, limit: Int) throws

    /// Removes the known devices of a person.
    func forgetDevices(person: Int64) throws

    /// Adds a code with which a member signs in again. Earlier codes of the member that were not redeemed are dead.
    func addRecoveryTicket(_ ticket: RecoveryTicket, hash: [UInt8]) throws

    /// Notes that the sign-in of a person was recovered.
    func setRecovery(_ notice: RecoveryNotice, person: Int64) throws
}
