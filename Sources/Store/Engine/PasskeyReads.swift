package import Accounts
package import Bytes
package import Family

/// A stored passkey.
package struct PasskeyRow: Hashable, Sendable {
    /// The name of the passkey for its person.
    package var id: Identifier
    package var person: Int64
    /// The identifier that the authenticator chose: unique in the database.
    package var credential: [UInt8]
    /// The algorithm's number in the registry of COSE.
    package var algorithm: Int
    /// SubjectPublicKeyInfo, DER.
    package var key: [UInt8]
    /// The signature counter at the last use.
    package var counter: UInt32
    package var name: String
    /// UTC milliseconds, as `usedAt`.
    package var createdAt: Int64
    /// `nil` before the first use.
    package var usedAt: Int64?

    package init(
        id: Identifier, person: Int64, credential: [UInt8], algorithm: Int, key: [UInt8], counter: UInt32, name: String, createdAt: Int64,
        usedAt: Int64? = nil
    ) {
        self.id = id
        self.person = person
        self.credential = credential
        self.algorithm = algorithm
        self.key = key
        self.counter = counter
        self.name = name
        self.createdAt = createdAt
        self.usedAt = usedAt
    }

    /// The public key, which checks signatures.
    package var passkey: Passkey { Passkey(credential: credential, algorithm: algorithm, key: key, counter: counter) }

    /// The passkey, as its person sees it.
    package var account: AccountPasskey {
        AccountPasskey(id: id, name: name, createdOn: .init(utc: createdAt), usedOn: usedAt.map { .init(utc: $0) })
    }
}

/// Passkeys, and the handles by which authenticators know their persons.
package protocol PasskeyReads: AnyObject {
    /// The passkey with an identifier of an authenticator; `nil` if nobody has it.
    func passkey(credential: [UInt8]) throws -> PasskeyRow?

    /// The passkeys of a person, oldest first.
    func passkeys(ofPerson person: Int64) throws -> [PasskeyRow]

    /// The octets by which authenticators know a person; `nil` before the first request for a passkey.
    func passkeyHandle(person: Int64) throws -> [UInt8]?
}

/// Changes passkeys.
package protocol PasskeyWrites: PasskeyReads {
    /// Adds a passkey with unused identifiers.
    func addPasskey(_ row: PasskeyRow) throws

    /// Renames a passkey.
    func renamePasskey(_ id: Identifier, _ name: String) throws

    /// Notes a use of a passkey.
    func usePasskey(_ id: Identifier, counter: UInt32, at: Int64) throws

    /// Removes a passkey.
    func removePasskey(_ id: Identifier) throws

    /// Sets the octets by which authenticators know a person.
    func setPasskeyHandle(_ handle: [UInt8], person: Int64) throws
}
