import Family
package import Queries
import JSON

/// Answers `statistics`.
package struct StatisticsAnswer: Hashable, Sendable {
    package var request: Int64
    package var sequence: Int64
    package var statistics: Statistics

    package init(request: Int64, sequence: Int64, statistics: Statistics) {
        self.request = request
        self.sequence = sequence
        self.statistics = statistics
    }
}

extension ServerFrame {
    struct StatisticsParts: ServerFrameParts {
        static let declaration = FrameDeclaration("statistics", "Answers statistics.", [
            .init("request", commonSchema("count"), "The number in the request."),
            .init("seq", commonSchema("count"), "The sequence at which all of it is true."),
            .init("kind", commonSchema("kind"), "The kind of the figures."),
            .init("statistics", commonSchema("statistics"), "The figures."),
        ], feature: .statistics, example: #"""
            {"type":"statistics","request":2,"seq":121,"kind":"family","statistics":{"kinds":[{"kind":"family","records":1},{"kind":"event","records":40}]}}
            """#)

        private var sequence: Int64?
        private var kind: Kind?
        private var statistics: StatisticsCodec.Parts?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "seq": sequence = try reader.readCount()
            case "kind": kind = try reader.readKind()
            case "statistics": statistics = try StatisticsCodec.read(&reader)
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .statistics(
                StatisticsAnswer(
                    request: try need(request, "request"), sequence: try need(sequence, "seq"),
                    statistics: try need(statistics, "statistics").statistics(try need(kind, "kind"))))
        }

        static func encode(_ answer: StatisticsAnswer, into writer: inout JSONWriter) {
            writer.word("statistics")
            writer.key("request")
            writer.integer(answer.request)
            writer.key("seq")
            writer.integer(answer.sequence)
            writer.key("kind")
            writer.string(answer.statistics.kind)
            writer.key("statistics")
            StatisticsCodec.encode(answer.statistics, into: &writer)
        }
    }
}
