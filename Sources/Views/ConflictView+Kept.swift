internal import Family
internal import JSON
internal import Sync
internal import Terminal

/// The choices and texts for conflicts that are not resolved yet, as text. The client saves them on this machine while
/// the user types.
extension ConflictView {
    /// JSON; `nil` if nothing would be lost if the program ended now.
    package var kept: String? {
        let items = drafts.filter { item in
            choices[item.id]?.isEmpty == false || wholes[item.id] != nil || (item.id == selected && input != nil)
        }
        guard !items.isEmpty else { return nil }
        var writer = JSONWriter()
        writer.beginArray()
        for item in items {
            writer.beginObject()
            writer.key("draft")
            writer.integer(item.id)
            if let whole = wholes[item.id] {
                writer.key("whole")
                Self.write(whole, into: &writer)
            }
            writer.key("fields")
            writer.beginObject()
            for (field, choice) in (choices[item.id] ?? [:]).sorted(by: { $0.key < $1.key }) {
                guard let name = Self.name(field, item) else { continue }
                writer.key(name)
                Self.write(choice, into: &writer)
            }
            writer.endObject()
            if item.id == selected, let input {
                // A text for a field that the user is rewriting, or the reason for an overlap.
                if isOpen, let sides = item.sides, sides.fields.indices.contains(field), let name = Self.name(sides.fields[field].field, item) {
                    writer.key("at")
                    writer.string(name)
                }
                writer.key("typed")
                writer.string(input.text)
            }
            writer.endObject()
        }
        writer.endArray()
        return String(decoding: writer.octets, as: UTF8.self)
    }

    /// Restores the text that an earlier run saved, for the drafts that are shown.
    ///
    /// - Returns: whether the text had anything for any of these drafts.
    package mutating func restore(_ text: String) -> Bool {
        var entries: [Entry] = []
        do throws(JSONError) {
            try JSONReader.read(Array(text.utf8)) { (reader: inout JSONReader) throws(JSONError) in
                try reader.readArray { (reader: inout JSONReader) throws(JSONError) in entries.append(try Entry.read(&reader)) }
            }
        } catch {
            return false
        }
        var isAny = false
        for entry in entries {
            guard let item = drafts.first(where: { $0.id == entry.draft }) else { continue }
            if let sides = item.sides {
                for field in sides.fields {
                    guard let name = Self.name(field.field, item), let choice = entry.fields[name] else { continue }
                    choices[item.id, default: [:]][field.field] = choice
                    isAny = true
                }
                if let whole = entry.whole, sides.matter != .fields {
                    wholes[item.id] = whole
                    isAny = true
                }
            }
            guard let typed = entry.typed else { continue }
            if let name = entry.at {
                guard let place = item.sides?.fields.firstIndex(where: { Self.name($0.field, item) == name }), item.fields.indices.contains(place) else { continue }
                open(item.id)
                field = place
                input = LineField("", text: typed, isMultiline: item.fields[place].isMultiline)
            } else {
                guard item.isOverlap else { continue }
                selected = item.id
                input = LineField(Self.reason, text: typed)
            }
            isAny = true
        }
        return isAny
    }

    static let reason = "Reason: "

    /// The field's name on the wire; positions can differ in another version of the program.
    private static func name(_ field: Int, _ item: DraftItem) -> String? {
        guard let declared = item.sides?.record.kind.declaration.fields, declared.indices.contains(field) else { return nil }
        return declared[field].name
    }

    private static func write(_ choice: Choice, into writer: inout JSONWriter) {
        switch choice {
        case .yours: writer.string("yours")
        case .theirs: writer.string("theirs")
        case .both: writer.string("both")
        case .text(let text):
            writer.beginArray()
            writer.string(text)
            writer.endArray()
        }
    }

    private struct Entry {
        var draft: Int64 = 0
        var fields: [String: Choice] = [:]
        var whole: Choice?
        var at: String?
        var typed: String?

        static func read(_ reader: inout JSONReader) throws(JSONError) -> Entry {
            var entry = Entry()
            try reader.readObject { (reader: inout JSONReader, key: JSONKey) throws(JSONError) in
                switch key {
                case "draft": entry.draft = try reader.readInteger()
                case "whole": entry.whole = try choice(&reader)
                case "fields": try reader.readObject { (reader: inout JSONReader, key: JSONKey) throws(JSONError) in entry.fields[key.string] = try choice(&reader) }
                case "at": entry.at = try reader.readString()
                case "typed": entry.typed = try reader.readString()
                default: try reader.skipValue()
                }
            }
            return entry
        }

        private static func choice(_ reader: inout JSONReader) throws(JSONError) -> Choice? {
            guard try reader.peekKind() == .array else {
                switch try reader.readString() {
                case "yours": return .yours
                case "theirs": return .theirs
                case "both": return .both
                default: return nil
                }
            }
            var text: String?
            try reader.readArray { (reader: inout JSONReader) throws(JSONError) in text = try reader.readString() }
            return text.map { .text($0) }
        }
    }
}
