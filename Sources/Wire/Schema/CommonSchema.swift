import Family
import Queries

/// The definitions that several frames share: `common.json`.
enum CommonSchema {
    static let document: SchemaTree = .object([
        ("$schema", .string(SchemaDocument.dialect)),
        ("title", "The parts of frames"),
        ("$defs", .object(scalars + records + operations + changes + others)),
    ])

    private static func own(_ name: String) -> SchemaTree { ["$ref": .string("#/$defs/\(name)")] }

    private static func closed(
        _ description: String, _ members: [(String, SchemaTree)], optional: Set<String> = [], rules: [SchemaTree] = [],
        feature: Feature? = nil
    ) -> SchemaTree {
        var object: [(String, SchemaTree)] = [
            ("type", "object"), ("description", .string(description)), ("properties", .object(members)),
            ("required", .array(members.map(\.0).filter { !optional.contains($0) }.map(SchemaTree.string))),
            ("additionalProperties", false),
        ]
        if let feature { object.append(("$comment", .string(feature.comment))) }
        if !rules.isEmpty { object.append(("allOf", .array(rules))) }
        return .object(object)
    }

    /// For each kind: when `kind` is its word, these members look like this.
    private static func perKind(_ kinds: [Kind], _ members: (Kind) -> [(String, SchemaTree)]) -> [SchemaTree] {
        kinds.map { kind in
            [
                "if": ["properties": ["kind": ["const": .string(kind.name.description)]], "required": ["kind"]],
                "then": ["properties": .object(members(kind))],
            ]
        }
    }

    private static func fields(_ kind: Kind, _ form: String) -> SchemaTree {
        ["$ref": .string("kinds/\(kind.name).json#/$defs/\(form)")]
    }

    private static let scalars: [(String, SchemaTree)] = [
        ("identifier", [
            "type": "string", "description": "A UUID in lower case.",
            "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
        ]),
        ("count", ["type": "integer", "minimum": 0, "maximum": .integer(WireBounds.integer)]),
        ("positive", ["type": "integer", "minimum": 1, "maximum": .integer(WireBounds.integer)]),
        ("wait", [
            "type": "integer", "description": "Milliseconds.", "minimum": .integer(Rejection.shortestRetry), "maximum": .integer(WireBounds.integer),
        ]),
        ("instant", ["type": "integer", "description": "Milliseconds since 1970, UTC."]),
        ("word", [
            "type": "string", "description": "A secret or a mark of the server, to be returned unchanged.",
            "minLength": 1, "maxLength": .integer(Int64(WireBounds.wordOctets)),
        ]),
        ("nonce", [
            "type": "string", "description": "A secret of the client: 128 random bits in hexadecimal digits.",
            "pattern": .string("^[0-9a-f]{\(WireBounds.nonceDigits)}$"),
        ]),
        ("kind", ["enum": .array(Kind.allCases.map { .string($0.name.description) })]),
        ("role", ["enum": .array(Role.allCases.map { .string($0.rawValue) })]),
        ("code", ["enum": .array(ErrorCode.allCases.map { .string($0.rawValue) })]),
        ("context", ["description": "The athlete whose season is shown, or all.", "anyOf": [["const": "all"], own("identifier")]]),
        ("cursor", closed("A position in one family's history of one database.", [("epoch", own("word")), ("seq", own("count"))])),
        ("link", closed("A record of any kind.", [("kind", own("kind")), ("id", own("identifier"))])),
        ("element", closed(
            "An element of a set: name and role as they were when it was added.",
            [("id", own("identifier")), ("name", ["type": "string"]), ("role", ["type": "string"])], optional: ["name", "role"])),
        ("named", ["description": "An element of a set, by its id.", "anyOf": [own("identifier"), own("element")]]),
    ]

