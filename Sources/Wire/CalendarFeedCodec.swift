import Bytes
package import Family
package import JSON

/// Calendar feeds in frames, and over HTTP.
package enum CalendarFeedCodec {
    /// Appends the settings as members of an object that has begun.
    package static func encode(_ settings: FeedSettings, into writer: inout JSONWriter) {
        writer.key("name")
        writer.string(settings.name)
        switch settings.scope {
        case .mine(let athletes):
            writer.key("mine")
            writer.beginArray()
            for athlete in athletes { writer.identifier(athlete) }
            writer.endArray()
        case .athlete(let athlete):
            writer.key("athlete")
            writer.identifier(athlete)
        case .trip(let trip):
            writer.key("trip")
            writer.identifier(trip)
        case .all:
            writer.key("all")
            writer.boolean(true)
        }
        // Usual values are left out.
        if settings.kinds != FeedSettings.usualKinds {
            writer.key("kinds")
            writer.beginArray()
            for kind in settings.kinds { writer.string(kind.name.description) }
            writer.endArray()
        }
        if settings.detail != .full {
            writer.key("detail")
            writer.string(settings.detail.rawValue)
        }
        if !settings.hasAlarms {
            writer.key("alarms")
            writer.boolean(false)
        }
        if let expiresAt = settings.expiresAt {
            writer.key("expires_at")
            writer.integer(expiresAt)
        }
    }

    /// Appends a feed as an object.
    package static func encode(_ feed: CalendarFeed, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.identifier(feed.id)
        encode(feed.settings, into: &writer)
        writer.key("created_at")
        writer.integer(feed.createdAt)
        writer.key("fetches")
        writer.integer(feed.fetches)
        if let fetchedAt = feed.fetchedAt {
            writer.key("fetched_at")
            writer.integer(fetchedAt)
        }
        if !feed.program.isEmpty {
            writer.key("program")
            writer.string(feed.program)
        }
        writer.endObject()
    }

    static func read(_ reader: inout JSONReader) throws(JSONError) -> CalendarFeed {
        let start = reader.offset
        var members = FeedMembers()
        var id: Identifier?
        var numbers: [String: Int64] = [:]
        var program = ""
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "id": id = try reader.readIdentifier()
            case "created_at", "fetches", "fetched_at": numbers[key.string] = try reader.readInteger()
            case "program": program = try reader.readString()
            default:
                // A kind of a later server is left out.
                guard try !members.read(key, &reader) else { return }
                try reader.skipValue()
            }
        }
        guard let id, let settings = members.settings, let created = numbers["created_at"] else { throw .unexpected("a calendar", at: start) }
        return CalendarFeed(
            id: id, settings: settings, createdAt: created, fetches: numbers["fetches"] ?? 0, fetchedAt: numbers["fetched_at"], program: program)
    }
}

/// The settings of a feed as they are read, member by member.
struct FeedMembers {
    private(set) var name: String?
    /// The scope of the feed, once for each member that gives it.
    private(set) var scopes: [FeedScope] = []
    private var kinds: [Kind]?
    /// Whether a word of `kinds` is not a kind that a feed can have.
    private(set) var hasUnknownKind = false
    private var detail = FeedDetail.full
    private var hasAlarms = true
    private var expiresAt: Int64?

    /// - Returns: false if a feed has no such member. Nothing was read then.
    mutating func read(_ key: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch key {
        case "name": name = try reader.readString()
        case "mine": scopes.append(.mine(athletes: try reader.readList { reader throws(JSONError) in try reader.readIdentifier() }))
        case "athlete": scopes.append(.athlete(try reader.readIdentifier()))
        case "trip": scopes.append(.trip(try reader.readIdentifier()))
        case "all":
            let start = reader.offset
            guard try reader.readBool() else { throw .unexpected("true", at: start) }
            scopes.append(.all)
        case "kinds":
            let words = try reader.readList { reader throws(JSONError) in try reader.readString() }
            let known = words.compactMap { Kind(name: $0) }.filter(FeedSettings.feedKinds.contains)
            hasUnknownKind = known.count != words.count
            kinds = FeedSettings.feedKinds.filter(known.contains)
        case "detail": detail = try reader.readWord(of: FeedDetail.self)
        case "alarms": hasAlarms = try reader.readBool()
        case "expires_at": expiresAt = try reader.readInteger()
        default: return false
        }
        return true
    }

    /// The settings; `nil` if a member is missing that they need.
    var settings: FeedSettings? {
        guard let name, scopes.count == 1 else { return nil }
        return FeedSettings(
            name: name, scope: scopes[0], kinds: kinds ?? FeedSettings.usualKinds, detail: detail, hasAlarms: hasAlarms, expiresAt: expiresAt)
    }
}
