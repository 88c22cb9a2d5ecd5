package import Bytes
package import Dates

/// A passkey as its person sees it: days instead of times, and nothing of its key.
package struct AccountPasskey: Hashable, Sendable {
    package var id: Identifier
    /// The person's name for it.
    package var name: String
    /// Days in UTC.
    package var createdOn: CalendarDate
    /// The day of the last sign-in or confirmation; `nil` before the first.
    package var usedOn: CalendarDate?

    package init(id: Identifier, name: String, createdOn: CalendarDate, usedOn: CalendarDate? = nil) {
        self.id = id
        self.name = name
        self.createdOn = createdOn
        self.usedOn = usedOn
    }

    /// Characters of a name at most.
    package static let nameLength = 60

    /// A name for a passkey, without the spaces around it.
    ///
    /// - Throws: `required`, `too_long`, `invalid`, each with the field `name`.
    package static func canonicalName(_ text: String) throws(Rejection) -> String {
        guard let name = TextRules.trimmed(text), !name.isEmpty else {
            throw Rejection(.required, "A passkey needs a name by which you recognize it. Nothing was changed", field: "name")
        }
        guard name.unicodeScalars.count <= nameLength else {
            throw Rejection(.tooLong, "The name of a passkey is at most \(nameLength) characters long. Nothing was changed", field: "name")
        }
        guard TextRules.isShown(name, lines: false), TextRules.visible(name) == name else {
            throw Rejection(.invalid, "The name of a passkey contains an invisible character. Type it again without copying it", field: "name")
        }
        return name
    }
}
