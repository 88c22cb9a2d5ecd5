/// One field of a kind. Validation, storage, JSON Schema, forms and help all read this and nothing else.
package struct FieldDeclaration: Sendable {
    /// The word on the wire and in the database, snake_case.
    package let name: String
    /// The same word as octets that no reader or writer of frames has to copy.
    package let key: StaticString
    package let type: FieldType
    /// The label of the field in forms.
    package let label: String
    /// A create without it, and an update that clears it, are refused.
    package let isRequired: Bool
    /// The value that a create without the field gets; `nil` leaves it empty.
    package let defaultValue: Value?
    /// The value that a create without the field gets by a rule of its kind (`Validation.applyDefaults`), in words for other clients; `nil`
    /// where there is no such rule. A required field with one may be left out.
    package let filledIn: String?
    /// The server writes it; a mutation that names it is refused.
    package let isServerOnly: Bool
    /// The effect on the field when the record that it refers to is deleted; without meaning for fields that refer to none.
    package let whenGone: ReferencePolicy
    /// The number only grows: assigning a smaller one changes nothing, and a stale base is not a conflict.
    package let onlyGrows: Bool

    package init(
        _ name: StaticString, _ type: FieldType, label: String, required: Bool = false, default defaultValue: Value? = nil,
        filledIn: String? = nil, serverOnly: Bool = false, whenGone: ReferencePolicy = .stay, onlyGrows: Bool = false
    ) {
        self.name = name.description
        key = name
        self.type = type
        self.label = label
        isRequired = required
        self.defaultValue = defaultValue
        self.filledIn = filledIn
        isServerOnly = serverOnly
        self.whenGone = whenGone
        self.onlyGrows = onlyGrows
    }
}

extension FieldDeclaration {
    /// Whether people distinguish records by it, so that nothing in it may be invisible.
    package var isName: Bool {
        guard case .line = type else { return false }
        return ["name", "first_name", "last_name", "title"].contains(name)
    }

    /// Whether a create may leave the field out although it is required.
    package var mayBeLeftOut: Bool { !isRequired || filledIn != nil || defaultValue != nil }
}

/// The effect on a reference when the record that it names is deleted, in the same change as the deletion.
package enum ReferencePolicy: Sendable, Equatable {
    /// The id stays. The record's former name is in the field of that name, which only the server writes: it is filled when the
    /// reference is assigned, and brought up to date when the record is deleted under another name.
    case keep(named: String)
    /// The field becomes empty.
    case unlink
    /// The record that holds the reference is deleted as well.
    case cascade
    /// Nothing: the id stays, and an element of a set keeps name and role as they were.
    case stay
}

/// The values that a field may hold, and the form in which they are sent.
package enum FieldType: Sendable, Equatable {
    /// One line of text, at most `max` characters (Unicode scalars), no control characters. JSON string.
    case line(max: Int)
    /// Text of several lines: line feeds and tabs allowed. JSON string.
    case text(max: Int)
    /// One of the listed words. JSON string. `labels` are parallel to `words`.
    case choice(words: [String], labels: [String])
    /// JSON `true` or `false`.
    case flag
    /// A JSON integer in the range.
    case integer(ClosedRange<Int64>)
    /// An exact decimal number in a JSON string, `"150.00"`; at most `digits` before and `scale` after the point, not below `min`.
    case decimal(digits: Int, scale: Int, min: Int64)
    /// An exact decimal number in a JSON string, kept with the decimals that its author wrote (`"92.50"` stays that), without leading
    /// zeros; two of the same value are the same. At most `digits` before and `scale` after the point, not below `min`.
    case measure(digits: Int, scale: Int, min: Int64)
    /// `"YYYY-MM-DD"`, a date that exists.
    case date
    /// `"HH:MM"`, 00:00...23:59.
    case time
    /// `"YYYY-MM-DDTHH:MM"`: what a clock shows, in the zone that another field names.
    case localDateTime
    /// An IANA zone name that this server's zone data has.
    case zone
    /// An absolute `http` or `https` URL of at most 2,048 octets.
    case url
    /// At most two letters, stored in upper case.
    case state
    /// The id of a record of that kind in the same family, in the same or an earlier operation of the batch.
    case reference(Kind)
    /// `{"kind": …, "id": …}`: a record of any kind in the same family.
    case link
    /// A set of records of one kind, changed by `add` and `remove`; JSON array of `{"id", "name"?, "role"?}`. The server fills
    /// name and role in as they are when the element is added, so that history stays when the record goes.
    case set(of: Kind, max: Int)
    /// Any JSON object, kept octet for octet.
    case json(maxOctets: Int, maxDepth: Int)
}
