/// The store's settings for mail: whether the server sends any, and how its texts refer to the server.
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
