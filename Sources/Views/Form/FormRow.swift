package import Bytes
package import Family
package import Terminal

/// A record that a field can name.
package struct FormOption: Hashable, Labelled {
    package let id: Identifier
    package let label: String
    package let detail: String
    /// The record that this record belongs to: a coach's school.
    package let group: Identifier?

    package init(_ id: Identifier, _ label: String, _ detail: String = "", group: Identifier? = nil) {
        self.id = id
        self.label = label
        self.detail = detail
        self.group = group
    }
}

/// One record of the batch that a form creates.
package struct FormPart {
    package let kind: Kind
    /// The record to change, as it was when the form was opened; `nil` for a new record. Its version is the version
    /// that the user's input is based on. In a restored form that version can be older than the fields.
    package internal(set) var base: Record?
    /// The values that the form sets without a row, by field name.
    package let preset: [String: Value]
    /// The heading above its fields.
    package let title: String
    /// Whether the record is omitted unless one of its fields is filled in.
    package let isOptional: Bool

    package init(_ kind: Kind, base: Record? = nil, preset: [String: Value] = [:], title: String = "", isOptional: Bool = false) {
        self.kind = kind
        self.base = base
        self.preset = preset
        self.title = title
        self.isOptional = isOptional
    }
}

/// The requested state of one record of the batch.
package struct FormEntry: Hashable, Sendable {
    package let kind: Kind
    /// `nil` for a new record.
    package let base: Record?
    /// For a change: only the fields that differ.
    package let patch: FieldPatch
}

/// One field of a form with its input.
package struct FormRow {
    package enum Content: Hashable {
        case typed(String)
        /// A position among the words of the choice.
        case choice(Int?)
        case flag(Bool)
        case chosen([Identifier])
    }

    /// The position of the row's part in the form.
    package let part: Int
    package let kind: Kind
    /// Position in the kind's declaration; `nil` for the row that chooses the owner of the record.
    package let field: Int?
    package let label: String
    package let isRequired: Bool
    /// The heading above the row, if a section begins here.
    package let section: String
    package var content: Content { didSet { if case .typed = content {} else { isTouched = true } } }
    /// The content when the form was opened.
    package var original: Content
    package var editor = Terminal.LineEditor()
    package var problem: String?
    /// A sentence about the value that another member gave the field while this user changed it.
    package var rival: String?
    package var isTouched = false

    init(part: Int, kind: Kind, field: Int?, label: String, isRequired: Bool, section: String = "", content: Content) {
        self.part = part
        self.kind = kind
        self.field = field
        self.label = label
        self.isRequired = isRequired
        self.section = section
        self.content = content
        original = content
        if case .typed(let text) = content { editor.set(text) }
    }

    package var declaration: FieldDeclaration? { field.map { kind.declaration.fields[$0] } }
    package var type: FieldType { declaration?.type ?? .reference(.member) }

    /// The current content.
    var current: Content {
        if case .typed = content { return .typed(editor.text) }
        return content
    }

    package var isChanged: Bool { current != original }

    package var isEmpty: Bool {
        switch current {
        case .typed(let text): text.allSatisfy(\.isWhitespace)
        case .choice(let place): place == nil
        case .flag(let isOn): !isOn
        case .chosen(let ids): ids.isEmpty
        }
    }

    /// Sets the content and makes it the original, so that the row counts as unchanged.
    mutating func reset(to content: Content) {
        self.content = content
        original = content
        isTouched = false
        rival = nil
        if case .typed(let text) = content {
            editor = Terminal.LineEditor()
            editor.set(text)
        }
    }

    /// The largest number of records that the field can name.
    var room: Int {
        if case .set(_, let max) = type { return max }
        return 1
    }

    /// The kind of the records that the field names.
    var names: Kind? {
        switch type {
        case .reference(let kind), .set(let kind, _): kind
        default: nil
        }
    }

    /// The largest number of text rows that the field takes.
    var height: Int {
        guard case .text = type else { return 1 }
        return 4
    }

    /// The content of a form row for a record's value; `nil` for fields that people do not type.
    static func content(_ value: Value?, _ type: FieldType) -> Content? {
        switch type {
        case .line, .text, .integer, .decimal, .measure, .date, .time, .localDateTime, .zone, .url, .state:
            switch value {
            case .text(let text)?: return .typed(text)
            case .integer(let number)?: return .typed(String(number))
            default: return .typed("")
            }
        case .choice(let words, _):
            if case .text(let word)? = value { return .choice(words.firstIndex(of: word)) }
            return .choice(nil)
        case .flag: return .flag(value == .flag(true))
        case .reference:
            if case .reference(let id)? = value { return .chosen([id]) }
            return .chosen([])
        case .set:
            if case .set(let elements)? = value { return .chosen(elements.map(\.id)) }
            return .chosen([])
        case .link, .json: return nil
        }
    }

    /// The value; `nil` if the row is empty.
    var value: Value? {
        switch current {
        case .typed(let text):
            if case .integer = type { return Int64(text).map { .integer($0) } ?? (isEmpty ? nil : .text(text)) }
            return isEmpty ? nil : .text(text)
        case .choice(let place):
            guard case .choice(let words, _) = type, let place, words.indices.contains(place) else { return nil }
            return .text(words[place])
        case .flag(let isOn): return .flag(isOn)
        case .chosen(let ids):
            guard let first = ids.first else { return nil }
            if case .set = type { return .set(ids.sorted().map { SetElement(id: $0) }) }
            return .reference(first)
        }
    }
}
