package import Bytes
package import Family
internal import JSON
internal import Terminal

/// The input of an unsaved form: enough to restore the form in another run of the program.
package struct FormDraft: Hashable, Sendable {
    /// How the form was created.
    package enum Recipe: Hashable, Sendable {
        case add(Kind, athlete: Identifier?, asksAthlete: Bool)
        case edit(Identifier)
        case attend(Identifier)
        /// Choose who was at an event.
        case coaches(Identifier)
    }

    /// The content of one row.
    struct Row: Hashable, Sendable {
        let part: Int
        /// A field's name; `nil` for the row that chooses the owner of the record.
        let field: String?
        let content: Content
        /// For a set: its elements when the change began; additions and removals are computed from them. `nil` for all
        /// other fields.
        let original: [Identifier]?
    }

    enum Content: Hashable, Sendable {
        case typed(String)
        /// A word of the choice; `nil` if none is chosen.
        case choice(String?)
        case flag(Bool)
        case chosen([Identifier])
    }

    /// The largest size of the form's text, in octets; twice the size of the longest texts of an event.
    private static let limit = 262_144

    package let recipe: Recipe
    /// The version of the record that the form changes; 0 for a new record.
    let version: Int64
    let rows: [Row]

    init(_ recipe: Recipe, version: Int64, rows: [Row]) {
        self.recipe = recipe
        self.version = version
        self.rows = rows
    }

    /// The input as plain text for people who look for it in a file: a paragraph for each field, named as in
    /// `proto/schema`.
    package var words: String {
        rows.compactMap { row in
            let said: String? =
                switch row.content {
                case .typed(let text): text
                case .choice(let word): word
                case .flag(let isOn): isOn ? "yes" : "no"
                case .chosen: nil
                }
            return said.map { "\(row.field ?? ""): \($0)\n" }
        }.joined()
    }

    // MARK: As text

    /// JSON; `nil` above the size limit.
    package var text: String? {
        var writer = JSONWriter()
        writer.beginObject()
        switch recipe {
        case .add(let kind, let athlete, let asksAthlete):
            writer.key("add")
            writer.string("\(kind.name)")
            if let athlete {
                writer.key("athlete")
                writer.identifier(athlete)
            }
            writer.key("asks")
            writer.boolean(asksAthlete)
        case .edit(let id):
            writer.key("edit")
            writer.identifier(id)
        case .attend(let id):
            writer.key("attend")
            writer.identifier(id)
        case .coaches(let id):
            writer.key("coaches")
            writer.identifier(id)
        }
        writer.key("version")
        writer.integer(version)
        writer.key("rows")
        writer.beginArray()
        for row in rows { row.write(into: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.octets.count <= Self.limit ? String(decoding: writer.octets, as: UTF8.self) : nil
    }

    /// - Returns: `nil` for a text that no form wrote.
    package init?(text: String) {
        var kind: Kind?
        var athlete: Identifier?
        var changed: Recipe?
        var asksAthlete = false
        var version: Int64 = 0
        var rows: [Row] = []
        do throws(JSONError) {
            try JSONReader.read(Array(text.utf8)) { (reader: inout JSONReader) throws(JSONError) in
                try reader.readObject { (reader: inout JSONReader, key: JSONKey) throws(JSONError) in
                    switch key {
                    case "add": kind = Kind(name: try reader.readString())
                    case "athlete": athlete = try reader.readIdentifier()
                    case "asks": asksAthlete = try reader.readBool()
                    case "edit": changed = .edit(try reader.readIdentifier())
                    case "attend": changed = .attend(try reader.readIdentifier())
                    case "coaches": changed = .coaches(try reader.readIdentifier())
                    case "version": version = try reader.readInteger()
                    case "rows": try reader.readArray { (reader: inout JSONReader) throws(JSONError) in rows += try Row.read(&reader).map { [$0] } ?? [] }
                    default: try reader.skipValue()
                    }
                }
            }
        } catch {
            return nil
        }
        if let kind {
            recipe = .add(kind, athlete: athlete, asksAthlete: asksAthlete)
        } else if let changed {
            recipe = changed
        } else {
            return nil
        }
        self.version = version
        self.rows = rows
    }
}

extension FormDraft.Row {
    fileprivate func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("part")
        writer.integer(part)
        if let field {
            writer.key("field")
            writer.string(field)
        }
        switch content {
        case .typed(let text):
            writer.key("typed")
            writer.string(text)
        case .choice(let word):
            writer.key("choice")
            if let word { writer.string(word) } else { writer.null() }
        case .flag(let isOn):
            writer.key("flag")
            writer.boolean(isOn)
        case .chosen(let ids):
            writer.key("chosen")
            writer.beginArray()
            for id in ids { writer.identifier(id) }
            writer.endArray()
        }
        if let original {
            writer.key("original")
            writer.beginArray()
            for id in original { writer.identifier(id) }
            writer.endArray()
        }
        writer.endObject()
    }

    private static func identifiers(_ reader: inout JSONReader) throws(JSONError) -> [Identifier] {
        var ids: [Identifier] = []
        try reader.readArray { (reader: inout JSONReader) throws(JSONError) in ids.append(try reader.readIdentifier()) }
        return ids
    }

    fileprivate static func read(_ reader: inout JSONReader) throws(JSONError) -> FormDraft.Row? {
        var part: Int64 = 0
        var field: String?
        var content: FormDraft.Content?
        var original: [Identifier]?
        try reader.readObject { (reader: inout JSONReader, key: JSONKey) throws(JSONError) in
            switch key {
            case "part": part = try reader.readInteger()
            case "field": field = try reader.readString()
            case "typed": content = .typed(try reader.readString())
            case "choice": content = .choice(try reader.skipNull() ? nil : try reader.readString())
            case "flag": content = .flag(try reader.readBool())
            case "chosen": content = .chosen(try identifiers(&reader))
            case "original": original = try identifiers(&reader)
            default: try reader.skipValue()
            }
        }
        return content.map { FormDraft.Row(part: Int(clamping: part), field: field, content: $0, original: original) }
    }
}
