/// The reason why a message was not accepted.
package struct MailFailure: Error, Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// libcurl is missing, or it does not know SMTP.
        case unusable
        /// The file of the password cannot be read.
        case password
        /// No connection, or it was cut.
        case unreachable
        /// No answer came in time.
        case timedOut = "timed_out"
        /// STARTTLS is not offered, or TLS failed.
        case tls
        /// The certificate is not one that this side trusts, or is for another name.
        case certificate
        /// The server refuses user and password.
        case signIn = "sign_in"
        /// The server may take the message later (4xx), or refused this side altogether.
        case later
        /// The server will never take the message (5xx).
        case refused
        /// The caller ended it.
        case stopped
    }

    package var kind: Kind
    /// The last reply code of the server; 0 without one.
    package var code: Int
    /// The cause in words: libcurl's or the machine's, without an address.
    package var text: String
    /// The last line of the server, for the operator's terminal alone: it may name the recipient.
    package var line: String

    package init(_ kind: Kind, code: Int = 0, _ text: String, line: String = "") {
        self.kind = kind
        self.code = code
        self.text = text
        self.line = line
    }

    /// Another try cannot help.
    package var isFinal: Bool { kind == .refused }
}
