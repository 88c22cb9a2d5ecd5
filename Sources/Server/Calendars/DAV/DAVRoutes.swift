import Bytes
import Calendar
import Crypto
import DAV
import Family
import HTTP1
import Posix
import Store

/// Calendars for programs (CalDAV, RFC 4791), described in `proto/caldav.md`.
///
/// | path | methods | purpose |
/// | --- | --- | --- |
/// | `/dav/` | PROPFIND PROPPATCH REPORT OPTIONS | the person |
/// | `/dav/account.mobileconfig` | GET HEAD OPTIONS | sets up Apple's programs |
/// | `/dav/calendars/` | PROPFIND PROPPATCH REPORT OPTIONS | all calendars |
/// | `/dav/calendars/<calendar>/` | PROPFIND PROPPATCH REPORT OPTIONS | a calendar |
/// | `/dav/calendars/<calendar>/<name>` | GET HEAD PUT DELETE PROPFIND PROPPATCH REPORT OPTIONS | an entry |
enum DAVRoutes {
    static func all(_ services: RequestServices) -> [RouteGroup.Resource] {
        let group = RouteGroup("/dav", .calendar)
        func handler(_ name: String, _ segments: @escaping (RequestContext) -> [String]) -> RouteMethod {
            RouteMethod(name) { .handler(DAVHandler($0, DAVResource(segments($0)), services)) }
        }
        func change(_ name: String) -> RouteMethod {
            RouteMethod(name) { .handler(DAVChangeHandler($0, DAVResource($0.path[tail: "path"]), services)) }
        }
        let options = RouteMethod("OPTIONS", .anyone) { _ in .response(HTTPResponse(200, [Field("DAV", "1, 3, calendar-access")])) }
        let root: (RequestContext) -> [String] = { _ in [] }
        let rest: (RequestContext) -> [String] = { $0.path[tail: "path"] }
        return CalendarDiscovery.resources + [
            group.resource("/", handler("PROPFIND", root), handler("PROPPATCH", root), handler("REPORT", root), options),
            group.resource("/account.mobileconfig", .get { .handler(AccountProfileHandler($0)) }),
            group.resource(
                "/{path...}", handler("GET", rest), change("PUT"), change("DELETE"), handler("PROPFIND", rest), handler("PROPPATCH", rest), handler("REPORT", rest),
                options),
        ]
    }
}

/// A request below `/dav/` that reads.
final class DAVHandler: RequestHandler {
    private let services: RequestServices
    private let resource: DAVResource?
    private var octets: [UInt8] = []

    /// The largest content: a report that names thousands of objects.
    static let maxContent = 1_048_576
    /// The largest number of nanoseconds for reading the records of one answer.
    private static let longest: Int64 = 2_000_000_000

    init(_ context: RequestContext, _ resource: DAVResource?, _ services: RequestServices) {
        self.resource = resource
        self.services = services
        super.init(context)
    }

    override func begin() {
        guard let resource, case .calendar(let access) = context.identity else { return respond(HTTPResponse(.missing)) }
        if context.head.method == "GET" || context.head.method == "HEAD" { return get(resource, access) }
        if !acceptContent(limit: Self.maxContent) { respond(HTTPResponse(.tooLarge)) }
    }

    override func received(_ buffer: ContentBuffer) {
        buffer.withOctets { octets += $0 }
        giveBack(buffer)
    }

    override func refused(_ error: HTTPError) -> HTTPResponse? { error.status == 413 ? HTTPResponse(.tooLarge) : nil }

    override func contentEnded() {
        guard let resource, case .calendar(let access) = context.identity else { return respond(HTTPResponse(.missing)) }
        let question = DAVQuestion(method: context.head.method, resource: resource, access: access, depth: depth, octets: octets)
        services.read(for: self) { reader throws(StoreFailure) in
            try Self.stopping(reader) { () throws(StoreFailure) in try DAVReader(question, reader).answer() }
        } then: { [self] in respond(HTTPResponse($0)) }
    }

    /// Another value than a number is that of a program that names no depth.
    private var depth: Int? {
        guard let text = context.head.fields.only("depth") else { return nil }
        return text.lowercased() == "infinity" ? .max : Int(text)
    }

    private func get(_ resource: DAVResource, _ access: CalendarAccess) {
        guard case .object(let calendar, let name) = resource else {
            return respond(HTTPResponse(DAVAnswer(DAVRefusal(405, nil, "Programs read calendars here, with PROPFIND and REPORT.")), [Field("Allow", "PROPFIND, PROPPATCH, REPORT, OPTIONS")]))
        }
        let question = DAVQuestion(method: "GET", resource: resource, access: access, depth: nil, octets: [])
        services.read(for: self) { reader throws(StoreFailure) in
            try Self.stopping(reader) { () throws(StoreFailure) in try DAVReader(question, reader).object(calendar, name) }
        } then: { [self] object in
            guard let object else { return respond(HTTPResponse(.missing)) }
            let representation = Representation(
                length: object.octets.count, contentType: "text/calendar; charset=utf-8; component=VEVENT", validators: Validators(tag: EntityTag(object.tag)),
                fields: [Field("Cache-Control", "private, no-cache")])
            let selection = ContentSelection(context.head, representation, now: HTTPSite.now, boundary: Hex.encode(Random.octets(16)))
            var content: [UInt8] = []
            for piece in selection.pieces {
                switch piece {
                case .octets(let more): content += more
                case .part(let range): content += object.octets[range]
                }
            }
            respond(HTTPResponse(selection.status, selection.fields, content: content))
        }
    }

    private static func stopping<Value>(_ reader: StoreReader, _ body: () throws(StoreFailure) -> Value) throws(StoreFailure) -> Value {
        let end = WorkClock.monotonicNanoseconds() + longest
        return try reader.stopping(when: { WorkClock.monotonicNanoseconds() >= end }, body)
    }
}
