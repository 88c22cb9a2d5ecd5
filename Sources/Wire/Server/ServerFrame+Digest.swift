package import Bytes
package import Family
import JSON

/// Answers `digest`.
package struct DigestAnswer: Hashable, Sendable {
    /// How often which kind was created, updated, deleted and restored.
    package struct KindCount: Hashable, Sendable {
        package var kind: Kind
        package var created: Int
        package var updated: Int
        package var deleted: Int
        package var restored: Int

        package init(kind: Kind, created: Int = 0, updated: Int = 0, deleted: Int = 0, restored: Int = 0) {
            self.kind = kind
            self.created = created
            self.updated = updated
            self.deleted = deleted
            self.restored = restored
        }
    }

    /// How many changes somebody made.
    package struct Author: Hashable, Sendable {
        package var member: Identifier
        package var changes: Int

        package init(member: Identifier, changes: Int) {
            self.member = member
            self.changes = changes
        }
    }

    /// The latest that happened to one record.
    package struct Latest: Hashable, Sendable {
        package var kind: Kind
        package var id: Identifier
        package var sequence: Int64
        /// UTC milliseconds.
        package var at: Int64
        package var member: Identifier

        package init(kind: Kind, id: Identifier, sequence: Int64, at: Int64, member: Identifier) {
            self.kind = kind
            self.id = id
            self.sequence = sequence
            self.at = at
            self.member = member
        }
    }

    package var request: Int64
    /// Where it ends: the newest change.
    package var sequence: Int64
    /// The digest covers the changes after this one.
    package var after: Int64
    /// False when more happened since than a digest looks at: `after` is later than what was asked for.
    package var isComplete: Bool
    /// Changes that it covers.
    package var changes: Int
    package var kinds: [KindCount]
    /// The authors, the one with most changes first.
    package var authors: [Author]
    /// New messages of others.
    package var messages: Int
    /// New messages that mention the member who asks, newest first.
    package var mentions: [Identifier]
    /// Which records changed, the latest first.
    package var records: [Latest]

    package init(
        request: Int64, sequence: Int64, after: Int64, isComplete: Bool, changes: Int, kinds: [KindCount], authors: [Author], messages: Int,
        mentions: [Identifier], records: [Latest]
    ) {
        self.request = request
        self.sequence = sequence
        self.after = after
        self.isComplete = isComplete
        self.changes = changes
        self.kinds = kinds
        self.authors = authors
        self.messages = messages
        self.mentions = mentions
        self.records = records
    }
}

extension ServerFrame {
    struct DigestParts: ServerFrameParts {
        static let declaration = FrameDeclaration("digest", "Answers digest.", [
            .init("request", commonSchema("count"), "The number in the request."),
            .init("digest", commonSchema("digest"), "The digest."),
        ], feature: .digest, example: #"""
            {"type":"digest","request":4,"digest":{"after":118,"seq":121,"complete":true,"changes":3,"kinds":[{"kind":"event","created":1,"updated":2,"deleted":0,"restored":0}],"members":[{"member":"01910000-0000-7000-8000-000000000010","changes":3}],"messages":0,"mentions":[],"records":[{"kind":"event","id":"01910000-0000-7000-8000-000000000100","seq":121,"at":1776250800000,"member":"01910000-0000-7000-8000-000000000010"}]}}
            """#)

        private var digest: DigestAnswer?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "digest": digest = try DigestCodec.read(&reader)
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            var digest = try need(digest, "digest")
            digest.request = try need(request, "request")
            return .digest(digest)
        }

        static func encode(_ digest: DigestAnswer, into writer: inout JSONWriter) {
            writer.word("digest")
            writer.key("request")
            writer.integer(digest.request)
            writer.key("digest")
            DigestCodec.encode(digest, into: &writer)
        }
    }
}
