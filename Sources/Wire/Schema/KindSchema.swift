import Family

/// The schemas of one kind, made of its declaration.
enum KindSchema {
    /// How a value is written: by the server in records, or by an author in operations (before it is made canonical).
    enum Form {
        case record
        case operation
    }

    static func document(_ kind: Kind) -> SchemaTree {
        let declaration = kind.declaration
        let sets = declaration.fields.filter { if case .set = $0.type { true } else { false } }
        var definitions: [(String, SchemaTree)] = [
            ("fields", fields(declaration, form: .record, required: true, "In records and changes: empty fields are left out.")),
            ("assigned", .object([
                ("type", "object"),
                ("description", "In a change that updates: the fields that changed, null for one that is empty now."),
                ("properties", .object(declaration.fields.map { ($0.name, nullable(value($0, form: .record), !$0.isRequired)) })),
                ("additionalProperties", false),
            ])),
        ]
        if declaration.isCreatedByMutation {
            definitions.append(("create", fields(
                declaration, form: .operation, required: true, "In an operation that creates. A field that is left out gets its default.")))
        }
        definitions.append(("update", fields(
            declaration, form: .operation, required: false, "In an operation that updates: the fields to change, null empties one.")))
        if !sets.isEmpty {
            definitions.append(("edits", .object([
                ("type", "object"),
                ("description", "The elements that add and remove of an updating operation may name."),
                ("properties", .object(sets.map { ($0.name, elements($0, form: .operation)) })),
                ("additionalProperties", false),
            ])))
        }
        return .object([
            ("$schema", .string(SchemaDocument.dialect)),
            ("title", .string(declaration.label)),
            ("description", .string("Belongs to \(owner(declaration.scope)). " + comings(declaration))),
            ("$ref", "#/$defs/fields"),
            ("$defs", .object(definitions)),
        ])
    }

    private static func owner(_ scope: Scope) -> String {
        switch scope {
        case .athlete: "one athlete, whom the record's athlete names"
        case .family: "the whole family"
        case .member: "one member"
        }
    }

    private static func comings(_ declaration: KindDeclaration) -> String {
        switch (declaration.isCreatedByMutation, declaration.isDeletedByMutation) {
        case (true, true): "Created, updated, deleted and restored by mutations."
        case (false, true) where declaration.kind == .document: "Comes by an upload; updated, deleted and restored by mutations."
        case (false, true): "Comes by an invitation; updated, deleted and restored by mutations."
        case (true, false): "Created and updated by mutations."
        default: "Made by the server; updated by mutations."
        }
    }

    private static func fields(_ declaration: KindDeclaration, form: Form, required: Bool, _ description: String) -> SchemaTree {
        let written = declaration.fields.filter { form == .record || !$0.isServerOnly }
        var members: [(String, SchemaTree)] = [
            ("type", "object"),
            ("description", .string(description)),
            ("properties", .object(written.map { field in
                var schema = form == .record ? value(field, form: form) : nullable(value(field, form: form), !field.isRequired)
                if form == .operation, required, let leftOut = leftOut(field), case .object(let members) = schema {
                    schema = .object(members + [leftOut])
                }
                return (field.name, schema)
            })),
        ]
        let names = written.filter { required && $0.isRequired && (form == .record || !$0.mayBeLeftOut) }.map { SchemaTree.string($0.name) }
        if !names.isEmpty { members.append(("required", .array(names))) }
        members.append(("additionalProperties", false))
        return .object(members)
    }

    /// The value that a record gets when its creation leaves the field out: a value, or in words how the server finds one.
    private static func leftOut(_ field: FieldDeclaration) -> (String, SchemaTree)? {
        switch field.defaultValue {
        case .flag(let flag)?: return ("default", .flag(flag))
        case .text(let text)?: return ("default", .string(text))
        case .some: preconditionFailure("\(field.name) has a default that schemas do not write")
        case nil: return field.filledIn.map { ("$comment", .string("Left out: \($0).")) }
        }
    }

    private static func nullable(_ schema: SchemaTree, _ isNullable: Bool) -> SchemaTree {
        isNullable ? ["anyOf": [schema, ["type": "null"]]] : schema
    }

