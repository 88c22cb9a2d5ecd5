package import Family
import JSON

/// Figures of one kind, or of the whole family (`kind` `.family`).
package struct StatisticsRequest: Hashable, Sendable {
    package var request: Int64
    package var kind: Kind
    package var athlete: Context?

    package init(request: Int64, kind: Kind, athlete: Context? = nil) {
        self.request = request
        self.kind = kind
        self.athlete = athlete
    }
}

extension ClientFrame {
    struct StatisticsParts: ClientFrameParts {
        static let declaration = FrameDeclaration("statistics", "Asks for figures. Answer: statistics.", [
            .init("request", commonSchema("count"), "Echoed in the answer."),
            .init("kind", commonSchema("kind"), "event, document or metric; family for the number of records of each kind."),
            .init("athlete", commonSchema("context"), "The athlete; left out: the context's.", required: false),
        ], feature: .statistics, example: #"{"type":"statistics","request":2,"kind":"event","athlete":"all"}"#)

        private var kind: Kind?
        private var athlete: Context?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "kind": kind = try content.readKind(&reader)
            case "athlete": athlete = try reader.readContext()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .statistics(
                StatisticsRequest(
                    request: try content.need(content.request, "request"), kind: try content.need(kind, "kind"), athlete: athlete))
        }

        static func encode(_ request: StatisticsRequest, into writer: inout JSONWriter) {
            writer.word("statistics")
            writer.key("request")
            writer.integer(request.request)
            writer.key("kind")
            writer.string(request.kind)
            if let athlete = request.athlete {
                writer.key("athlete")
                writer.context(athlete)
            }
        }
    }
}
