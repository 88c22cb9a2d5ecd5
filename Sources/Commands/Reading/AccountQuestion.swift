internal import Arguments
internal import Bytes
internal import Family
internal import Terminal

/// A request about the person's ways to sign in. The program asks for secrets when it carries out the request; none is
/// on a command line.
package enum AccountQuestion: Hashable, Sendable {
    case show
    case confirm
    case setPassword(name: String)
    case removePassword
    case addFactor
    case confirmFactor
    case removeFactor
    case makeRecoveryCodes
    /// Only the passkeys.
    case passkeys
    /// Removes a passkey, by its name or the beginning of its id.
    case removePasskey(String)
    /// A recovery code for a member, named by name or id.
    case recoverMember(String)
    /// Sends a code to an e-mail address.
    case setMail(String)
    case confirmMail(String)
    case removeMail

    /// The secrets to ask for, in this order.
    package enum Secret: Hashable, Sendable {
        /// The password that the person has.
        case password
        /// A new one, which a person on a terminal types twice.
        case newPassword
        case oneTime
    }

    /// The secrets that the request needs.
    package var secrets: [Secret] {
        switch self {
        case .confirm: [.password]
        case .setPassword: [.newPassword]
        case .confirmFactor: [.oneTime]
        case .show, .removePassword, .addFactor, .removeFactor, .makeRecoveryCodes, .passkeys, .removePasskey, .recoverMember, .setMail, .confirmMail, .removeMail: []
        }
    }

    /// The act that the request asks for.
    ///
    /// - Parameters:
    ///   - typed: the secrets; their recovery code is not used.
    ///   - family: the family that is open.
    ///   - passkeys: from the last answer to `account`.
    ///   - find: the member of a name.
    func act(_ typed: ShownSecrets, _ family: Identifier, _ passkeys: [AccountPasskey], find: (String) throws(UsageError) -> Identifier) throws(UsageError) -> AccountAct {
        switch self {
        case .show, .passkeys: .show
        case .removePasskey(let text): .removePasskey(try Self.find(text, passkeys).id)
        case .confirm: .confirm(typed)
        case .setPassword(let name): .setPassword(name: name, password: typed.password ?? "")
        case .removePassword: .removePassword
        case .addFactor: .addFactor
        case .confirmFactor: .confirmFactor(oneTime: typed.oneTime ?? "")
        case .removeFactor: .removeFactor
        case .makeRecoveryCodes: .makeRecoveryCodes
        case .recoverMember(let name): .recoverMember(try find(name), family: family)
        case .setMail(let address): .setMail(address)
        case .confirmMail(let code): .confirmMail(code: code)
        case .removeMail: .removeMail
        }
    }

    /// Letters of the beginning or end of an id that are enough to name a passkey.
    private static let leastLetters = 4

    private static func find(_ text: String, _ passkeys: [AccountPasskey]) throws(UsageError) -> AccountPasskey {
        let typed = text.lowercased()
        let found = passkeys.filter {
            let id = $0.id.description
            return $0.name.lowercased() == typed || (typed.utf8.count >= leastLetters && (id.hasPrefix(typed) || id.hasSuffix(typed)))
        }
        guard let first = found.first else { throw UsageError("You have no passkey called '\(text.printable)'. Look at the list: huddle passkeys") }
        guard found.count == 1 else {
            throw UsageError("Several passkeys fit '\(text.printable)': take one of the ids \(found.map { "\($0.id)" }.joined(separator: ", ")).")
        }
        return first
    }
}
