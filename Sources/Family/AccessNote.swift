package import Bytes

/// A look at an athlete's season or document: for the access log, which the athlete can read. Never a record, never broadcast.
package struct AccessNote: Hashable, Sendable {
    /// The subject of a look; the word is stored and sent.
    package enum Subject: String, CaseIterable, Sendable {
        /// The athlete's season: somebody chose them as the context.
        case context
        /// One document.
        case document
        /// All of it: an archive was made.
        case export
        /// Their season: somebody made a calendar feed of it, which programs fetch from then on.
        case calendar
    }

    package var family: Identifier
    package var athlete: Identifier
    /// The member who looked. An athlete who looks at their own season is not noted.
    package var member: Identifier
    package var subject: Subject
    /// The document.
    package var record: Identifier?

    package init(family: Identifier, athlete: Identifier, member: Identifier, subject: Subject, record: Identifier? = nil) {
        self.family = family
        self.athlete = athlete
        self.member = member
        self.subject = subject
        self.record = record
    }
}
