package import Bytes
internal import Crypto
internal import Family
internal import Terminal

/// The description of a file that becomes a document.
package struct NewUpload: Hashable, Sendable {
    /// The reason why a guest sends nothing.
    package static let guests = "Guests can read but not change anything: ask a parent or an athlete of the family to upload it. Nothing was sent."

    package var family: Identifier
    package var athlete: Identifier
    /// One of the types of a document, as in its schema.
    package var type: String
    package var title: String
    package var description: String?
    package var school: Identifier?
    /// A version of the document that this upload is the next version of.
    package var replaces: Identifier?
    /// The file's own name, whose last extension gives its format.
    package var fileName: String

    package init(
        family: Identifier, athlete: Identifier, type: String, title: String, description: String? = nil, school: Identifier? = nil,
        replaces: Identifier? = nil, fileName: String
    ) {
        self.family = family
        self.athlete = athlete
        self.type = type
        self.title = title
        self.description = description
        self.school = school
        self.replaces = replaces
        self.fileName = fileName
    }

    /// "Fall highlights" of "Fall_highlights.mp4": the default title of a document.
    package static func title(ofFile name: String) -> String {
        let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
        // File names often contain marks that a title may not contain.
        let words = Validation.visibleName(stem.split { $0 == "_" || $0 == " " }.joined(separator: " ")).printable
        return words.isEmpty ? name.printable : words
    }

    /// The value of `Upload-Metadata`: each key with its value in base64.
    func metadata(sha256: [UInt8]?) -> String {
        var pairs: [(String, String)] = [
            ("family", family.description), ("athlete", athlete.description), ("type", type), ("title", title), ("filename", fileName),
        ]
        if let description { pairs.append(("description", description)) }
        if let school { pairs.append(("school_id", school.description)) }
        if let replaces { pairs.append(("replaces", replaces.description)) }
        if let sha256 { pairs.append(("sha256", Hex.encode(sha256))) }
        return pairs.map { "\($0.0) \(Base64.encode(Array($0.1.utf8)))" }.joined(separator: ",")
    }
}
