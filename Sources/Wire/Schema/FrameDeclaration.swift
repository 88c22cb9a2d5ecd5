import Queries

/// The members of one frame, for schemas and for the test that holds the codec to them.
package struct FrameDeclaration: Sendable {
    package struct Member: Sendable {
        package let name: String
        package let isRequired: Bool
        package let schema: SchemaTree
        package let meaning: String
        /// `nil`: known to every server and client since 0.1.0, or part of a frame that has a feature.
        package let feature: Feature?

        init(_ name: String, _ schema: SchemaTree, _ meaning: String, required: Bool = true, feature: Feature? = nil) {
            self.name = name
            self.schema = schema
            self.meaning = meaning
            isRequired = required
            self.feature = feature
        }
    }

    /// The word of `"type"`.
    package let type: String
    package let meaning: String
    /// Besides `type`.
    package let members: [Member]
    /// Of these members a frame has exactly one; none of them is required by itself.
    package let oneOf: [String]
    /// What holds between members, as `allOf`.
    package let rules: [SchemaTree]
    /// `nil`: known since 0.1.0.
    package let feature: Feature?

    init(_ type: String, _ meaning: String, _ members: [Member] = [], oneOf: [String] = [], rules: [SchemaTree] = [], feature: Feature? = nil) {
        self.type = type
        self.meaning = meaning
        self.members = members
        self.oneOf = oneOf
        self.rules = rules
        self.feature = feature
    }
}

extension FrameDeclaration {
    /// A schema of `common.json`, seen from a frame's own file.
    private static func common(_ name: String) -> SchemaTree { ["$ref": .string("../common.json#/$defs/\(name)")] }

    /// A sum modulo 2^32.
    private static let checksum: SchemaTree = ["type": "integer", "minimum": 0, "maximum": 4_294_967_295]

    private static func list(_ name: String) -> SchemaTree { ["type": "array", "items": common(name)] }

