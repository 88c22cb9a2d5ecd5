/// Every bound that a client can meet, sent in `welcome` and listed in `proto/limits.json`.
package struct Limits: Hashable, Sendable {
    /// Octets of one message from a client: four times the largest sensible record, and small enough to hold per connection.
    package var messageOctets = 262_144
    /// Octets of one message before the sign-in, when anybody may send it: a token or a code, and room for a longer one.
    package var signInOctets = 4_096
    /// Nesting of JSON in a frame.
    package var jsonDepth = 16
    /// Keys of one JSON object in a frame: ten times those of the widest kind.
    package var objectKeys = 256
    /// Operations in one mutation: a season of a club's camps fits, a commit stays under 5 ms.
    package var operationsPerMutation = 100
    /// Pairs of trip items whose overlap one mutation accepts: as many as items are written, at the most.
    package var overlapPairs = 100
    /// Octets of the `change` frame that a mutation leads to: half of what may wait for one reader, so that it can always be sent.
    package var changeOctets = 524_288
    /// Mutations that one session may have unanswered.
    package var pendingMutations = 128
    /// Octets of mutations that may wait for the writer, of all sessions together, and a quarter of it for one family;
    /// above it clients must send again later.
    package var pendingOctets = 67_108_864
    /// Mutations, lists, contexts and requests over HTTP a second that one member may send in the long run, over all their connections; 0 sets no limit, on time neither.
    package var mutationsPerSecond = 200
    /// The number of these that may come together after a pause (a client that was offline).
    package var mutationBurst = 1_000
    /// Milliseconds of the server's processor time per second for the mutations and requests of one member, and of one
    /// family. Five seconds' worth may be used together after a pause. A tenth of a core is a thousand usual mutations
    /// per second.
    package var memberTime = 100
    package var familyTime = 200
    /// Mutations per second of one family in the long run, and together after a pause: a whole family whose phones were
    /// offline at a tournament. Without a limit on the requests of a member (`mutationsPerSecond` 0) there is none on
    /// the family's.
    package var familyMutationsPerSecond = 200
    package var familyMutationBurst = 2_000
    /// Lists, figures, histories and digests per second of one family; ten seconds' worth may come together after a pause.
    package var familyListsPerSecond = 50
    /// Refused frames of one session, of which 200 per second are forgiven: a client above it ignores the refusals.
    package var refusals = 2_000
    /// Octets that may wait for one slow reader before it is disconnected to resume later (close 4001).
    package var outboxOctets = 1_048_576
    /// Milliseconds that the oldest waiting octet may be old before the same happens.
    package var outboxAge = 30_000
    /// Milliseconds from the connection to a finished sign-in.
    package var signInTime = 10_000
    /// Milliseconds without a frame after which the server sends a ping, and then waits for the pong.
    package var pingInterval = 25_000
    package var pongTime = 10_000
    /// Milliseconds from the first octet of a message to its last, and a second more for each KiB that arrived: every real link is faster.
    package var messageTime = 10_000
    /// Records of one family, tombstones included.
    package var recordsPerFamily = 100_000
    /// Records besides the one named that one deletion, shift or copy may touch, and items of one trip: a commit stays at some milliseconds.
    package var relatedRecords = 320
    /// Octets of these records together, and of the versions that an undo or a stale edit is compared with. An undo at both limits, the most expensive
    /// mutation, stays below 20 ms of the writer (`bench --case worst-undo`).
    package var relatedOctets = 786_432
    /// Messages that a snapshot carries, the newest; older ones are paged (`list`).
    package var snapshotMessages = 500
    /// Records that one `list` answers at most.
    package var pageRecords = 200
    /// Octets of one document: 100 MiB (R135).
    package var documentOctets = 104_857_600
    /// Octets of all documents of one family, each file once: fifty of the largest.
    package var familyStorage = 5_368_709_120
    /// Octets of all changes of one family, with what undo and history need: more than a large family writes in fifty years, and a bound for one
    /// that writes without end.
    package var familyHistory = 1_073_741_824
    /// Milliseconds after which the values that a change replaced are no longer kept: 365 days.
    package var historyAge = 31_536_000_000
    /// Clients of one member whose mutations of the last 30 days are remembered.
    package var clientsPerMember = 256
    /// Invites of one family whose codes can be redeemed, and invites that one family makes within 24 hours, resent ones included.
    package var invitesPending = 20
    package var invitesPerDay = 50
    /// Uploads of one member, and of one family, that have begun and not ended.
    package var uploadsPerMember = 20
    package var uploadsPerFamily = 100
    /// Milliseconds after which an upload is forgotten when nothing more comes, and after its end.
    package var uploadLife = 86_400_000
    /// Connections of one server.
    package var connections = 19_000
    /// Connections from one IPv4 address or IPv6 /64: a school or a tournament's hotel behind one address.
    package var connectionsPerAddress = 512
    /// Connections that one member may have open.
    package var connectionsPerMember = 32
    /// Connections that are in the room of one family: eight members with as many each as one member may have.
    package var connectionsPerFamily = 256

    package init() {}
}

