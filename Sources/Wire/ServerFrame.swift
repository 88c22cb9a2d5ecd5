package import Bytes
package import Family

/// What the server may say, one JSON object a text message; `proto/protocol.md` shows each.
package enum ServerFrame: Hashable, Sendable {
    /// Answers `sign_in`: `{"type":"welcome","protocol":1,"server":"0.1.0","time":…,"memberships":[…],"limits":{…},
    /// "features":["quiet",…]}`
    case welcome(Welcome)
    /// Answers `redeem`: `{"type":"token","token":"…","family":"…","member":"…"}`
    case token(token: String, family: Identifier, member: Identifier)
    /// Answers `join`, before any record: `{"type":"joined","epoch":"…","seq":120,"family":"…","member":"…","role":"parent",
    /// "context":"all","resume":"changes"|"snapshot","presence":[…]}`. `seq` is the head at that moment.
    case joined(Joined)
    /// `{"type":"reset","reason":"epoch_changed"|"log_trimmed"}`: forget the records held, a snapshot follows; drafts stay.
    case reset(ResetReason)
    /// `{"type":"snapshot","seq":120,"records":[…]}`, any number of them, applied together at `snapshot_end`. `unknown`: of the records of kinds
    /// that this program does not know, which are not in `records`; not written.
    case snapshot(sequence: Int64, records: [Record], unknown: StateChecksum = StateChecksum())
    /// `{"type":"snapshot_end","seq":120,"checksum":2779041,"unsent":0}`; a server without the feature `checksum` leaves both out.
    case snapshotEnd(sequence: Int64, verification: SnapshotVerification? = nil)
    /// `{"type":"change","seq":121,"at":…,"member":"…","client":"…","mutation":7,"changes":[…]}`
    case change(Change)
    /// `{"type":"live","seq":121,"checksum":2779041}`: everything up to here has been sent; what follows is as it happens. A server without the
    /// feature `checksum` leaves that key out.
    case live(sequence: Int64, checksum: StateChecksum? = nil)
    /// `{"type":"checksum","seq":121,"checksum":2779041}`: of the family's records after change `seq`, which was sent before.
    case checksum(sequence: Int64, StateChecksum)
    /// `{"type":"ack","mutation":7,"seq":121,"records":[{"id":"…","version":4}]}`; without `seq` when nothing changed;
    /// `"warnings":[…]` when there are any.
    case ack(Ack)
    /// `{"type":"reject","mutation":7,"code":"conflict","message":"…",…}`
    case reject(mutation: Int64, Rejection)
    /// `{"type":"presence","member":"…","connections":2,"context":"all"}`; 0 connections: gone.
    case presence(Presence)
    /// `{"type":"upload","id":"…","member":"…","athlete":"…","title":"…","octets":47185920,"total":104857600,"state":"running"}`: how far
    /// a file is that somebody sends.
    case upload(UploadProgress)
    /// `{"type":"context","context":"all"}`: the context in force from now on.
    case context(Context)
    /// `{"type":"role","role":"guest"}`: what this member may do changed.
    case role(Role)
    /// `{"type":"page","request":1,"seq":121,"records":[…],"next":"<mark>","total":7}`; no `next`: that was the end of the list.
    case page(Page)
    /// `{"type":"statistics","request":2,"seq":121,"kind":"event","statistics":{…}}`
    case statistics(StatisticsAnswer)
    /// `{"type":"history","request":3,"entries":[…],"next":81}`
    case history(HistoryPage)
    /// `{"type":"digest","request":4,"digest":{…}}`
    case digest(DigestAnswer)
    /// `{"type":"access_log","request":5,"entries":[…],"next":"<mark>"}`
    case accessLog(AccessPage)
    /// `{"type":"signed_out"}`, then close 4501.
    case signedOut
    /// `{"type":"drain","retry_after":1840}`, then close 4000: the server goes away; come back after that many milliseconds.
    case drain(retryAfter: Int64)
    /// A `welcome`, `token`, `joined`, `context` or `signed_out` with the `"request":7` of the frame that it answers.
    indirect case tagged(ServerFrame, request: Int64)
    /// `{"type":"error","code":"not_joined","message":"…","retry":false,"request":1}`
    case error(Rejection, request: Int64?)
    /// A frame of a type that a newer server added; to be left aside; its members are forgotten.
    case unknown(type: String)
}