    private static let records: [(String, SchemaTree)] = [
        ("record", closed(
            "One thing that the family shares.",
            [
                ("kind", own("kind")), ("id", own("identifier")), ("athlete", own("identifier")), ("version", own("positive")),
                ("created_at", own("instant")), ("created_by", own("identifier")), ("updated_at", own("instant")),
                ("updated_by", own("identifier")), ("deleted_at", own("instant")), ("fields", ["type": "object"]),
            ], optional: ["athlete", "deleted_at"], rules: perKind(Kind.allCases) { [("fields", fields($0, "fields"))] })),
        ("version", closed("A record's version after a change.", [("id", own("identifier")), ("version", own("positive"))])),
    ]

    private static let operations: [(String, SchemaTree)] = {
        let head: [(String, SchemaTree)] = [("kind", own("kind")), ("id", own("identifier"))]
        func op(_ word: String) -> [(String, SchemaTree)] { [("op", ["const": .string(word)])] + head }
        let creatable = Kind.allCases.filter(\.declaration.isCreatedByMutation)
        let days: SchemaTree = [
            "type": "integer", "minimum": .integer(-Int64(Validation.shiftDays)), "maximum": .integer(Int64(Validation.shiftDays)),
        ]
        func kinds(_ isMeant: (KindDeclaration) -> Bool) -> SchemaTree {
            .array(Kind.allCases.filter { isMeant($0.declaration) }.map { .string($0.name.description) })
        }
        return [
            ("operation", ["oneOf": [own("op_create"), own("op_update"), own("op_delete"), own("op_restore"), own("op_shift"), own("op_copy")]]),
            ("op_create", closed(
                "A new record; athlete is its owner, for kinds that belong to one (left out: the context's).",
                op("create") + [("athlete", own("identifier")), ("fields", ["type": "object"])], optional: ["athlete", "fields"],
                rules: perKind(creatable) { [("fields", fields($0, "create"))] })),
            ("op_update", closed(
                "base is the version that the author saw. merge disjoint: changes of different fields are both kept.",
                op("update") + [
                    ("base", own("positive")), ("merge", ["const": "disjoint"]), ("fields", ["type": "object"]), ("add", ["type": "object"]),
                    ("remove", ["type": "object"]),
                ], optional: ["merge", "fields", "add", "remove"],
                rules: perKind(Kind.allCases) { kind in
                    let hasSets = kind.declaration.fields.contains { if case .set = $0.type { true } else { false } }
                    let edits: SchemaTree = hasSets ? fields(kind, "edits") : ["type": "object", "maxProperties": 0]
                    return [("fields", fields(kind, "update")), ("add", edits), ("remove", edits)]
                })),
            ("op_delete", closed("base is the version that the author saw.", op("delete") + [("base", own("positive"))])),
            ("op_restore", closed("base is the version of the deletion.", op("restore") + [("base", own("positive"))])),
            ("op_shift", closed(
                "Moves a trip with its items, one item or an event by whole days, not 0; local times stay.",
                op("shift") + [("base", own("positive")), ("days", days)],
                rules: [["properties": ["kind": ["enum": kinds(\.shiftsWithDays)]]]], feature: .of(operation: "shift"))),
            ("op_copy", closed(
                "A new trip with its items, or a new event, copied from the one called from, this many days later; local times stay.",
                op("copy") + [("from", own("identifier")), ("days", days)],
                rules: [["properties": ["kind": ["enum": kinds(\.isCopied)]]]], feature: .of(operation: "copy"))),
        ]
    }()

