internal import Bytes
internal import Crypto

/// The text to which a parent consents before an athlete below 18 may sign in.
package struct ConsentText: Hashable, Sendable {
    /// The name of the text, such as `huddle-consent-2`; another text has another one.
    package let version: String
    /// Markdown.
    package let text: String
    /// SHA-256 of the text in hexadecimal digits.
    package let digest: String

    /// Octets of a text at most: some pages.
    package static let maxOctets = 16_384
    /// Characters of a version at most.
    package static let maxVersion = 64

    /// - Returns: `nil` if the version is not 1 to 64 letters of ASCII, digits, dots, hyphens and underscores, or if the text is empty or too long.
    package init?(version: String, text: String) {
        guard Self.isVersion(version), (1...Self.maxOctets).contains(text.utf8.count) else { return nil }
        self.init(checked: version, text)
    }

    private init(checked version: String, _ text: String) {
        self.version = version
        self.text = text
        digest = Hex.encode(Digest.sha256(Array(text.utf8)))
    }

    /// Whether a text can be the version of a text of consent.
    package static func isVersion(_ text: String) -> Bool {
        (1...maxVersion).contains(text.utf8.count)
            && text.utf8.allSatisfy { octet in
                switch octet {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// The text of this release, which is in `deploy/terms` as well. A changed text needs another version.
    package static let standard = ConsentText(checked: "huddle-consent-2", standardText)

    private static let standardText = """
        # Consent to a sign-in for an athlete of 13 to 17

        You are a parent, and you decide whether this athlete may sign in to your family's Huddle.

        ## The athlete can then
        - read everything that your family keeps in Huddle: events, trips, schools, coaches, documents, metrics, messages;
        - add and change records of their own season, and the family's schools, coaches and trips;
        - write messages, which every member of the family reads;
        - share their own documents with a school by a link that ends and that you can end.

        ## Huddle keeps
        - the athlete's name, and the birth date that you gave; the birth date is shown to nobody;
        - what the athlete writes and uploads, with the time of each change, until somebody deletes it; deleted records are
          erased after 30 days;
        - the acts that concern the athlete's sign-in, for two years, in the audit log that you and the athlete can read;
        - this consent: your name, the time, and this text.

        The person who runs this server can read what it keeps. Huddle gives nothing to anybody else, shows no advertisements
        and does not use the data for anything but your family.

        ## Your rights
        - You can withdraw this consent at any time: `huddle consent NAME --withdraw`. The athlete's sessions then end
          immediately; the records stay.
        - You can read, export and delete what the family keeps.
        - From 16 on the athlete decides whether parents may change their records. From 18 on no consent is needed.

        """
}
