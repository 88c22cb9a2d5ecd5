package import Bytes
package import Family
package import Terminal

/// A record that a field can name.
package struct FormOption: Hashable, Labelled {
    package let id: Identifier
    package let label: String
    package let detail: String
    /// The record that it belongs to: a coach's school.
    package let group: Identifier?

    package init(_ id: Identifier, _ label: String, _ detail: String = "", group: Identifier? = nil) {
        self.id = id
        self.label = label
        self.detail = detail
        self.group = group
    }
}

/// One record of the batch that a form makes.
package struct FormPart {
    package let kind: Kind
    /// The record that is changed, as it was when the form was opened; `nil` for a new one. Its version is the one that was typed on, which may be
    /// older than its fields in a form that was made again.
    package internal(set) var base: Record?
    /// What is set without being asked, by field name.
    package let preset: [String: Value]
    /// What stands above its fields.
    package let title: String
    /// Left out unless one of its fields is filled in.
    package let isOptional: Bool

    package init(_ kind: Kind, base: Record? = nil, preset: [String: Value] = [:], title: String = "", isOptional: Bool = false) {
        self.kind = kind
        self.base = base
        self.preset = preset
        self.title = title
        self.isOptional = isOptional
    }
}

/// What one record of the batch is to be.
package struct FormEntry: Hashable, Sendable {
    package let kind: Kind
    /// `nil` for a new one.
    package let base: Record?
    /// Of a change: only what is different.
    package let patch: FieldPatch
}

/// One field of a form with what was put into it.
package struct FormRow {
    package enum Content: Hashable {
        case typed(String)
        /// A place among the words of the choice.
        case choice(Int?)
        case flag(Bool)
        case chosen([Identifier])
    }

    /// Its place in the parts of the form.
    package let part: Int
    package let kind: Kind
    /// Position in the kind's declaration; `nil`: whose the record is.
    package let field: Int?
    package let label: String
    package let isRequired: Bool
    /// What stands above it, when a section begins.
    package let section: String
    package var content: Content { didSet { if case .typed = content {} else { isTouched = true } } }
    /// As it was when the form was opened.
    package var original: Content
    package var editor = Terminal.LineEditor()
    package var problem: String?
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

    /// What is in it now.
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

    /// Puts something there as if it had always been there.
    mutating func reset(to content: Content) {
        self.content = content
        original = content
        isTouched = false
        if case .typed(let text) = content {
            editor = Terminal.LineEditor()
            editor.set(text)
        }
    }

    /// How many records it can name.
    var room: Int {
        if case .set(_, let max) = type { return max }
        return 1
    }

    /// The kind of the records that it names.
    var names: Kind? {
        switch type {
        case .reference(let kind), .set(let kind, _): kind
        default: nil
        }
    }

    /// Rows of text that it takes at most.
    var height: Int {
        guard case .text = type else { return 1 }
        return 4
    }

    /// How a value of a record stands in a form; `nil` for fields that people do not type.
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

    /// The value; `nil` for an empty one.
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
