internal import Folding

/// The rules for a new password. There are no others: length is what makes a password hard to guess.
package enum PasswordRules {
    /// Octets, of any values.
    package static let octets = 10...256

    /// The reason why a password is refused.
    package enum Refusal: Error, Equatable, Sendable {
        case tooShort
        case tooLong
        case containsName
        /// A list of passwords that guessers try first has it.
        case known
    }

    /// Checks a new password.
    ///
    /// - Parameters:
    ///   - name: the sign-in name of the person.
    ///   - isKnown: looks the password up where a list of known ones is installed; asked last, and only for a password that keeps
    ///     the other rules.
    package static func check(_ password: [UInt8], name: SignInName, isKnown: ([UInt8]) -> Bool) throws(Refusal) {
        guard password.count >= octets.lowerBound else { throw .tooShort }
        guard password.count <= octets.upperBound else { throw .tooLong }
        // Octets that are not UTF-8 become replacement characters, which no name contains.
        guard !FoldedText(String(decoding: password, as: UTF8.self)).octets.contains(folded: name.folded) else { throw .containsName }
        guard !isKnown(password) else { throw .known }
    }
}
