import Family
import JSON

extension ClientFrame {
    struct MutateParts: ClientFrameParts {
        static let declaration = FrameDeclaration("mutate", "Asks for changes that happen all together or not at all. Answer: ack or reject.", [
            .init("mutation", commonSchema("positive"), "The client's own number, larger than every earlier one of this client."),
            .init("operations", [
                "type": "array", "minItems": 1, "items": commonSchema("operation"), "description": "At most operations_per_mutation.",
            ], "In the order in which they are applied.", required: false),
            .init("undo", commonSchema("positive"), "Instead of operations: the sequence of the change to undo.", required: false, feature: .undo),
            .init("allow_overlap", commonSchema("overlap_override"), "Intended overlaps of trip items, with the reason.", required: false, feature: .overlaps),
        ], oneOf: ["operations", "undo"], example: #"""
            {"type":"mutate","mutation":7,"operations":[{"op":"update","kind":"event","id":"01910000-0000-7000-8000-000000000100","base":3,"fields":{"registered":true}}]}
            """#)

        private var mutation: Int64?
        private var operations: [Operation]?
        private var undo: Int64?
        private var overlap: OverlapOverride?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "mutation": mutation = try reader.readCount(from: 1)
            case "operations":
                var inner = OperationReader(limits: content.limits)
                do throws(JSONError) {
                    try inner.read(&reader)
                } catch {
                    content.refusal = inner.refusal
                    throw error
                }
                operations = inner.operations
            case "undo": undo = try reader.readCount(from: 1)
            case "allow_overlap": overlap = try Self.readOverlap(&reader, &content)
            default: return false
            }
            return true
        }

        private static func readOverlap(_ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> OverlapOverride {
            var overlap = try OverlapCodec.readOverride(&reader, isStrict: true)
            guard overlap.pairs.count <= content.limits.overlapPairs else {
                throw content.refuse(.tooMany, "allow_overlap names at most \(content.limits.overlapPairs) pairs", field: "allow_overlap")
            }
            guard !overlap.pairs.isEmpty else {
                throw content.refuse(.required, "allow_overlap must name the pairs that it accepts", field: "allow_overlap")
            }
            let reason: String?
            do throws(Rejection) {
                reason = try OverlapOverride.canonicalReason(overlap.reason)
            } catch {
                throw content.refuse(error.code, error.message, field: "allow_overlap")
            }
            guard let reason else {
                throw content.refuse(.required, "A reason is required to let trip items overlap. Nothing was changed.", field: "allow_overlap")
            }
            overlap.reason = reason
            return overlap
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            let mutation = try content.need(mutation, "mutation")
            if let undo {
                guard operations == nil else { throw content.refuse(.invalid, "A mutation has either operations or undo, not both", field: "undo") }
                return .mutation(id: mutation, body: .undo(sequence: undo), overlap: overlap)
            }
            guard let operations, !operations.isEmpty else { throw content.missing("operations") }
            return .mutation(id: mutation, body: .operations(operations), overlap: overlap)
        }

        static func encode(_ mutation: Int64, _ body: Mutation.Body, _ overlap: OverlapOverride?, into writer: inout JSONWriter) {
            writer.word("mutate")
            writer.key("mutation")
            writer.integer(mutation)
            switch body {
            case .operations(let operations):
                writer.key("operations")
                OperationCodec.encode(operations, into: &writer)
            case .undo(let sequence):
                writer.key("undo")
                writer.integer(sequence)
            }
            if let overlap {
                writer.key("allow_overlap")
                OverlapCodec.encode(overlap, into: &writer)
            }
        }
    }
}
