package import Bytes
import Crypto
package import Family

/// What a client may say, one JSON object a text message; `proto/protocol.md` shows each.
package enum ClientFrame: Hashable, Sendable {
    /// `{"type":"sign_in","token":"…"}`
    case signIn(token: String)
    /// `{"type":"redeem","code":"…","nonce":"…"}`: turns an invite's one-time code into a session token. If the answer was lost, the same
    /// code with the same nonce gives another token, until the first sign-in and for at most 10 minutes.
    case redeem(code: String, nonce: String)
    /// `{"type":"join","family":"…","client":"…","context":"all"|"<athlete>","cursor":{"epoch":"…","seq":12},"quiet":true,"differed":12}`
    case join(Join)
    /// `{"type":"mutate","mutation":7,"operations":[…]}`, or `"undo":12` instead of operations; the client id is the one given at join.
    /// `"allow_overlap":{"reason":"…","pairs":[["<id>","<id>"],…]}` accepts overlaps.
    case mutation(id: Int64, body: Mutation.Body, overlap: OverlapOverride?)
    /// A mutation whose number could be read and whose content is refused: unknown kind, unknown field, wrong type.
    /// The answer is recorded like that of any mutation.
    case refusedMutation(id: Int64, Rejection)
    /// `{"type":"context","context":"all"|"<athlete>"}`
    case context(Context)
    /// `{"type":"list","request":1,"kind":"event","filter":{"date":"upcoming"},"sort":"date_asc","limit":50}`: a page of records.
    case list(ListRequest)
    /// `{"type":"statistics","request":2,"kind":"event","athlete":"all"}`
    case statistics(StatisticsRequest)
    /// `{"type":"history","request":3,"record":{"kind":"event","id":"…"},"before":120,"limit":50}`
    case history(HistoryRequest)
    /// `{"type":"digest","request":4,"after":120}`: what happened since.
    case digest(DigestRequest)
    /// `{"type":"access_log","request":5,"limit":50}`
    case accessLog(AccessLogRequest)
    /// A request whose number could be read and whose content is refused: a filter or an order that is not known.
    case refusedRequest(request: Int64, Rejection)
    /// `{"type":"sign_out"}`: ends this session everywhere.
    case signOut
    /// A `sign_in`, `redeem`, `join`, `context` or `sign_out` with `"request":7`, which every answer to it echoes. The frames above have a
    /// number of their own.
    indirect case tagged(ClientFrame, request: Int64)
}

extension ClientFrame {
    /// The number that its answers echo; `nil` for mutations, and where the client gave none.
    package var request: Int64? {
        switch self {
        case .tagged(_, let request), .refusedRequest(let request, _): request
        case .list(let list): list.request
        case .statistics(let statistics): statistics.request
        case .history(let history): history.request
        case .digest(let digest): digest.request
        case .accessLog(let log): log.request
        case .signIn, .redeem, .join, .mutation, .refusedMutation, .context, .signOut: nil
        }
    }

    /// A mutation of operations that accepts no overlap.
    package static func mutate(id: Int64, operations: [Operation]) -> ClientFrame {
        .mutation(id: id, body: .operations(operations), overlap: nil)
    }
}

/// Asks for a seat in one family's room.
package struct Join: Hashable, Sendable {
    package var family: Identifier
    /// The installation; mutation ids count per client.
    package var client: Identifier
    /// `nil`: an athlete's own, `all` for others.
    package var context: Context?
    /// Where the client stopped; `nil` asks for a snapshot.
    package var cursor: Cursor?
    /// A program that looks or writes once and goes: nobody is told that it came.
    package var isQuiet: Bool
    /// The sequence at which the client's records had another checksum than the server's, so that it loads them again. A report for the operator.
    package var differed: Int64?

    package init(
        family: Identifier, client: Identifier, context: Context? = nil, cursor: Cursor? = nil, isQuiet: Bool = false, differed: Int64? = nil
    ) {
        self.family = family
        self.client = client
        self.context = context
        self.cursor = cursor
        self.isQuiet = isQuiet
        self.differed = differed
    }
}

/// A position in one family's log of one database.
package struct Cursor: Hashable, Sendable {
    /// Names the family's log: other for each family and each database, and other again after a backup was restored.
    package var epoch: String
    /// The last sequence that was applied; 0 before the first.
    package var sequence: Int64

    package init(epoch: String, sequence: Int64) {
        self.epoch = epoch
        self.sequence = sequence
    }
}

extension Cursor {
    /// The epoch of one family's log, so that no other family of the same database takes the cursor for its own.
    ///
    /// - Parameter database: the epoch of the database. Servers of 0.1.0 sent it as it is.
    /// - Returns: 32 hexadecimal digits.
    package static func epoch(of family: Identifier, database: String) -> String {
        var digest = SHA256()
        digest.update(Array("\(database) \(family)".utf8))
        return Hex.encode(Array(digest.finish().prefix(16)))
    }
}
