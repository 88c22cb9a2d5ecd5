package import Family
import Bytes
import JSON
import Queries

extension ClientFrame {
    /// Reads one text message of a client, strictly: an unknown member, a member twice, a value of another type, a missing
    /// member are all refused. Members may come in any order.
    ///
    /// - Parameter octets: one whole message; not kept.
    /// - Returns: a frame; `.refusedMutation` for a mutation whose number can be read and whose content is refused, so that the
    ///   author gets an answer to exactly that mutation; `.refusedRequest` for a question about a kind, a filter or an order that this
    ///   server does not know.
    /// - Throws: `bad_frame` for anything that is not a frame of this protocol.
    package static func decode(_ octets: UnsafeRawBufferPointer, limits: Limits) throws(Rejection) -> ClientFrame {
        guard octets.count <= limits.messageOctets else {
            throw Rejection(.badFrame, "A message has at most \(limits.messageOctets) octets")
        }
        var reader = ClientFrameReader(limits: limits)
        return try reader.decode(octets)
    }

    package static func decode(_ octets: [UInt8], limits: Limits) throws(Rejection) -> ClientFrame {
        try octets.withUnsafeBufferPointer { buffer throws(Rejection) in
            try decode(UnsafeRawBufferPointer(buffer), limits: limits)
        }
    }
}

extension ClientFrame {
    /// The `request` of a frame that `decode` refused, for the error that answers it; `nil` when it has none that can be read.
    package static func request(ofRefused octets: UnsafeRawBufferPointer, limits: Limits) -> Int64? {
        var request: Int64?
        do throws(JSONError) {
            try JSONReader.read(octets, maxDepth: limits.jsonDepth) { reader throws(JSONError) in
                try reader.readObject { reader, key throws(JSONError) in
                    guard key == "request", try reader.peekKind() == .integer else { return try reader.skipValue() }
                    var ahead = reader
                    request = try? ahead.readCount()
                    try reader.skipValue()
                }
            }
        } catch {
            return nil
        }
        return request
    }
}

/// The words of a client's `"type"`.
enum ClientFrameType: String, CaseIterable {
    case mutate
    case signIn = "sign_in"
    case redeem
    case join
    case context
    case list
    case statistics
    case history
    case digest
    case accessLog = "access_log"
    case signOut = "sign_out"

    fileprivate var members: Members {
        switch self {
        case .mutate: [.mutation, .operations, .undo, .overlap]
        case .signIn: [.token, .request]
        case .redeem: [.code, .nonce, .request]
        case .join: [.family, .client, .context, .cursor, .quiet, .differed, .request]
        case .context: [.context, .request]
        case .list: [.request, .kind, .athlete, .filter, .search, .sort, .before, .limit, .count, .deleted]
        case .statistics: [.request, .kind, .athlete]
        case .history: [.request, .record, .before, .limit]
        case .digest: [.request, .after]
        case .accessLog: [.request, .before, .limit]
        case .signOut: [.request]
        }
    }
}

/// Which members a frame has, besides its type.
private struct Members: OptionSet {
    let rawValue: UInt32

    static let mutation = Members(rawValue: 1)
    static let operations = Members(rawValue: 2)
    static let token = Members(rawValue: 4)
    static let code = Members(rawValue: 8)
    static let client = Members(rawValue: 16)
    static let family = Members(rawValue: 32)
    static let context = Members(rawValue: 64)
    static let cursor = Members(rawValue: 128)
    static let request = Members(rawValue: 256)
    static let kind = Members(rawValue: 512)
    static let before = Members(rawValue: 1_024)
    static let limit = Members(rawValue: 2_048)
    static let athlete = Members(rawValue: 4_096)
    static let filter = Members(rawValue: 8_192)
    static let search = Members(rawValue: 16_384)
    static let sort = Members(rawValue: 32_768)
    static let count = Members(rawValue: 65_536)
    static let deleted = Members(rawValue: 131_072)
    static let record = Members(rawValue: 262_144)
    static let after = Members(rawValue: 524_288)
    static let undo = Members(rawValue: 1_048_576)
    static let overlap = Members(rawValue: 2_097_152)
    static let quiet = Members(rawValue: 4_194_304)
    static let nonce = Members(rawValue: 8_388_608)
    static let differed = Members(rawValue: 16_777_216)

    var firstName: String? {
        let names = [
            "mutation", "operations", "token", "code", "client", "family", "context", "cursor", "request", "kind", "before", "limit",
            "athlete", "filter", "search", "sort", "count", "deleted", "record", "after",
            "undo", "allow_overlap", "quiet", "nonce", "differed",
        ]
        return isEmpty ? nil : names[rawValue.trailingZeroBitCount]
    }
}

