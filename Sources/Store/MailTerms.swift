/// What the store knows of mail: that the server sends any, and how its texts lead back to the server.
package struct MailTerms: Sendable {
    /// `https://huddle.example`; `nil` without a public address.
    package var publicURL: String?
    /// Whether mail can be sent to an address.
    package var isAddress: @Sendable (String) -> Bool

    package init(publicURL: String?, isAddress: @escaping @Sendable (String) -> Bool) {
        self.publicURL = publicURL
        self.isAddress = isAddress
    }
}
