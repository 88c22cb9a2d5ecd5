package import Family
import JSON

/// Answers `consent`, `withdraw_consent`, `birth_date` and `last_day`.
package struct StandingAnswer: Hashable, Sendable {
    package var request: Int64
    package var standing: Standing

    package init(request: Int64, standing: Standing) {
        self.request = request
        self.standing = standing
    }
}

/// Answers `standings`.
package struct StandingList: Hashable, Sendable {
    package var request: Int64
    /// The text of consent in force.
    package var text: ConsentText
    /// By the ids of the members.
    package var standings: [Standing]

    package init(request: Int64, text: ConsentText, standings: [Standing]) {
        self.request = request
        self.text = text
        self.standings = standings
    }
}

extension ServerFrame {
    struct StandingParts: ServerFrameParts {
        static let declaration = FrameDeclaration("standing", "Answers consent, withdraw_consent, birth_date and last_day.", [
            .init("request", commonSchema("count"), "The number in the request."),
            .init("standing", commonSchema("standing"), "The member as they are now."),
        ], feature: .consent, example: #"""
            {"type":"standing","request":11,"standing":{"member":"01910000-0000-7000-8000-000000000011","role":"athlete","state":"consented","signed_in":false,"invited":false,"consent":{"by":"01910000-0000-7000-8000-000000000010","at":1776250800000,"version":"huddle-consent-2"}}}
            """#)

        private var standing: Standing?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            guard name == "standing" else { return false }
            standing = try StandingCodec.read(&reader)
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .standing(StandingAnswer(request: try need(request, "request"), standing: try need(standing, "standing")))
        }

        static func encode(_ answer: StandingAnswer, into writer: inout JSONWriter) {
            writer.word("standing")
            writer.key("request")
            writer.integer(answer.request)
            writer.key("standing")
            StandingCodec.encode(answer.standing, into: &writer)
        }
    }

    struct StandingsParts: ServerFrameParts {
        static let declaration = FrameDeclaration("standings", "Answers standings.", [
            .init("request", commonSchema("count"), "The number in the request."),
            .init("version", ["type": "string"], "Of the text of consent in force."),
            .init("text", ["type": "string"], "The text in Markdown, for the person who consents. Its SHA-256 goes into consent."),
            .init("standings", listSchema("standing"), "By the ids of the members: all for a parent, the own one for others."),
        ], feature: .consent, example: #"""
            {"type":"standings","request":10,"version":"huddle-consent-2","text":"# Consent","standings":[{"member":"01910000-0000-7000-8000-000000000012","role":"guest","state":"open","signed_in":true,"invited":false,"last_day":"2026-08-31"}]}
            """#)

        private var version: String?
        private var text: String?
        private var standings: [Standing]?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "version": version = try reader.readString()
            case "text": text = try reader.readString()
            case "standings": standings = try reader.readList { reader throws(JSONError) in try StandingCodec.read(&reader) }
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            let (version, text) = (try need(version, "version"), try need(text, "text"))
            guard let consent = ConsentText(version: version, text: text) else { throw .invalid("a text of consent that cannot be one") }
            return .standings(StandingList(request: try need(request, "request"), text: consent, standings: try need(standings, "standings")))
        }

        static func encode(_ list: StandingList, into writer: inout JSONWriter) {
            writer.word("standings")
            writer.key("request")
            writer.integer(list.request)
            writer.key("version")
            writer.string(list.text.version)
            writer.key("text")
            writer.string(list.text.text)
            writer.key("standings")
            writer.beginArray()
            for standing in list.standings { StandingCodec.encode(standing, into: &writer) }
            writer.endArray()
        }
    }
}