/// Reads all members that any frame has, then looks whether they make the frame that the type names.
private struct ClientFrameReader {
    let limits: Limits
    var type: ClientFrameType?
    var seen: Members = []
    /// What is being read, for the refusal.
    var member: StaticString = "type"
    /// Set when a method threw because of the content; a grammar error leaves it `nil`.
    var refusal: Rejection?

    var mutation: Int64?
    var operations: [Operation]?
    var operationsPutOff: UnsafeRawBufferPointer?
    var undo: Int64?
    var overlap: OverlapOverride?
    var token: String?
    var code: String?
    var nonce: String?
    var client: Identifier?
    var family: Identifier?
    var context: Context?
    var cursor: Cursor?
    var request: Int64?
    var kind: Kind?
    var before: String?
    var limit: Int?
    var athlete: Context?
    var filter = Query.Filter()
    var search = ""
    var sort: Query.Sort?
    var counts = false
    var deleted = false
    var quiet = false
    var differed: Int64?
    var record: HistoryRequest.Target?
    /// `before` of a history is a sequence, not a mark.
    var beforeSequence: Int64?
    var after: Int64?
    /// The questions for which `refusal` is about a word that a later server may know, not about the form of the frame.
    var refusedQuestions: [ClientFrameType] = []

    init(limits: Limits) {
        self.limits = limits
    }

    mutating func decode(_ octets: UnsafeRawBufferPointer) throws(Rejection) -> ClientFrame {
        do throws(JSONError) {
            try JSONReader.read(octets, maxDepth: limits.jsonDepth, maxKeys: limits.objectKeys) { reader throws(JSONError) in try readMembers(&reader) }
            if let operationsPutOff {
                try JSONReader.read(operationsPutOff, maxDepth: limits.jsonDepth, maxKeys: limits.objectKeys) { reader throws(JSONError) in try readOperations(&reader) }
            }
            return try frame()
        } catch {
            switch error {
            case .syntax, .duplicateKey, .tooDeep, .tooManyKeys:
                guard refusal != nil else { throw Rejection(.badFrame, "No frame of this protocol: \(error)") }
            default:
                refusal = refusal ?? Rejection(.invalid, "\(member) is not what it must be: \(error)", field: member.description)
            }
        }
        return try refused(octets)
    }

