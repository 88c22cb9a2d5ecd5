internal import Arguments
internal import Bytes
internal import Family

/// A question about the ways in which the person signs in. Secrets are asked for when it is carried out: none stands on a command line.
package enum AccountQuestion: Hashable, Sendable {
    case show
    case confirm
    case setPassword(name: String)
    case removePassword
    case addFactor
    case confirmFactor
    case removeFactor
    case makeRecoveryCodes
    /// A code by which a member comes back, by their name or id.
    case recoverMember(String)

    /// The secrets to ask for, in this order.
    package enum Secret: Hashable, Sendable {
        /// The password that the person has.
        case password
        /// A new one, which a person on a terminal types twice.
        case newPassword
        case oneTime
    }

    /// The secrets without which it cannot be asked.
    package var secrets: [Secret] {
        switch self {
        case .confirm: [.password]
        case .setPassword: [.newPassword]
        case .confirmFactor: [.oneTime]
        case .show, .removePassword, .addFactor, .removeFactor, .makeRecoveryCodes, .recoverMember: []
        }
    }

    /// The act that it asks for.
    ///
    /// - Parameters:
    ///   - typed: the secrets; their recovery code is not used.
    ///   - family: the one that is open.
    ///   - find: the member of a name.
    func act(_ typed: ShownSecrets, _ family: Identifier, find: (String) throws(UsageError) -> Identifier) throws(UsageError) -> AccountAct {
        switch self {
        case .show: .show
        case .confirm: .confirm(typed)
        case .setPassword(let name): .setPassword(name: name, password: typed.password ?? "")
        case .removePassword: .removePassword
        case .addFactor: .addFactor
        case .confirmFactor: .confirmFactor(oneTime: typed.oneTime ?? "")
        case .removeFactor: .removeFactor
        case .makeRecoveryCodes: .makeRecoveryCodes
        case .recoverMember(let name): .recoverMember(try find(name), family: family)
        }
    }
}