extension Limits {
    /// One limit, for `welcome`, `proto/limits.json` and the checks of clients.
    package struct Entry: Sendable {
        /// The word on the wire.
        package let name: StaticString
        package let value: any WritableKeyPath<Limits, Int> & Sendable
        /// The unit of the limit.
        package let unit: String
        package let meaning: String
        /// The consequence of exceeding it.
        package let past: String
        /// Added after the first release (0.1.0): an older server does not send it, and a client then uses its built-in value.
        package let isLater: Bool

        init(
            name: StaticString, value: any WritableKeyPath<Limits, Int> & Sendable, unit: String, meaning: String, past: String,
            isLater: Bool = false
        ) {
            self.name = name
            self.value = value
            self.unit = unit
            self.meaning = meaning
            self.past = past
            self.isLater = isLater
        }
    }

    /// Every limit once, in the order in which they travel.
    package static let entries: [Entry] = [
        .init(name: "message_octets", value: \.messageOctets, unit: "octets",
            meaning: "One message from a client.", past: "close 1009"),
        .init(name: "sign_in_octets", value: \.signInOctets, unit: "octets",
            meaning: "One message from a client that is not signed in.", past: "close 1009"),
        .init(name: "json_depth", value: \.jsonDepth, unit: "levels",
            meaning: "The depth of nested objects and arrays in one frame.", past: "error bad_frame, close 4502"),
        .init(name: "object_keys", value: \.objectKeys, unit: "keys",
            meaning: "Keys of one object in one frame.", past: "error bad_frame, close 4502", isLater: true),
        .init(name: "operations_per_mutation", value: \.operationsPerMutation, unit: "operations",
            meaning: "Operations in one mutation.", past: "reject too_many"),
        .init(name: "overlap_pairs", value: \.overlapPairs, unit: "pairs",
            meaning: "Pairs of trip items that one allow_overlap names.", past: "reject too_many", isLater: true),
        .init(name: "related_records", value: \.relatedRecords, unit: "records",
            meaning: "Records besides the one named that one deletion, shift or copy may touch; items of one trip.", past: "reject too_many",
            isLater: true),
        .init(name: "related_octets", value: \.relatedOctets, unit: "octets",
            meaning: "Fields of the records that one deletion, shift or copy touches besides the one named, together; of the items of one trip.",
            past: "reject too_many", isLater: true),
        .init(name: "change_octets", value: \.changeOctets, unit: "octets",
            meaning: "The change frame that a mutation leads to.", past: "reject too_many"),
        .init(name: "pending_mutations", value: \.pendingMutations, unit: "mutations",
            meaning: "Mutations that one session may have unanswered.", past: "reject too_many_pending"),
        .init(name: "pending_octets", value: \.pendingOctets, unit: "octets",
            meaning: "Mutations of all sessions of one server that wait for the disk. Those of one family may have a quarter of it.",
            past: "reject busy with retry_after"),
        .init(name: "mutations_per_second", value: \.mutationsPerSecond, unit: "mutations per second",
            meaning: "Mutations, lists, contexts and requests over HTTP that one member may send in the long run, over all their connections.",
            past: "reject rate_limited with retry_after; HTTP 429 with Retry-After"),
        .init(name: "mutation_burst", value: \.mutationBurst, unit: "mutations",
            meaning: "The number that may come together after a pause.", past: "reject rate_limited with retry_after; HTTP 429 with Retry-After"),
        .init(name: "member_time", value: \.memberTime, unit: "milliseconds per second",
            meaning: "Processor time for the mutations and requests of one member; five seconds' worth may be used together after a pause.",
            past: "reject or error busy with retry_after; HTTP 429 with Retry-After", isLater: true),
        .init(name: "family_time", value: \.familyTime, unit: "milliseconds per second",
            meaning: "The same for one family.", past: "reject or error busy with retry_after", isLater: true),
        .init(name: "family_mutations_per_second", value: \.familyMutationsPerSecond, unit: "mutations per second",
            meaning: "Mutations of one family in the long run, over all its connections. The host can set another value for a family.",
            past: "reject rate_limited with retry_after", isLater: true),
        .init(name: "family_mutation_burst", value: \.familyMutationBurst, unit: "mutations",
            meaning: "The number that may come together after a pause. The host can set another value for a family.",
            past: "reject rate_limited with retry_after", isLater: true),
        .init(name: "family_lists_per_second", value: \.familyListsPerSecond, unit: "requests per second",
            meaning: "Lists, statistics, histories and digests of one family; ten seconds' worth may come together after a pause. The host can set another value for a family.",
            past: "error rate_limited with retry_after", isLater: true),
        .init(name: "refusals", value: \.refusals, unit: "frames",
            meaning: "Refused frames of one session; 200 per second are forgiven.", past: "close 1008"),
        .init(name: "outbox_octets", value: \.outboxOctets, unit: "octets",
            meaning: "The octets that may wait for one slow reader.", past: "close 4001"),
        .init(name: "outbox_age", value: \.outboxAge, unit: "milliseconds",
            meaning: "How long the oldest waiting octet may wait.", past: "close 4001"),
        .init(name: "sign_in_time", value: \.signInTime, unit: "milliseconds",
            meaning: "From the connection to a finished sign-in.", past: "close 4003"),
        .init(name: "ping_interval", value: \.pingInterval, unit: "milliseconds",
            meaning: "Silence after which the server sends a ping.", past: "a ping"),
        .init(name: "pong_time", value: \.pongTime, unit: "milliseconds",
            meaning: "From the ping to the pong.", past: "close 4002"),
        .init(name: "message_time", value: \.messageTime, unit: "milliseconds",
            meaning: "From the first octet of a message to its last, and a second more for each KiB of it.", past: "close 4005", isLater: true),
        .init(name: "records_per_family", value: \.recordsPerFamily, unit: "records",
            meaning: "Records of one family, deleted ones included until they are purged.", past: "reject family_full"),
        .init(name: "snapshot_messages", value: \.snapshotMessages, unit: "records",
            meaning: "Messages that a snapshot carries, the newest.", past: "older ones come by list"),
        .init(name: "page_records", value: \.pageRecords, unit: "records",
            meaning: "Records that one list asks for.", past: "error bad_frame, close 4502"),
        .init(name: "document_octets", value: \.documentOctets, unit: "octets",
            meaning: "The file of one document.", past: "HTTP 413", isLater: true),
        .init(name: "family_storage", value: \.familyStorage, unit: "octets",
            meaning: "The files of all documents of one family, each once, deleted ones included until they are purged. The host can set another value for a family.",
            past: "HTTP 507 quota_exceeded", isLater: true),
        .init(name: "family_history", value: \.familyHistory, unit: "octets",
            meaning: "The changes of one family and the values that they replaced. Removing a member is possible beyond it. The host can set another value for a family.", past: "reject quota_exceeded",
            isLater: true),
        .init(name: "history_age", value: \.historyAge, unit: "milliseconds",
            meaning: "How long the values that a change replaced are kept.", past: "undo: reject purged; a cursor: reset log_trimmed", isLater: true),
        .init(name: "clients_per_member", value: \.clientsPerMember, unit: "clients",
            meaning: "Client ids of one member whose mutations of the last 30 days are remembered.", past: "reject quota_exceeded", isLater: true),
        .init(name: "invites_pending", value: \.invitesPending, unit: "invites",
            meaning: "Invites of one family whose codes can be redeemed.", past: "error too_many", isLater: true),
        .init(name: "invites_per_day", value: \.invitesPerDay, unit: "invites",
            meaning: "Invites that one family makes within 24 hours, resent ones included.", past: "error rate_limited with retry_after", isLater: true),
        .init(name: "uploads_per_member", value: \.uploadsPerMember, unit: "uploads",
            meaning: "Uploads of one member that have begun and not ended.", past: "HTTP 429 too_many_uploads", isLater: true),
        .init(name: "uploads_per_family", value: \.uploadsPerFamily, unit: "uploads",
            meaning: "Uploads of one family that have begun and not ended. The host can set another value for a family.", past: "HTTP 429 too_many_uploads", isLater: true),
        .init(name: "upload_life", value: \.uploadLife, unit: "milliseconds",
            meaning: "How long an upload waits for its next octet, and is remembered after its end.", past: "HTTP 404", isLater: true),
        .init(name: "connections", value: \.connections, unit: "connections",
            meaning: "Connections of one server.", past: "HTTP 503"),
        .init(name: "connections_per_address", value: \.connectionsPerAddress, unit: "connections",
            meaning: "Connections from one IPv4 address or one IPv6 network of 64 bits. Those from the server's own machine do not count.", past: "HTTP 429", isLater: true),
        .init(name: "connections_per_member", value: \.connectionsPerMember, unit: "connections",
            meaning: "Connections that one member may have open.", past: "close 4004"),
        .init(name: "connections_per_family", value: \.connectionsPerFamily, unit: "connections",
            meaning: "Connections that are in one family's room. The host can set another value for a family.",
            past: "join: error busy with retry_after; close 4004 when the host lowers it", isLater: true),
    ]
}
