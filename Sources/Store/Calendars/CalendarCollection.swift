package import Bytes
package import Family

/// The name of a calendar that programs read: one segment of an address.
package struct CalendarCollectionName: Hashable, Sendable {
    package enum Content: String, CaseIterable, Sendable {
        /// The events of an athlete.
        case season
        /// The items of a trip.
        case itinerary
    }

    package var content: Content
    package var family: Identifier
    /// The athlete, or the trip.
    package var subject: Identifier

    package init(_ content: Content, family: Identifier, subject: Identifier) {
        self.content = content
        self.family = family
        self.subject = subject
    }

    /// Reads `season-FAMILY-ATHLETE` and `itinerary-FAMILY-TRIP`; `nil` for any other text.
    package init?(_ segment: String) {
        guard let content = Content.allCases.first(where: { segment.hasPrefix($0.rawValue + "-") }) else { return nil }
        let rest = segment.dropFirst(content.rawValue.count + 1)
        guard rest.utf8.count == 2 * Identifier.textOctets + 1, let family = Identifier(String(rest.prefix(Identifier.textOctets))),
            rest.dropFirst(Identifier.textOctets).first == "-", let subject = Identifier(String(rest.suffix(Identifier.textOctets)))
        else { return nil }
        self.init(content, family: family, subject: subject)
    }

    package var segment: String { "\(content.rawValue)-\(family)-\(subject)" }

    /// Whether a record belongs to it, also one that is deleted.
    func has(_ record: Record) -> Bool {
        guard record.kind == kind else { return false }
        return switch content {
        case .season: record.athlete == subject
        case .itinerary: record.fields.reference("trip_id") == subject && record.fields.flag("include_in_itinerary")
        }
    }

    /// The kind of the records in it.
    package var kind: Kind {
        switch content {
        case .season: .event
        case .itinerary: .tripItem
        }
    }
}

/// A calendar that programs read, at one moment.
package struct CalendarCollection: Hashable, Sendable {
    package var name: CalendarCollectionName
    package var title: String
    /// The family's zone.
    package var zone: String
    /// The member that the person of the token is in the family.
    package var member: Identifier
    /// Whether this member may change its records.
    package var isWritable: Bool
    /// The state of the family.
    package var token: CalendarSyncToken
}

/// A state up to which a program has a calendar (RFC 6578 §3.2).
package struct CalendarSyncToken: Hashable, Sendable {
    /// `Cursor.epoch`.
    package var epoch: String
    /// The last sequence of the family.
    package var sequence: Int64
    /// The last record of a first listing that has further portions, in the order of ids; `nil` if it is complete.
    package var after: Identifier?

    package init(epoch: String, sequence: Int64, after: Identifier? = nil) {
        self.epoch = epoch
        self.sequence = sequence
        self.after = after
    }

    private static let prefix = "urn:huddle:sync:"

    /// `nil` for a text of another form.
    package init?(_ text: String) {
        guard text.utf8.count <= 256, text.hasPrefix(Self.prefix) else { return nil }
        let parts = text.dropFirst(Self.prefix.count).split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), !parts[0].isEmpty, let sequence = Int64(parts[1]), sequence >= 0, String(sequence) == parts[1] else { return nil }
        var after: Identifier?
        if parts.count == 3 {
            guard let id = Identifier(String(parts[2])) else { return nil }
            after = id
        }
        self.init(epoch: String(parts[0]), sequence: sequence, after: after)
    }

    /// A URI, as RFC 6578 wants it.
    package var text: String { Self.prefix + "\(epoch):\(sequence)" + (after.map { ":\($0)" } ?? "") }
}

/// The records of a calendar that a program asks for.
package enum CalendarSelection: Hashable, Sendable {
    case nothing
    case all
    /// Those with these ids, as far as they are in the calendar.
    case records([Identifier])
    /// Those that changed since a state; `nil`: all.
    case changes(since: CalendarSyncToken?, limit: Int)
}

/// Records of a calendar at one moment.
package struct CalendarPortion: Sendable {
    package var collection: CalendarCollection
    /// In the calendar, in the order of their ids; for `records` in the order of the request.
    package var records: [Record] = []
    /// Deleted, or moved to another calendar.
    package var gone: [Identifier] = []
    /// The state that a program has with this portion.
    package var token: CalendarSyncToken
    /// Whether more changed.
    package var isTruncated = false
    /// Whether the state of the request is not one from which the changes are known. There are no records then.
    package var isTokenInvalid = false
}
