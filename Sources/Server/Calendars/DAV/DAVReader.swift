import Bytes
import Calendar
import DAV
import Dates
import Family
import HTTP1
import Store
import XML

/// A request below `/dav/` with everything that decides its answer.
struct DAVQuestion: Sendable {
    var method: String
    var resource: DAVResource
    var access: CalendarAccess
    /// Of the field `Depth`; `nil` without one, `Int.max` for `infinity`.
    var depth: Int?
    var octets: [UInt8]
}

/// The answer to a request below `/dav/`.
struct DAVAnswer: Sendable {
    var status: Int
    var content: [UInt8]

    init(_ status: Int, _ content: [UInt8]) {
        self.status = status
        self.content = content
    }

    init(_ refusal: DAVRefusal) { self.init(refusal.status, refusal.content) }

    /// The same for a calendar of another family, and one that never existed.
    static var missing: DAVAnswer { DAVAnswer(DAVRefusal(404, nil, "There is no calendar or entry at this address, or this token does not open it.")) }

    static var tooLarge: DAVAnswer { DAVAnswer(DAVRefusal(413, nil, "The request body is too large. Send a smaller one.")) }
}

extension HTTPResponse {
    init(_ answer: DAVAnswer, _ fields: [Field] = []) {
        let type = answer.content.isEmpty ? [] : [Field("Content-Type", "application/xml; charset=utf-8")]
        self.init(answer.status, fields + type + [Field("Cache-Control", "private, no-store")], content: answer.content)
    }
}

/// Answers the requests that only read, on the thread of a reader.
struct DAVReader {
    private let store: StoreReader
    private let question: DAVQuestion

    /// The largest number of changed objects in one report.
    static let maxChanges = 1_000
    /// The octets at which a report ends: the objects that follow are 507, and the program asks for them again.
    static let maxOctets = 16_777_216

    init(_ question: DAVQuestion, _ store: StoreReader) {
        self.question = question
        self.store = store
    }

    func answer() throws(StoreFailure) -> DAVAnswer {
        do {
            switch question.method {
            case "PROPFIND": return try propfind(try DAVPropertyRequest(propfind: question.octets))
            case "PROPPATCH": return try proppatch(try DAVPropertyUpdate.read(question.octets))
            default: return try report(try DAVReport.read(question.octets))
            }
        } catch let refusal as DAVRefusal {
            return DAVAnswer(refusal)
        } catch let failure as StoreFailure {
            throw failure
        } catch {
            throw StoreFailure("\(error)")
        }
    }

    /// An object with its calendar; `nil` if the token does not open it.
    func object(_ calendar: CalendarCollectionName, _ name: String) throws(StoreFailure) -> CalendarObject? {
        guard let id = DAVResource.record(name), let portion = try store.calendar(calendar, question.access, .records([id])), let record = portion.records.first
        else { return nil }
        var builder = builder(portion.collection)
        return builder.object(record)
    }

    private func builder(_ collection: CalendarCollection) -> CalendarObjectBuilder {
        CalendarObjectBuilder(zone: collection.zone, rules: store.zoneRules)
    }

    // MARK: PROPFIND and PROPPATCH

    private func propfind(_ request: DAVPropertyRequest) throws -> DAVAnswer {
        let depth = question.depth ?? .max
        guard depth <= 1 else {
            throw DAVRefusal(403, DAVNames.d("propfind-finite-depth"), "Send Depth: 0 or Depth: 1.")
        }
        var answer = MultiStatus()
        switch question.resource {
        case .principal:
            DAVProperties.principal.add(request, question.resource.address, to: &answer)
            if depth == 1 { DAVProperties.home.add(request, DAVResource.home.address, to: &answer) }
        case .home:
            DAVProperties.home.add(request, question.resource.address, to: &answer)
            guard depth == 1 else { break }
            for (index, collection) in try store.calendarCollections(question.access).enumerated() {
                DAVProperties.calendar(collection, order: index + 1).add(request, DAVResource.calendar(collection.name).address, to: &answer)
            }
        case .calendar(let name):
            guard let portion = try store.calendar(name, question.access, depth == 1 ? .all : .nothing) else { return .missing }
            DAVProperties.calendar(portion.collection).add(request, question.resource.address, to: &answer)
            var builder = builder(portion.collection)
            for record in portion.records { if let object = builder.object(record) { add(object, portion.collection, request, to: &answer) } }
        case .object(let calendar, let name):
            guard let id = DAVResource.record(name), let portion = try store.calendar(calendar, question.access, .records([id])),
                let record = portion.records.first
            else { return .missing }
            var builder = builder(portion.collection)
            guard let object = builder.object(record) else { return .missing }
            add(object, portion.collection, request, to: &answer)
        }
        return DAVAnswer(207, answer.end())
    }

