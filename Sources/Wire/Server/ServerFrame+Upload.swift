package import Bytes
import JSON

/// The progress of an upload to the family. It is not in the log; a session that joins later gets the next report.
package struct UploadProgress: Hashable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        case running
        /// The connection is gone; the upload can continue from where it is.
        case paused
        /// The document is there: its record came or comes as a change.
        case finished
        /// Given up, refused or expired: nothing of it is kept.
        case cancelled
    }

    /// The upload's, which is the document's once it is there.
    package var id: Identifier
    /// The member who uploads.
    package var member: Identifier
    /// The athlete whose document it will be.
    package var athlete: Identifier
    package var title: String
    /// The octets that arrived so far, and their total; `nil` while the sender has not given it.
    package var octets: Int64
    package var total: Int64?
    package var state: State

    package init(id: Identifier, member: Identifier, athlete: Identifier, title: String, octets: Int64, total: Int64?, state: State) {
        self.id = id
        self.member = member
        self.athlete = athlete
        self.title = title
        self.octets = octets
        self.total = total
        self.state = state
    }

    /// Whether nothing more will come of it.
    package var isOver: Bool { state == .finished || state == .cancelled }

    /// Whole percent, never 100 before it is finished; `nil` while the length is not known.
    package var percent: Int? {
        guard let total else { return nil }
        if state == .finished { return 100 }
        guard total > 0, octets > 0 else { return 0 }
        return min(99, Int(Double(min(octets, total)) / Double(total) * 100))
    }
}

extension ServerFrame {
    struct UploadParts: ServerFrameParts {
        static let declaration = FrameDeclaration("upload", "The progress of a file that a member uploads; not stored, and sent at most once per second for each.", [
            .init("id", commonSchema("identifier"), "The upload, and the document once it is there."),
            .init("member", commonSchema("identifier"), "The member who uploads."),
            .init("athlete", commonSchema("identifier"), "The athlete of the document."),
            .init("title", ["type": "string"], "The title of the document."),
            .init("octets", commonSchema("count"), "The received octets."),
            .init("total", commonSchema("count"), "The total; left out while it is not known.", required: false),
            .init("state", ["enum": ["running", "paused", "finished", "cancelled"]],
                "running; paused: it can resume; finished: the document is there; cancelled: nothing of it is kept."),
        ], feature: .uploads, example: #"""
            {"type":"upload","id":"01910000-0000-7000-8000-000000000700","member":"01910000-0000-7000-8000-000000000010","athlete":"01910000-0000-7000-8000-000000000011","title":"Highlights.mp4","octets":47185920,"total":104857600,"state":"running"}
            """#)

        private var id: Identifier?
        private var member: Identifier?
        private var athlete: Identifier?
        private var title: String?
        private var octets: Int64?
        private var total: Int64?
        private var state: UploadProgress.State?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "id": id = try reader.readIdentifier()
            case "member": member = try reader.readIdentifier()
            case "athlete": athlete = try reader.readIdentifier()
            case "title": title = try reader.readString()
            case "octets": octets = try reader.readCount()
            case "total": total = try reader.readCount()
            // A state that a newer server added says only that there is something.
            case "state": state = UploadProgress.State(rawValue: try reader.readString()) ?? .running
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .upload(
                UploadProgress(
                    id: try need(id, "id"), member: try need(member, "member"), athlete: try need(athlete, "athlete"),
                    title: try need(title, "title"), octets: try need(octets, "octets"), total: total, state: try need(state, "state")))
        }

        static func encode(_ upload: UploadProgress, into writer: inout JSONWriter) {
            writer.word("upload")
            writer.key("id")
            writer.identifier(upload.id)
            writer.key("member")
            writer.identifier(upload.member)
            writer.key("athlete")
            writer.identifier(upload.athlete)
            writer.key("title")
            writer.string(upload.title)
            writer.key("octets")
            writer.integer(upload.octets)
            if let total = upload.total {
                writer.key("total")
                writer.integer(total)
            }
            writer.key("state")
            writer.string(upload.state.rawValue)
        }
    }
}
