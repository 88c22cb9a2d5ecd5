import Bytes
import HTTP1
import Store

/// A resource below `/dav/`.
enum DAVResource: Hashable, Sendable {
    /// The person of the token, at `/dav/`.
    case principal
    /// All calendars of the token, at `/dav/calendars/`.
    case home
    case calendar(CalendarCollectionName)
    /// An object, with the decoded last segment of its address.
    case object(CalendarCollectionName, name: String)

    /// The largest number of octets of the name of an object.
    static let maxName = 255

    /// - Parameter segments: those after `/dav`; the last one may be empty.
    /// - Returns: `nil` for a path that no resource has.
    init?(_ segments: [String]) {
        var segments = segments[...]
        if segments.last == "" { segments.removeLast() }
        guard let first = segments.popFirst() else {
            self = .principal
            return
        }
        guard first == "calendars" else { return nil }
        guard let segment = segments.popFirst() else {
            self = .home
            return
        }
        guard let calendar = CalendarCollectionName(segment) else { return nil }
        guard let name = segments.popFirst() else {
            self = .calendar(calendar)
            return
        }
        guard segments.isEmpty, name.utf8.count <= Self.maxName else { return nil }
        self = .object(calendar, name: name)
    }

    /// - Parameter address: a path, or a URI with one.
    init?(address: String) {
        var path = address[...]
        if let scheme = path.firstRange(of: "://") {
            path = path[scheme.upperBound...]
            guard let slash = path.firstIndex(of: "/") else { return nil }
            path = path[slash...]
        }
        guard let segments = RequestPath(String(path))?.segments, segments.first == "dav" else { return nil }
        self.init(Array(segments.dropFirst()))
    }

    /// The path, with escapes. Collections end with a slash.
    var address: String {
        switch self {
        case .principal: CalendarDiscovery.root
        case .home: CalendarDiscovery.root + "calendars/"
        case .calendar(let name): CalendarDiscovery.root + "calendars/\(name.segment)/"
        case .object(let calendar, let name): CalendarDiscovery.root + "calendars/\(calendar.segment)/" + PercentCoding.encode(name)
        }
    }

    /// The resource of a record.
    static func object(_ id: Identifier, in calendar: CalendarCollectionName) -> DAVResource { .object(calendar, name: "\(id).ics") }

    /// The record that the name of an object names; `nil` if it names none. Programs write a UUID with small or capital
    /// letters.
    static func record(_ name: String) -> Identifier? { name.lowercased().hasSuffix(".ics") ? Identifier(name.dropLast(4).lowercased()) : nil }
}