    private func add(_ object: CalendarObject, _ collection: CalendarCollection, _ request: DAVPropertyRequest, address: String? = nil, to answer: inout MultiStatus) {
        DAVProperties.object(object, isWritable: collection.isWritable)
            .add(request, address ?? DAVResource.object(object.id, in: collection.name).address, to: &answer)
    }

    /// All properties are the server's own.
    private func proppatch(_ updates: [DAVPropertyUpdate]) throws -> DAVAnswer {
        switch question.resource {
        case .principal, .home: break
        case .calendar(let name): guard try store.calendar(name, question.access, .nothing) != nil else { return .missing }
        case .object(let calendar, let name): guard try object(calendar, name) != nil else { return .missing }
        }
        var answer = MultiStatus()
        answer.add(question.resource.address, found: [], refused: updates.map(\.name))
        return DAVAnswer(207, answer.end())
    }

    // MARK: REPORT

    private func report(_ report: DAVReport) throws -> DAVAnswer {
        guard case .calendar(let name) = question.resource else {
            // A multiget of one object may be sent to the object itself.
            if case .object(let calendar, _) = question.resource, case .multiget = report {
                guard try store.calendar(calendar, question.access, .nothing) != nil else { return .missing }
                return try multiget(report, calendar)
            }
            throw DAVRefusal(403, DAVNames.d("supported-report"), "Send this report to a calendar. The home lists them: \(DAVResource.home.address).")
        }
        switch report {
        case .multiget: return try multiget(report, name)
        case .query(let request, let filter): return try query(request, filter, name)
        case .sync(let request, let token, let limit): return try sync(request, token, limit, name)
        }
    }

    private func multiget(_ report: DAVReport, _ calendar: CalendarCollectionName) throws -> DAVAnswer {
        guard case .multiget(let request, let addresses) = report else { return .missing }
        let wanted = addresses.map { address -> Identifier? in
            guard case .object(calendar, let name)? = DAVResource(address: address) else { return nil }
            return DAVResource.record(name)
        }
        guard let portion = try store.calendar(calendar, question.access, .records(Array(Set(wanted.compactMap { $0 })))) else { return .missing }
        let records = Dictionary(portion.records.map { ($0.id, $0) }) { first, _ in first }
        var builder = builder(portion.collection)
        var answer = MultiStatus()
        for (address, id) in zip(addresses, wanted) {
            // The address as the program wrote it: it compares the texts.
            guard let record = id.flatMap({ records[$0] }), let object = builder.object(record) else {
                answer.add(address, status: 404)
                continue
            }
            guard answer.count < Self.maxOctets else {
                answer.add(address, status: 507)
                continue
            }
            add(object, portion.collection, request, address: address, to: &answer)
        }
        return DAVAnswer(207, answer.end())
    }

    private func query(_ request: DAVPropertyRequest, _ filter: DAVFilter, _ calendar: CalendarCollectionName) throws -> DAVAnswer {
        guard let portion = try store.calendar(calendar, question.access, filter.selectsNothing ? .nothing : .all) else { return .missing }
        var builder = builder(portion.collection)
        var answer = MultiStatus()
        for record in portion.records {
            guard let object = builder.object(record), filter.range?.overlaps(object.start, object.end) ?? true,
                filter.tests.allSatisfy({ $0.holds(for: object.text($0.property)) })
            else { continue }
            guard answer.count < Self.maxOctets else {
                answer.add(question.resource.address, status: 507, condition: DAVNames.d("number-of-matches-within-limits"))
                break
            }
            add(object, portion.collection, request, to: &answer)
        }
        return DAVAnswer(207, answer.end())
    }

    private func sync(_ request: DAVPropertyRequest, _ text: String?, _ limit: Int?, _ calendar: CalendarCollectionName) throws -> DAVAnswer {
        let invalid = DAVRefusal(403, DAVNames.d("valid-sync-token"), "This sync-token is not valid, or it is too old. Read the whole calendar again.")
        let token = text.flatMap { CalendarSyncToken($0) }
        guard text == nil || token != nil else {
            guard try store.calendar(calendar, question.access, .nothing) != nil else { return .missing }
            throw invalid
        }
        let selection = CalendarSelection.changes(since: token, limit: min(limit ?? Self.maxChanges, Self.maxChanges))
        guard let portion = try store.calendar(calendar, question.access, selection) else { return .missing }
        guard !portion.isTokenInvalid else { throw invalid }
        var builder = builder(portion.collection)
        var answer = MultiStatus()
        for record in portion.records { if let object = builder.object(record) { add(object, portion.collection, request, to: &answer) } }
        for id in portion.gone { answer.add(DAVResource.object(id, in: calendar).address, status: 404) }
        if portion.isTruncated { answer.add(question.resource.address, status: 507, condition: DAVNames.d("number-of-matches-within-limits")) }
        answer.setSyncToken(portion.token.text)
        return DAVAnswer(207, answer.end())
    }
}