    private static let changes: [(String, SchemaTree)] = {
        func op(_ word: String) -> [(String, SchemaTree)] {
            [("op", ["const": .string(word)]), ("kind", own("kind")), ("id", own("identifier"))]
        }
        let version: [(String, SchemaTree)] = [("version", own("positive"))]
        return [
            ("change", ["oneOf": [own("changed_create"), own("changed_update"), own("changed_delete"), own("changed_restore")]]),
            ("changed_create", closed(
                "A new record, complete.", op("create") + [("athlete", own("identifier"))] + version + [("fields", ["type": "object"])],
                optional: ["athlete"], rules: perKind(Kind.allCases) { [("fields", fields($0, "fields"))] })),
            ("changed_update", closed(
                "The fields that changed, sets whole.", op("update") + version + [("fields", ["type": "object"])],
                rules: perKind(Kind.allCases) { [("fields", fields($0, "assigned"))] })),
            ("changed_delete", closed("The record is deleted; it can be restored for 30 days.", op("delete") + version)),
            ("changed_restore", closed(
                "The record is restored, complete, with its original creation.",
                op("restore") + [("athlete", own("identifier"))] + version + [
                    ("created_at", own("instant")), ("created_by", own("identifier")), ("fields", ["type": "object"]),
                ], optional: ["athlete"], rules: perKind(Kind.allCases) { [("fields", fields($0, "fields"))] })),
        ]
    }()

