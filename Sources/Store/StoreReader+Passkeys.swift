package import Family

extension StoreReader {
    /// The passkey with an authenticator's identifier, and the octets by which authenticators know its person; `nil` if
    /// nobody has it.
    package func passkey(credential: [UInt8]) throws(StoreFailure) -> (PasskeyRow, handle: [UInt8]?)? {
        try reading {
            try engine.people.passkey(credential: credential).map { ($0, try engine.people.passkeyHandle(person: $0.person)) }
        }
    }

    /// The identifiers of authenticators of a person's passkeys.
    package func passkeyCredentials(ofPerson person: Int64) throws(StoreFailure) -> [[UInt8]] {
        try reading { try engine.people.passkeys(ofPerson: person).map(\.credential) }
    }

    /// The passkeys of a person as they see them, oldest first.
    package func passkeys(ofPerson person: Int64) throws(StoreFailure) -> [AccountPasskey] {
        try reading { try engine.people.passkeys(ofPerson: person).map(\.account) }
    }
}