    package static let client: [FrameDeclaration] = [
        .init("sign_in", "Opens a session. Answer: welcome, or error token_unknown.", [
            .init("token", common("word"), "The session's secret."),
            .init("request", common("count"), "Any number of the client's; every answer echoes it.", required: false, feature: .requests),
        ]),
        .init("redeem", "Turns an invite's one-time code into a session token. Answer: token, or error code_unknown.", [
            .init("code", common("word"), "The code as it was handed over."),
            .init("nonce", common("nonce"), "Kept until the token is stored. If the answer was lost, the same code with it gives another token."),
            .init("request", common("count"), "Any number of the client's; every answer echoes it.", required: false, feature: .requests),
        ]),
        .init("join", "Takes a seat in one family's room. Answer: joined, then changes or a snapshot, then live.", [
            .init("family", common("identifier"), "One of welcome's memberships."),
            .init("client", common("identifier"), "This installation; mutation numbers count per client."),
            .init("context", common("context"), "Whose season is looked at; left out: an athlete's own, all for others.", required: false),
            .init("cursor", common("cursor"), "Where the client stopped; left out: a snapshot, please.", required: false),
            .init("quiet", ["type": "boolean"], "True: nobody is told of this connection; left out: false.", required: false, feature: .quiet),
            .init(
                "differed", common("count"), "The sequence at which the checksum differed, so that everything is loaded again.", required: false,
                feature: .checksum),
            .init("request", common("count"), "Any number of the client's; every answer echoes it.", required: false, feature: .requests),
        ]),
        .init("mutate", "Asks for changes that happen all together or not at all. Answer: ack or reject.", [
            .init("mutation", common("positive"), "The client's own number, larger than every earlier one of this client."),
            .init("operations", [
                "type": "array", "minItems": 1, "items": common("operation"), "description": "At most operations_per_mutation.",
            ], "In the order in which they are applied.", required: false),
            .init("undo", common("positive"), "Instead of operations: the sequence of the change to take back.", required: false, feature: .undo),
            .init("allow_overlap", common("overlap_override"), "Overlaps of trip items that are meant, and why.", required: false, feature: .overlaps),
        ], oneOf: ["operations", "undo"]),
        .init("context", "Looks at another season. Answer: context.", [
            .init("context", common("context"), "\"all\" or the id of an athlete of the family."),
            .init("request", common("count"), "Any number of the client's; every answer echoes it.", required: false, feature: .requests),
        ]),
        .init("list", "Asks for a page of a list. Answer: page.", [
            .init("request", common("count"), "Echoed in the answer."),
            .init("kind", common("kind"), "Of which kind."),
            .init("athlete", common("context"), "Whose; left out: as the context says.", required: false, feature: .lists),
            .init("filter", common("filter"), "What the records must be; left out: nothing.", required: false, feature: .lists),
            .init("search", ["type": "string"], "What their texts contain, without case and accents.", required: false, feature: .lists),
            .init("sort", ["enum": .array(Query.Sort.allCases.map { .string($0.rawValue) })],
                "In which order; left out: the kind's own.", required: false, feature: .lists),
            .init("before", common("word"), "The next of an earlier page of the same list; left out: its beginning.", required: false),
            .init("limit", ["type": "integer", "minimum": 1], "How many at most, not more than page_records."),
            .init("count", ["type": "boolean"], "Whether total is wanted.", required: false, feature: .lists),
            .init("deleted", ["type": "boolean"], "The deleted records that can be restored, instead of the living ones.", required: false, feature: .lists),
        ]),
        .init("statistics", "Asks for figures. Answer: statistics.", [
            .init("request", common("count"), "Echoed in the answer."),
            .init("kind", common("kind"), "event, document or metric; family for how many records there are of each kind."),
            .init("athlete", common("context"), "Whose; left out: as the context says.", required: false),
        ], feature: .statistics),
        .init("history", "Asks who changed what, newest first. Answer: history.", [
            .init("request", common("count"), "Echoed in the answer."),
            .init("record", common("link"), "Of one record; left out: of the whole family.", required: false),
            .init("before", common("positive"), "Older than this sequence; left out: begin at the newest.", required: false),
            .init("limit", ["type": "integer", "minimum": 1], "How many at most, not more than page_records."),
        ], feature: .history),
        .init("digest", "Asks what happened since. Answer: digest.", [
            .init("request", common("count"), "Echoed in the answer."),
            .init("after", common("count"), "After this sequence; left out: after one's own reading position.", required: false),
        ], feature: .digest),
        .init("access_log", "Asks who looked at an athlete's season. Answer: access_log.", [
            .init("request", common("count"), "Echoed in the answer."),
            .init("before", common("word"), "The next of an earlier answer; left out: begin at the newest.", required: false),
            .init("limit", ["type": "integer", "minimum": 1], "How many at most, not more than page_records."),
        ], feature: .accessLog),
        .init("sign_out", "Ends this session everywhere. Answer: signed_out, then close 4501.", [
            .init("request", common("count"), "Any number of the client's; every answer echoes it.", required: false, feature: .requests),
        ]),
    ]

    private static let rejection: [Member] = [
        .init("code", ["$ref": "../common.json#/$defs/code"], "What is wrong, for programs; errors.json lists all."),
        .init("message", ["type": "string"], "What is wrong, for people."),
        .init("operation", common("count"), "Position of the operation in the batch, from 0.", required: false),
        .init("kind", common("kind"), "Of the record that it is about.", required: false),
        .init("id", common("identifier"), "The record that it is about.", required: false),
        .init("field", ["type": "string"], "The field, by its name.", required: false),
        .init("retry", ["type": "boolean"], "Whether the very same thing can succeed later."),
        .init("retry_after", common("wait"), "With every retry that is true, and with no other: milliseconds to wait first.", required: false),
        .init("conflict", common("conflict"), "With code conflict: what has to be decided.", required: false),
        .init("overlaps", list("overlap"), "With code overlap: what would be at the same time.", required: false, feature: .overlaps),
        .init("seq", common("positive"), "With code contradicted: the later change that stands in the way.", required: false, feature: .undo),
    ]