package struct Welcome: Hashable, Sendable {
    /// The protocol's version, 1.
    package var `protocol`: Int
    /// The server's version.
    package var server: String
    /// UTC milliseconds at the server.
    package var time: Int64
    package var memberships: [Membership]
    package var limits: Limits
    /// What the server knows besides 0.1.0. A server refuses every frame and key that it does not know, so a client sends those of a
    /// feature only to a server that lists it. Features that this program does not know are left out.
    package var features: [Feature]

    package init(
        protocol: Int = 1, server: String, time: Int64, memberships: [Membership], limits: Limits, features: [Feature] = Feature.allCases
    ) {
        self.protocol = `protocol`
        self.server = server
        self.time = time
        self.memberships = memberships
        self.limits = limits
        self.features = features
    }
}

/// One family that the signed-in person belongs to.
package struct Membership: Hashable, Sendable {
    package var family: Identifier
    package var name: String
    package var member: Identifier
    package var role: Role

    package init(family: Identifier, name: String, member: Identifier, role: Role) {
        self.family = family
        self.name = name
        self.member = member
        self.role = role
    }
}

package struct Joined: Hashable, Sendable {
    package var epoch: String
    package var sequence: Int64
    package var family: Identifier
    package var member: Identifier
    package var role: Role
    package var context: Context
    /// `true`: the changes after the cursor follow; `false`: a snapshot follows, then the changes after it.
    package var resumesByChanges: Bool
    package var presence: [Presence]

    package init(
        epoch: String, sequence: Int64, family: Identifier, member: Identifier, role: Role, context: Context,
        resumesByChanges: Bool, presence: [Presence]
    ) {
        self.epoch = epoch
        self.sequence = sequence
        self.family = family
        self.member = member
        self.role = role
        self.context = context
        self.resumesByChanges = resumesByChanges
        self.presence = presence
    }
}

/// Who is here and looks at whose season; of several connections the one that spoke last counts.
package struct Presence: Hashable, Sendable {
    package var member: Identifier
    package var connections: Int
    package var context: Context

    package init(member: Identifier, connections: Int, context: Context) {
        self.member = member
        self.connections = connections
        self.context = context
    }
}

package enum ResetReason: String, CaseIterable, Sendable {
    /// The cursor is not from this family's log: from another family or database, or from before a backup was restored.
    case epochChanged = "epoch_changed"
    /// The log no longer reaches back to the cursor.
    case logTrimmed = "log_trimmed"
}

package struct Ack: Hashable, Sendable {
    /// The version of a record after the change.
    package struct Version: Hashable, Sendable {
        package var id: Identifier
        package var version: Int64

        package init(id: Identifier, version: Int64) {
            self.id = id
            self.version = version
        }
    }

    package var mutation: Int64
    /// `nil`: the mutation changed nothing.
    package var sequence: Int64?
    /// One for each record that changed, cascades included.
    package var records: [Version]
    /// What was done and may not be meant.
    package var warnings: [MutationWarning]

    package init(mutation: Int64, sequence: Int64?, records: [Version], warnings: [MutationWarning] = []) {
        self.mutation = mutation
        self.sequence = sequence
        self.records = records
        self.warnings = warnings
    }
}

/// By what a client checks a snapshot, and every change after it.
package struct SnapshotVerification: Hashable, Sendable {
    /// Of all records of the family.
    package var checksum: StateChecksum
    /// Of those that the snapshot leaves out: old messages.
    package var unsent: StateChecksum

    package init(checksum: StateChecksum, unsent: StateChecksum) {
        self.checksum = checksum
        self.unsent = unsent
    }
}