    static func value(_ field: FieldDeclaration, form: Form) -> SchemaTree {
        var members: [(String, SchemaTree)] = [("title", .string(field.label))]
        switch field.type {
        case .line(let max):
            members += [("type", "string")]
            if form == .record {
                members += [("minLength", 1), ("maxLength", .integer(Int64(max)))]
                members += [("pattern", "^[^\\u0000-\\u001F\\u007F-\\u009F\\u2028\\u2029]+$")]
            } else {
                let invisible = field.isName ? ", no invisible ones (Default_Ignorable_Code_Point) but joiners and variation selectors in their place" : ""
                let bound = "At most \(max) characters after white space at both ends was taken off, no control characters\(invisible)."
                members += [("description", .string(bound))]
            }
        case .text(let max):
            members += [("type", "string"), ("maxLength", .integer(Int64(max)))]
            if form == .record { members += [("minLength", 1), ("pattern", "^[^\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F]+$")] }
        case .choice(let words, let labels):
            members += [("oneOf", .array(zip(words, labels).map { ["const": .string($0), "title": .string($1)] }))]
        case .flag: members += [("type", "boolean")]
        case .integer(let range):
            members += [("type", "integer"), ("minimum", .integer(range.lowerBound)), ("maximum", .integer(range.upperBound))]
        case .decimal(let digits, let scale, let min):
            let sign = min < 0 ? "-?" : ""
            let pattern = form == .record
                ? "^\(sign)(0|[1-9][0-9]{0,\(digits - 1)})" + (scale > 0 ? "\\.[0-9]{\(scale)}$" : "$")
                : "^\\s*-?[0-9]+" + (scale > 0 ? "(\\.[0-9]{1,\(scale)})?\\s*$" : "\\s*$")
            members += [("type", "string"), ("pattern", .string(pattern))]
            members += [("description", .string("An exact decimal number, not below \(min)."))]
        case .measure(let digits, let scale, _):
            let pattern = form == .record
                ? "^-?(0|[1-9][0-9]{0,\(digits - 1)})(\\.[0-9]{1,\(scale)})?$" : "^\\s*-?[0-9]+(\\.[0-9]{1,\(scale)})?\\s*$"
            members += [("type", "string"), ("pattern", .string(pattern))]
            members += [("description", "An exact decimal number with the decimals that its author wrote.")]
        case .localDateTime:
            members += [("type", "string"), ("pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]$")]
            members += [("description", "The local time in the zone that another field names.")]
        case .date:
            members += [("type", "string"), ("format", "date"), ("pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
        case .time: members += [("type", "string"), ("pattern", "^([01][0-9]|2[0-3]):[0-5][0-9]$")]
        case .zone: members += [("type", "string"), ("description", "A time zone of the IANA database, such as Europe/Warsaw.")]
        case .url:
            members += [("type", "string"), ("pattern", form == .record ? "^https?://[^ ]+$" : "^\\s*[hH][tT][tT][pP][sS]?://")]
            if form == .record { members += [("description", .string("At most \(Validation.urlOctets) octets."))] }
        case .state: members += [("type", "string"), ("pattern", form == .record ? "^[A-Z]{1,2}$" : "^\\s*[A-Za-z]{1,2}\\s*$")]
        case .reference(let kind):
            members += [("$ref", "../common.json#/$defs/identifier"), ("description", .string("The id of a \(kind.name)."))]
        case .link: members += [("$ref", "../common.json#/$defs/link")]
        case .set:
            guard case .object(let rest) = elements(field, form: form) else { break }
            members += rest
        case .json(let maxOctets, let maxDepth):
            members += [
                ("type", "object"),
                ("description", .string("Any object of at most \(maxOctets) octets and \(maxDepth) levels; comes back octet for octet.")),
            ]
        }
        return .object(members)
    }

    private static func elements(_ field: FieldDeclaration, form: Form) -> SchemaTree {
        guard case .set(let kind, let max) = field.type else { return .object([]) }
        return [
            "type": "array",
            "description": .string("A set of records of kind \(kind.name), at most \(max)."),
            "maxItems": .integer(Int64(max)),
            "items": ["$ref": .string("../common.json#/$defs/\(form == .record ? "element" : "named")")],
        ]
    }
}
