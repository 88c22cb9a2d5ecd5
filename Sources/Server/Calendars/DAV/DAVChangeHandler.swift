import Bytes
import Calendar
import DAV
import Family
import HTTP1
import Store
import XML

/// `PUT` and `DELETE` of an entry: one change of the member of the token.
final class DAVChangeHandler: RequestHandler {
    private let services: RequestServices
    private let resource: DAVResource?
    private var octets: [UInt8] = []

    init(_ context: RequestContext, _ resource: DAVResource?, _ services: RequestServices) {
        self.resource = resource
        self.services = services
        super.init(context)
    }

    private var isDelete: Bool { context.head.method == "DELETE" }

    override func begin() {
        // A DELETE with content is allowed, and the content is without meaning.
        if !acceptContent(limit: CalendarEdit.maxOctets) { respond(Self.tooLarge) }
    }

    override func received(_ buffer: ContentBuffer) {
        buffer.withOctets { octets += $0 }
        giveBack(buffer)
    }

    override func refused(_ error: HTTPError) -> HTTPResponse? { error.status == 413 ? Self.tooLarge : nil }

    override func contentEnded() {
        guard let resource, case .calendar(let access) = context.identity, case .object(let calendar, let name) = resource else {
            return respond(HTTPResponse(DAVAnswer(DAVRefusal(403, nil, "Only entries can be changed: calendars follow from athletes and trips."))))
        }
        let octets = isDelete ? nil : octets
        // A reader parses: an entry of 64 KiB takes longer than the reactor may be away.
        services.read(for: self) { reader throws(StoreFailure) in
            guard let portion = try reader.calendar(calendar, access, .nothing) else { return Opened.missing }
            do throws(CalendarFault) {
                return .open(member: portion.collection.member, try octets.map { octets throws(CalendarFault) in .put(try CalendarEdit(octets)) } ?? .delete)
            } catch { return .fault(error) }
        } then: { [self] opened in
            switch opened {
            case .missing: respond(HTTPResponse(.missing))
            case .fault(let fault): respond(Self.response(fault))
            case .open(let member, let act): propose(act, calendar, name, member: member)
            }
        }
    }

    /// The result of a reader's look at a change.
    private enum Opened: Sendable {
        case missing
        case fault(CalendarFault)
        case open(member: Identifier, CalendarWrite.Act)
    }

    private func propose(_ act: CalendarWrite.Act, _ calendar: CalendarCollectionName, _ name: String, member: Identifier) {
        guard let record = DAVResource.record(name) else {
            guard !isDelete else { return respond(HTTPResponse(.missing)) }
            return respond(
                Self.response(
                    CalendarFault(.object, "A new entry needs a UUID as its UID, and the address UID.ics: this server finds an entry by its id.")))
        }
        guard let condition else { return respond(HTTPResponse(DAVAnswer(DAVRefusal(412, nil, "If-Match is not a list of entity tags.")))) }
        let write = CalendarWrite(calendar: calendar, member: member, record: record, condition: condition, act: act)
        services.propose(for: self, refused: { [self] in respond(Self.response($0)) }, .calendar(write)) { [self] answer in
            guard case .calendar(let answer) = answer else { return }
            switch answer {
            // Without an ETag: the program reads what Huddle has made of the entry.
            case .created: respond(HTTPResponse(201, [Field("Cache-Control", "private, no-store")]))
            case .updated, .deleted: respond(HTTPResponse(204, [Field("Cache-Control", "private, no-store")]))
            case .missing: respond(HTTPResponse(.missing))
            case .stale:
                respond(HTTPResponse(DAVAnswer(DAVRefusal(412, nil, "This entry has changed since. Nothing was changed; read it again."))))
            case .unconditional:
                respond(HTTPResponse(DAVAnswer(DAVRefusal(428, nil, "This entry exists. Send If-Match with its ETag, so that no change of others is lost."))))
            case .refused(let fault): respond(Self.response(fault))
            }
        }
    }

    /// - Returns: `nil` if a field cannot be read.
    private var condition: CalendarWrite.Condition? {
        var condition = CalendarWrite.Condition()
        let fields = context.head.fields
        if fields.contains("if-match") {
            switch EntityTagList(fields.all("if-match").joined(separator: ",")) {
            case .any?: condition.mustExist = true
            case .tags(let tags)?: condition.tags = tags.filter { !$0.isWeak }.map(\.opaque)
            case nil: return nil
            }
        }
        // Another value than `*` asks whether a version is new, which no program does with a change.
        condition.mustBeNew = fields.contains("if-none-match")
        return condition
    }

    // MARK: Responses

    private static var tooLarge: HTTPResponse {
        response(CalendarFault(.size, "An entry has at most \(CalendarEdit.maxOctets) octets."))
    }

    private static func response(_ fault: CalendarFault) -> HTTPResponse {
        HTTPResponse(DAVAnswer(DAVRefusal(fault.condition == .size ? 413 : 403, DAVNames.c(fault.condition.rawValue), fault.sentence)))
    }

    /// A refusal by the rules of the family. Programs take 400 for a fault of the protocol, so a value that the rules
    /// refuse is a fault of the entry.
    private static func response(_ rejection: Rejection) -> HTTPResponse {
        let status = rejection.code.httpStatus
        let fields = rejection.retryAfterSeconds.map { [Field("Retry-After", "\($0)")] } ?? []
        let refusal =
            [400, 422].contains(status)
            ? DAVRefusal(403, DAVNames.c(CalendarFault.Condition.object.rawValue), rejection.message)
            : DAVRefusal(status, status == 403 ? DAVNames.d("need-privileges") : nil, rejection.message)
        return HTTPResponse(DAVAnswer(refusal), fields)
    }
}