    private mutating func readMembers(_ reader: inout JSONReader) throws(JSONError) {
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "type":
                let word = try reader.readString()
                guard let known = ClientFrameType(rawValue: word) else {
                    throw refuse(.badFrame, "No frame is called \(Words.quoted(word)). \(Words.older)", field: "type")
                }
                type = known
            case "mutation":
                begin("mutation", .mutation)
                mutation = try reader.readCount(from: 1)
            case "operations":
                begin("operations", .operations)
                guard type == .mutate, mutation != nil else {
                    // Reads as a list of operations only when the frame turns out to be a mutation.
                    operationsPutOff = try reader.readRaw(maxOctets: .max, maxDepth: max(0, limits.jsonDepth - 1))
                    return
                }
                try readOperations(&reader)
            case "undo":
                begin("undo", .undo)
                undo = try reader.readCount(from: 1)
            case "allow_overlap":
                begin("allow_overlap", .overlap)
                overlap = try readOverlap(&reader)
            case "token":
                begin("token", .token)
                token = try reader.readWord()
            case "code":
                begin("code", .code)
                code = try reader.readWord()
            case "nonce":
                begin("nonce", .nonce)
                nonce = try reader.readNonce()
            case "client":
                begin("client", .client)
                client = try reader.readIdentifier()
            case "family":
                begin("family", .family)
                family = try reader.readIdentifier()
            case "context":
                begin("context", .context)
                context = try reader.readContext()
            case "cursor":
                begin("cursor", .cursor)
                cursor = try readCursor(&reader)
            case "request":
                begin("request", .request)
                request = try reader.readCount()
            case "kind":
                begin("kind", .kind)
                kind = try readKind(&reader, of: [.list, .statistics])
            case "before":
                begin("before", .before)
                if try reader.peekKind() == .integer {
                    beforeSequence = try reader.readCount(from: 1)
                } else {
                    before = try reader.readWord()
                }
            case "limit":
                begin("limit", .limit)
                let number = try reader.readInteger()
                guard number >= 1, number <= limits.pageRecords else {
                    throw refuse(.badFrame, "limit must be from 1 to \(limits.pageRecords)", field: "limit")
                }
                limit = Int(number)
            case "athlete":
                begin("athlete", .athlete)
                athlete = try reader.readContext()
            case "filter":
                begin("filter", .filter)
                var problem: String?
                do throws(JSONError) {
                    filter = try FilterCodec.read(&reader, problem: &problem)
                } catch {
                    guard let problem else { throw error }
                    refusedQuestions = [.list]
                    throw refuse(.invalid, problem, field: "filter")
                }
            case "search":
                begin("search", .search)
                search = try reader.readString()
            case "sort":
                begin("sort", .sort)
                let word = try reader.readString()
                guard let known = Query.Sort(rawValue: word) else {
                    refusedQuestions = [.list]
                    let sorts = Query.Sort.allCases.map(\.rawValue).joined(separator: ", ")
                    throw refuse(.invalid, "Lists are not sorted by \(Words.quoted(word)), but by one of \(sorts)", field: "sort")
                }
                sort = known
            case "count":
                begin("count", .count)
                counts = try reader.readBool()
            case "deleted":
                begin("deleted", .deleted)
                deleted = try reader.readBool()
            case "quiet":
                begin("quiet", .quiet)
                quiet = try reader.readBool()
            case "differed":
                begin("differed", .differed)
                differed = try reader.readCount()
            case "record":
                begin("record", .record)
                record = try readTarget(&reader)
            case "after":
                begin("after", .after)
                after = try reader.readCount()
            default:
                let name = key.string
                throw refuse(
                    .unknownField, "\(Words.quoted(name)) is no part of a frame. \(Words.older)",
                    field: name.utf8.count <= WireBounds.wordOctets ? name : String(name.unicodeScalars.prefix(40)))
            }
        }
    }

    private mutating func readOperations(_ reader: inout JSONReader) throws(JSONError) {
        guard type == .mutate else { return try reader.skipValue() }
        var inner = OperationReader(limits: limits)
        do throws(JSONError) {
            try inner.read(&reader)
        } catch {
            refusal = inner.refusal
            throw error
        }
        operations = inner.operations
    }

    private mutating func readOverlap(_ reader: inout JSONReader) throws(JSONError) -> OverlapOverride {
        var overlap = try OverlapCodec.readOverride(&reader, isStrict: true)
        guard overlap.pairs.count <= limits.overlapPairs else {
            throw refuse(.tooMany, "allow_overlap names at most \(limits.overlapPairs) pairs", field: "allow_overlap")
        }
        guard !overlap.pairs.isEmpty else { throw refuse(.required, "allow_overlap names the pairs that it accepts", field: "allow_overlap") }
        guard let reason = try canonicalReason(overlap.reason) else {
            throw refuse(.required, "A reason is required to let trip items overlap. Nothing was changed.", field: "allow_overlap")
        }
        overlap.reason = reason
        return overlap
    }

    private mutating func canonicalReason(_ text: String) throws(JSONError) -> String? {
        do {
            return try OverlapOverride.canonicalReason(text)
        } catch {
            throw refuse(error.code, error.message, field: "allow_overlap")
        }
    }

    private func readCursor(_ reader: inout JSONReader) throws(JSONError) -> Cursor {
        var epoch: String?
        var sequence: Int64?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "epoch": epoch = try reader.readWord()
            case "seq": sequence = try reader.readCount()
            default: throw .unexpected("a cursor: epoch, seq", at: reader.offset)
            }
        }
        guard let epoch, let sequence else { throw .unexpected("a cursor with epoch and seq", at: reader.offset) }
        return Cursor(epoch: epoch, sequence: sequence)
    }

    /// - Parameter questions: the frames that have a kind at this place.
    private mutating func readKind(_ reader: inout JSONReader, of questions: [ClientFrameType]) throws(JSONError) -> Kind {
        let name = try reader.readString()
        guard let known = Kind(name: name) else {
            refusedQuestions = questions
            throw refuse(.unknownKind, "No kind is called \(Words.quoted(name)). \(Words.older)", field: "kind")
        }
        return known
    }

    private mutating func readTarget(_ reader: inout JSONReader) throws(JSONError) -> HistoryRequest.Target {
        var kind: Kind?
        var id: Identifier?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "kind": kind = try readKind(&reader, of: [.history])
            case "id": id = try reader.readIdentifier()
            default: throw .unexpected("a record: kind, id", at: reader.offset)
            }
        }
        guard let kind, let id else { throw .unexpected("a record with kind and id", at: reader.offset) }
        return HistoryRequest.Target(kind: kind, id: id)
    }

    /// Puts the members together, when they belong together.
    private mutating func frame() throws(JSONError) -> ClientFrame {
        guard let type else { throw missing("type") }
        if let name = seen.subtracting(type.members).firstName {
            throw refuse(.unknownField, "\(name) is no part of a frame called \(type.rawValue). \(Words.older)", field: name)
        }
        switch type {
        case .mutate:
            guard let mutation else { throw missing("mutation") }
            if let undo {
                guard operations == nil else { throw refuse(.invalid, "A mutation has operations or undo, not both", field: "undo") }
                return .mutation(id: mutation, body: .undo(sequence: undo), overlap: overlap)
            }
            guard let operations, !operations.isEmpty else { throw missing("operations") }
            return .mutation(id: mutation, body: .operations(operations), overlap: overlap)
        case .signIn:
            guard let token else { throw missing("token") }
            return tagged(.signIn(token: token))
        case .redeem:
            guard let code else { throw missing("code") }
            guard let nonce else { throw missing("nonce") }
            return tagged(.redeem(code: code, nonce: nonce))
        case .join:
            guard let family else { throw missing("family") }
            guard let client else { throw missing("client") }
            return tagged(
                .join(Join(family: family, client: client, context: context, cursor: cursor, isQuiet: quiet, differed: differed)))
        case .context:
            guard let context else { throw missing("context") }
            return tagged(.context(context))
        case .list:
            guard let request else { throw missing("request") }
            guard let kind else { throw missing("kind") }
            guard let limit else { throw missing("limit") }
            guard beforeSequence == nil else { throw refuse(.invalid, "before is the next of an earlier page", field: "before") }
            return .list(
                ListRequest(
                    request: request, kind: kind, athlete: athlete, filter: filter, search: search, sort: sort, before: before,
                    limit: limit, counts: counts, deleted: deleted))
        case .statistics:
            guard let request else { throw missing("request") }
            guard let kind else { throw missing("kind") }
            return .statistics(StatisticsRequest(request: request, kind: kind, athlete: athlete))
        case .history:
            guard let request else { throw missing("request") }
            guard let limit else { throw missing("limit") }
            guard before == nil else { throw refuse(.invalid, "before is a sequence", field: "before") }
            return .history(HistoryRequest(request: request, record: record, before: beforeSequence, limit: limit))
        case .digest:
            guard let request else { throw missing("request") }
            return .digest(DigestRequest(request: request, after: after))
        case .accessLog:
            guard let request else { throw missing("request") }
            guard let limit else { throw missing("limit") }
            guard beforeSequence == nil else { throw refuse(.invalid, "before is the next of an earlier page", field: "before") }
            return .accessLog(AccessLogRequest(request: request, before: before, limit: limit))
        case .signOut:
            return tagged(.signOut)
        }
    }

    private func tagged(_ frame: ClientFrame) -> ClientFrame {
        request.map { .tagged(frame, request: $0) } ?? frame
    }

    private mutating func begin(_ name: StaticString, _ bit: Members) {
        member = name
        seen.insert(bit)
    }

    private mutating func missing(_ name: String) -> JSONError {
        refuse(.required, "The frame needs \(name)", field: name)
    }

    private mutating func refuse(_ code: ErrorCode, _ message: String, field: String) -> JSONError {
        refusal = Rejection(code, message, field: field)
        return .invalid(message)
    }

    /// Something in the frame is refused. When the rest is sound and it is a mutation with a number, that number gets the answer.
    private func refused(_ octets: UnsafeRawBufferPointer) throws(Rejection) -> ClientFrame {
        let refusal = refusal ?? Rejection(.badFrame, "No frame of this protocol")
        var word: String?
        var number: Int64?
        var asked: Int64?
        do throws(JSONError) {
            try JSONReader.read(octets, maxDepth: limits.jsonDepth, maxKeys: limits.objectKeys) { reader throws(JSONError) in
                try reader.readObject { reader, key throws(JSONError) in
                    switch key {
                    case "type" where try reader.peekKind() == .string: word = try reader.readString()
                    case "mutation" where try reader.peekKind() == .integer:
                        var ahead = reader
                        number = try? ahead.readCount(from: 1)
                        try reader.skipValue()
                    case "request" where try reader.peekKind() == .integer:
                        var ahead = reader
                        asked = try? ahead.readCount()
                        try reader.skipValue()
                    default: try reader.skipValue()
                    }
                }
            }
        } catch {
            throw Rejection(.badFrame, "No frame of this protocol: \(error)")
        }
        if word == ClientFrameType.mutate.rawValue, let number { return .refusedMutation(id: number, refusal) }
        if refusedQuestions.contains(where: { $0.rawValue == word }), let asked { return .refusedRequest(request: asked, refusal) }
        var plain = refusal
        plain.code = .badFrame
        throw plain
    }
}