    private static let others: [(String, SchemaTree)] = [
        ("conflict", closed(
            "The facts that an author needs to decide about a record that has changed.",
            [
                ("record", own("record")),
                ("fields", [
                    "type": "array",
                    "items": closed(
                        "A field that both sides changed.",
                        [
                            ("field", ["type": "string"]), ("base", ["description": "The value that the author saw; null also if it is no longer known."]),
                            ("yours", ["description": "The value that the author wants."]), ("theirs", ["description": "The current value."]),
                            ("member", own("identifier")), ("at", own("instant")),
                        ]),
                ]),
            ])),
        ("filter", closed(
            "The conditions for the records of a list; protocol.md lists those of each kind.",
            [
                ("type", ["type": "string"]), ("types", ["type": "array", "items": ["type": "string"]]),
                ("status", ["enum": .array(Query.Status.allCases.map { .string($0.rawValue) })]),
                ("date", ["enum": .array(Query.Window.allCases.map { .string($0.rawValue) })]),
                ("school_id", own("identifier")), ("coach_id", own("identifier")), ("event_id", own("identifier")),
                ("trip_id", own("identifier")), ("about", own("identifier")), ("from", ["type": "string", "format": "date"]),
                ("to", ["type": "string", "format": "date"]), ("day", ["type": "string", "format": "date"]),
                ("itinerary", ["type": "boolean"]), ("shared", ["type": "boolean"]), ("current", ["type": "boolean"]),
            ], optional: Set(Query.FilterKey.allCases.map(\.rawValue)))),
        ("statistics", closed(
            "Figures; which of these there are depends on the kind.",
            [
                ("total", own("count")), ("upcoming", own("count")), ("registered", own("count")), ("not_registered", own("count")),
                ("attended", own("count")), ("shared", own("count")), ("most_common_type", ["type": "string"]), ("octets", own("count")),
                ("storage_used", own("count")), ("storage_quota", own("count")),
                ("types", [
                    "type": "array", "items": closed("A type.", [("type", ["type": "string"]), ("records", own("count"))]),
                ]),
                ("metrics", [
                    "type": "array",
                    "items": closed(
                        "The measurements of one type; for type other, of one label.",
                        [
                            ("type", ["type": "string"]), ("label", ["type": "string"]), ("records", own("count")), ("best", own("mark")),
                            ("latest", own("mark")),
                        ], optional: ["label"]),
                ]),
                ("kinds", [
                    "type": "array", "items": closed("A kind.", [("kind", own("kind")), ("records", own("count"))]),
                ]),
            ],
            optional: [
                "total", "upcoming", "registered", "not_registered", "attended", "shared", "most_common_type", "octets", "storage_used",
                "storage_quota", "types",
                "metrics", "kinds",
            ])),
        ("mark", closed(
            "One metric.",
            [
                ("id", own("identifier")), ("value", ["type": "string"]), ("unit", ["type": "string"]),
                ("date", ["type": "string", "format": "date"]),
            ])),
        ("history", closed(
            "One change of the family; its changes are those of the change frame, updates have before: the replaced values.",
            [
                ("seq", own("positive")), ("at", own("instant")), ("member", own("identifier")), ("undoable", ["type": "boolean"]),
                ("undoes", own("positive")), ("changes", ["type": "array", "items": ["type": "object"]]),
            ], optional: ["undoes"])),
        ("digest", closed(
            "The changes after a sequence. complete is false if there are more than a digest covers: then after is a later sequence.",
            [
                ("after", own("count")), ("seq", own("count")), ("complete", ["type": "boolean"]), ("changes", own("count")),
                ("kinds", [
                    "type": "array",
                    "items": closed(
                        "The changes of records of a kind.",
                        [
                            ("kind", own("kind")), ("created", own("count")), ("updated", own("count")), ("deleted", own("count")),
                            ("restored", own("count")),
                        ]),
                ]),
                ("members", [
                    "type": "array", "items": closed("The authors of changes.", [("member", own("identifier")), ("changes", own("count"))]),
                ]),
                ("messages", own("count")), ("mentions", ["type": "array", "items": own("identifier")]),
                ("records", [
                    "type": "array",
                    "items": closed(
                        "The latest change of a record.",
                        [
                            ("kind", own("kind")), ("id", own("identifier")), ("seq", own("positive")), ("at", own("instant")),
                            ("member", own("identifier")),
                        ]),
                ]),
            ])),
        ("access", closed(
            "A person viewed an athlete's season or a document of it, or exported it.",
            [
                ("at", own("instant")), ("athlete", own("identifier")), ("member", own("identifier")),
                ("what", ["enum": .array(AccessNote.Subject.allCases.map { .string($0.rawValue) })]), ("record", own("identifier")),
            ], optional: ["record"])),
        ("invite", closed(
            "A family's offer of a sign-in. member is the person's id from the beginning; expires_at is that of the code; without inviter it is of the person who runs the server.",
            [
                ("id", own("identifier")), ("member", own("identifier")), ("role", own("role")), ("name", ["type": "string"]),
                ("email", ["type": "string"]), ("inviter", own("identifier")), ("created_at", own("instant")), ("expires_at", own("instant")),
                ("state", ["enum": .array(Invite.State.allCases.map { .string($0.rawValue) })]), ("last_day", ["type": "string", "format": "date"]),
                ("mail", ["enum": .array(InviteMail.allCases.map { .string($0.rawValue) }), "description": "The result of the mail with the code; left out if none was sent."]),
            ], optional: ["email", "inviter", "last_day", "mail"], feature: .invites)),
        ("standing", closed(
            "Whether a member may sign in. signed_in: somebody has; invited: an invite waits. An athlete of 13 to 17 needs a consent.",
            [
                ("member", own("identifier")), ("role", own("role")), ("state", ["enum": .array(Standing.State.allCases.map { .string($0.rawValue) })]),
                ("signed_in", ["type": "boolean"]), ("invited", ["type": "boolean"]),
                ("consent", closed(
                    "The parent who consented, when, and to which version of the text.",
                    [("by", own("identifier")), ("at", own("instant")), ("version", ["type": "string"])])),
                ("last_day", ["type": "string", "format": "date"]),
            ], optional: ["consent", "last_day"], feature: .consent)),
        ("audit", closed(
            "An act of a member, of the person who runs the server (host), or of the server by itself. about is the member whom it concerns; left out: the family. count, if it is not 1, says how often.",
            [
                ("at", own("instant")), ("act", ["enum": .array(Audit.Act.allCases.map { .string($0.rawValue) })]),
                ("origin", ["enum": ["member", "host", "server"]]), ("member", own("identifier")), ("about", own("identifier")), ("count", own("count")),
                ("detail", ["type": "string", "description": "A role, a version or a name."]),
            ], optional: ["member", "about", "count", "detail"], feature: .audit)),
        ("session", closed(
            "A session or token of the person, without an address. The dates are days in UTC; ends is the last day, however often it is used. Only a token has a scope, and only a token for calendars has athletes.",
            [
                ("id", own("identifier")), ("kind", ["enum": .array(SessionKind.allCases.map { .string($0.rawValue) })]), ("name", ["type": "string"]),
                ("created", ["type": "string", "format": "date"]), ("used", ["type": "string", "format": "date"]),
                ("ends", ["type": "string", "format": "date"]), ("current", ["type": "boolean"]),
                ("scope", ["enum": .array(TokenScope.allCases.map { .string($0.rawValue) })]),
                ("athletes", ["type": "array", "items": own("identifier"), "minItems": 1]),
            ], optional: ["scope", "athletes"], feature: .sessions)),
        ("passkey", closed(
            "A passkey of the person. The dates are days in UTC; used_on is left out before the first use.",
            [
                ("id", own("identifier")), ("name", ["type": "string"]), ("created_on", ["type": "string", "format": "date"]),
                ("used_on", ["type": "string", "format": "date"]),
            ], optional: ["used_on"], feature: .passwords)),
        ("calendar", closed(
            "A calendar feed of the member, without its address. It has exactly one of mine, athlete, trip and all; kinds, detail and alarms are left out where they are event and trip_item, full and true. fetches is the number of fetches, program the name of the last program.",
            [
                ("id", own("identifier")), ("name", ["type": "string"]), ("mine", ["type": "array", "items": own("identifier")]),
                ("athlete", own("identifier")), ("trip", own("identifier")), ("all", ["const": true]),
                ("kinds", ["type": "array", "items": ["enum": .array(FeedSettings.feedKinds.map { .string($0.name.description) })], "minItems": 1]),
                ("detail", ["enum": .array(FeedDetail.allCases.map { .string($0.rawValue) })]), ("alarms", ["type": "boolean"]),
                ("expires_at", own("instant")), ("created_at", own("instant")), ("fetches", own("count")), ("fetched_at", own("instant")),
                ("program", ["type": "string"]),
            ], optional: ["mine", "athlete", "trip", "all", "kinds", "detail", "alarms", "expires_at", "fetched_at", "program"], feature: .calendars)),
        ("overlap_override", closed(
            "Overlaps of trip items that an author accepts, and why.",
            [
                ("reason", ["type": "string", "minLength": 1]),
                ("pairs", [
                    "type": "array", "minItems": 1, "description": "At most overlap_pairs.",
                    "items": ["type": "array", "minItems": 2, "maxItems": 2, "items": own("identifier")],
                ]),
            ])),
        ("overlap_item", closed(
            "A trip item, as far as it takes to decide.",
            [
                ("id", own("identifier")), ("title", ["type": "string"]), ("start_time", ["type": "string"]), ("start_zone", ["type": "string"]),
                ("end_time", ["type": "string"]), ("end_zone", ["type": "string"]),
            ])),
        ("overlap", closed(
            "Two items of one trip at the same time, and the members who would be at both.",
            [
                ("item", own("overlap_item")), ("with", own("overlap_item")),
                ("members", ["type": "array", "items": own("identifier")]),
            ])),
        ("warning", closed(
            "A change that may not be intended. double_booking: it overlaps another record of the same member.",
            [
                ("code", ["enum": .array(MutationWarning.Code.allCases.map { .string($0.rawValue) })]), ("kind", own("kind")),
                ("id", own("identifier")), ("with", own("link")), ("member", own("identifier")), ("message", ["type": "string"]),
            ])),
        ("presence", closed(
            "A member who is connected, and the season that they view.",
            [("member", own("identifier")), ("connections", own("count")), ("context", own("context"))])),
        ("membership", closed(
            "A family that the person belongs to.",
            [("family", own("identifier")), ("name", ["type": "string"]), ("member", own("identifier")), ("role", own("role"))])),
        ("limits", closed("limits.json explains them.", Limits.entries.map { ($0.name.description, own("count")) })),
    ]
}