    /// Who may try again is told when, and nobody else.
    private static let retryRules: [SchemaTree] = [
        ["if": ["properties": ["retry": ["const": true]]], "then": ["required": ["retry_after"]]],
        ["if": ["properties": ["retry": ["const": false]]], "then": ["not": ["required": ["retry_after"]]]],
    ]

    package static let server: [FrameDeclaration] = [
        .init("welcome", "Answers sign_in.", [
            .init("protocol", common("positive"), "The version of this protocol, 1."),
            .init("server", ["type": "string"], "The version of the server."),
            .init("time", common("instant"), "The server's clock."),
            .init("memberships", list("membership"), "The families that this person belongs to."),
            .init("limits", ["$ref": "../common.json#/$defs/limits"], "The bounds in force; limits.json explains them."),
            .init("features", [
                "type": "array", "items": ["type": "string"],
                "$comment": .string("Of this server: " + Feature.allCases.map(\.rawValue).joined(separator: ", ") + "."),
            ], "What the server knows besides 0.1.0; left out: nothing. Ignore words that you do not know.", required: false),
            .init("request", common("count"), "The number in the frame that it answers.", required: false, feature: .requests),
        ]),
        .init("token", "Answers redeem.", [
            .init("token", common("word"), "The new session's secret."),
            .init("family", common("identifier"), "The family that the invite was for."),
            .init("member", common("identifier"), "The member that the invite was for."),
            .init("request", common("count"), "The number in the frame that it answers.", required: false, feature: .requests),
        ]),
        .init("joined", "Answers join, before any record.", [
            .init("epoch", common("word"), "Names the family's log. Other families and restored backups have other epochs."),
            .init("seq", common("count"), "The family's last sequence at this moment."),
            .init("family", common("identifier"), "The family."),
            .init("member", common("identifier"), "Who one is in it."),
            .init("role", common("role"), "What one may do in it."),
            .init("context", common("context"), "The context in force."),
            .init("resume", ["enum": ["changes", "snapshot"]],
                "What follows: the changes after the cursor, or a snapshot and the changes after it."),
            .init("presence", list("presence"), "Who is here."),
            .init("request", common("count"), "The number in the frame that it answers.", required: false, feature: .requests),
        ]),
        .init("reset", "Forget the records held, a snapshot follows. Drafts stay.", [
            .init("reason", ["enum": ["epoch_changed", "log_trimmed"]], "Why the cursor could not be used."),
        ]),
        .init("snapshot", "Some of the family's records; any number of these frames, applied together at snapshot_end.", [
            .init("seq", common("count"), "The sequence at which all of them are true."),
            .init("records", list("record"), "Deleted ones included while they can be restored."),
        ]),
        .init("snapshot_end", "The snapshot is whole.", [
            .init("seq", common("count"), "The cursor from now on."),
            .init("checksum", checksum, "Of all records of the family at this sequence.", required: false, feature: .checksum),
            .init("unsent", checksum, "Of those that the snapshot leaves out; always beside checksum.", required: false, feature: .checksum),
        ]),
        .init("change", "What one mutation did. It is on stable storage. Sequences have no gaps.", [
            .init("seq", common("positive"), "Its place in the family's history."),
            .init("at", common("instant"), "When it was committed."),
            .init("member", common("identifier"), "Who did it."),
            .init("client", common("identifier"), "The author's client; left out: the server itself.", required: false),
            .init("mutation", common("positive"), "The author's number for it.", required: false),
            .init("overlap", common("overlap_override"), "Overlaps that the author accepted.", required: false, feature: .overlaps),
            .init("undoes", common("positive"), "The change that this one takes back.", required: false, feature: .undo),
            .init("changes", list("change"), "In the order in which they were applied."),
        ]),
        .init("live", "Everything up to here has been sent; what follows is as it happens.", [
            .init("seq", common("count"), "The last sequence sent."),
            .init("checksum", checksum, "Of all records of the family at this sequence.", required: false, feature: .checksum),
        ]),
        .init("checksum", "The checksum of the family at the sequence that was sent last.", [
            .init("seq", common("count"), "That sequence."),
            .init("checksum", checksum, "Of all records of the family."),
        ], feature: .checksum),
        .init("ack", "The mutation is on stable storage.", [
            .init("mutation", common("positive"), "Which."),
            .init("seq", common("positive"), "The change that it made; left out: it changed nothing.", required: false),
            .init("records", list("version"), "The new version of each record that changed."),
            .init("warnings", list("warning"), "What was done and may not be meant.", required: false, feature: .overlaps),
        ]),
        .init("reject", "The mutation was not done, no part of it.", [.init("mutation", common("positive"), "Which.")] + rejection, rules: retryRules),
        .init("presence", "Somebody came, went, or looks at another season.", [
            .init("member", common("identifier"), "Who."),
            .init("connections", common("count"), "How many there are; 0: gone."),
            .init("context", common("context"), "Whose season the latest one looks at."),
        ]),
        .init("upload", "How far a file is that somebody sends; of the moment, at most one a second for each.", [
            .init("id", common("identifier"), "The upload, and the document once it is there."),
            .init("member", common("identifier"), "Who sends."),
            .init("athlete", common("identifier"), "Whose document it will be."),
            .init("title", ["type": "string"], "What it will be called."),
            .init("octets", common("count"), "What came so far."),
            .init("total", common("count"), "Of how many; left out while the sender has not said.", required: false),
            .init("state", ["enum": ["running", "paused", "finished", "cancelled"]],
                "running; paused: it can go on from where it is; finished: the document is there; cancelled: nothing of it is kept."),
        ], feature: .uploads),
        .init("context", "The context in force from now on.", [
            .init("context", common("context"), "\"all\" or the id of an athlete."),
            .init("request", common("count"), "The number in the frame that it answers.", required: false, feature: .requests),
        ]),
        .init("role", "What this member may do has changed.", [
            .init("role", common("role"), "From now on."),
        ]),
        .init("page", "Answers list.", [
            .init("request", common("count"), "The number in the request."),
            .init("seq", common("count"), "The sequence at which all of it is true.", feature: .lists),
            .init("records", list("record"), "In the order that was asked for."),
            .init("next", common("word"), "Where the next page begins; left out: this was the end.", required: false),
            .init("total", common("count"), "Records of the whole list, when count was asked for.", required: false, feature: .lists),
        ]),
        .init("statistics", "Answers statistics.", [
            .init("request", common("count"), "The number in the request."),
            .init("seq", common("count"), "The sequence at which all of it is true."),
            .init("kind", common("kind"), "What the figures are of."),
            .init("statistics", common("statistics"), "The figures."),
        ], feature: .statistics),
        .init("history", "Answers history.", [
            .init("request", common("count"), "The number in the request."),
            .init("entries", list("history"), "Newest first."),
            .init("next", common("positive"), "What to ask for with before; left out: this was the oldest.", required: false),
        ], feature: .history),
        .init("digest", "Answers digest.", [
            .init("request", common("count"), "The number in the request."),
            .init("digest", common("digest"), "What happened."),
        ], feature: .digest),
        .init("access_log", "Answers access_log.", [
            .init("request", common("count"), "The number in the request."),
            .init("entries", list("access"), "Newest first."),
            .init("next", common("word"), "Where the next page begins; left out: this was the oldest.", required: false),
        ], feature: .accessLog),
        .init("signed_out", "Answers sign_out; close 4501 follows.", [
            .init("request", common("count"), "The number in the frame that it answers; only on the connection that asked.", required: false, feature: .requests),
        ]),
        .init("drain", "The server goes away; close 4000 follows.", [
            .init("retry_after", common("wait"), "Milliseconds to wait before the client connects again. Each client has another time."),
        ], feature: .drain),
        .init("error", "A frame that is no mutation was not done.", rejection + [
            .init("request", common("count"), "The number in the frame that it answers.", required: false),
        ], rules: retryRules),
    ]
}
