package import Family

/// A code with which another device of a person signs in.
package struct DeviceCodeMade: Hashable, Sendable {
    package var code: String
    /// UTC milliseconds.
    package var expiresAt: Int64
}

// Another device: a session that is signed in makes a code, and the other device redeems it like an invite's code, once
// and within 10 minutes. The device gets all families of the person. The code dies with the session that made it, with
// the next code of that session, and with the membership that it names.
extension FamilyStore {
    /// Makes the code for another device of the session's person.
    package func makeDeviceCode(by session: Int64) throws(StoreFailure) -> Result<DeviceCodeMade, Rejection> {
        try account { at in
            let row = try own(session, at: at)
            guard let membership = try people.memberships(ofPerson: row.person).first else { throw Rejection.noSuchFamily }
            let code = InviteCode.make(environment.random)
            guard let hash = InviteCode.hash(code) else { preconditionFailure("a code of ours is a code") }
            let expiresAt = at + AccountSession.deviceCodeMinutes * 60_000
            try people.addDeviceCode(
                DeviceCode(family: membership.family, member: membership.member, maker: row.key, createdAt: at, expiresAt: expiresAt), hash: hash)
            return DeviceCodeMade(code: code, expiresAt: expiresAt)
        }
    }
}
