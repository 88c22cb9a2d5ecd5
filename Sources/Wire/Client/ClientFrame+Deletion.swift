import Family
import JSON

/// A question or an act about the deletion of the family.
package struct DeletionRequest: Hashable, Sendable {
    package enum Act: Hashable, Sendable {
        /// Is the family to be deleted?
        case show
        /// A parent asks for it, and types the family's name.
        case request(name: String)
        /// A parent takes the request back.
        case withdraw
    }

    package var request: Int64
    package var act: Act

    package init(request: Int64, act: Act) {
        self.request = request
        self.act = act
    }
}

extension ClientFrame {
    struct DeletionParts: ClientFrameParts {
        static let declaration = FrameDeclaration("deletion", "Asks whether the family is to be deleted. Answer: deletion.", [
            .init("request", commonSchema("count"), "Echoed in the answer.")
        ], feature: .deletion, example: #"{"type":"deletion","request":30}"#)

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            guard name == "request" else { return false }
            content.request = try reader.readCount()
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .deletion(DeletionRequest(request: try content.need(content.request, "request"), act: .show))
        }
    }

    struct DeleteFamilyParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "delete_family", "Asks for the deletion of the family in 14 days; for parents. Answer: deletion. Sent again it changes nothing.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("name", ["type": "string"], "The family's name as the person typed it; case, accents and spaces do not count."),
            ], feature: .deletion, example: #"{"type":"delete_family","request":31,"name":"The Rivers"}"#)

        private var name: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "name": self.name = try reader.readString()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .deletion(DeletionRequest(request: try content.need(content.request, "request"), act: .request(name: try content.need(name, "name"))))
        }
    }

    struct KeepFamilyParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "keep_family", "Withdraws the request to delete the family; for parents. Answer: deletion. Sent again it changes nothing.", [
                .init("request", commonSchema("count"), "Echoed in the answer.")
            ], feature: .deletion, example: #"{"type":"keep_family","request":32}"#)

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            guard name == "request" else { return false }
            content.request = try reader.readCount()
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .deletion(DeletionRequest(request: try content.need(content.request, "request"), act: .withdraw))
        }
    }
}

extension DeletionRequest {
    func encode(into writer: inout JSONWriter) {
        switch act {
        case .show: writer.word("deletion")
        case .request: writer.word("delete_family")
        case .withdraw: writer.word("keep_family")
        }
        writer.key("request")
        writer.integer(request)
        if case .request(let name) = act {
            writer.key("name")
            writer.string(name)
        }
    }
}
