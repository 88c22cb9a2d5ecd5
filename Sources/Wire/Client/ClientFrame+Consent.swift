package import Bytes
import Family
import JSON

/// A parent's act about the sign-in of a member.
package struct ConsentRequest: Hashable, Sendable {
    package enum Act: Hashable, Sendable {
        /// The parent has read the text with this version and SHA-256 (hexadecimal digits) and consents.
        case give(version: String, digest: String)
        case withdraw
        /// The athlete's birth date is this one, `YYYY-MM-DD`.
        case born(String)
        /// The guest's last day, `YYYY-MM-DD`; `nil`: the guest stays.
        case lastDay(String?)
    }

    package var request: Int64
    package var member: Identifier
    package var act: Act

    package init(request: Int64, member: Identifier, act: Act) {
        self.request = request
        self.member = member
        self.act = act
    }
}

extension ClientFrame {
    struct ConsentParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "consent", "Consents to an athlete's sign-in. Answer: standing. Sent again it changes nothing.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("member", commonSchema("identifier"), "The athlete."),
                .init("version", ["type": "string"], "Of the text that the parent has read."),
                .init("sha256", ["type": "string", "pattern": "^[0-9a-f]{64}$"], "Of the text, from the same answer to standings."),
            ], feature: .consent,
            example: #"{"type":"consent","request":11,"member":"01910000-0000-7000-8000-000000000011","version":"huddle-consent-2","sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}"#)

        private var member: Identifier?
        private var version: String?
        private var digest: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "member": member = try reader.readIdentifier()
            case "version": version = try reader.readString()
            case "sha256":
                let text = try reader.readString()
                guard text.utf8.count == 64, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else {
                    throw content.refuse(.badFrame, "sha256 must be 64 hexadecimal digits in lower case", field: "sha256")
                }
                digest = text
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .consent(
                ConsentRequest(
                    request: try content.need(content.request, "request"), member: try content.need(member, "member"),
                    act: .give(version: try content.need(version, "version"), digest: try content.need(digest, "sha256"))))
        }
    }

    struct WithdrawConsentParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "withdraw_consent", "Withdraws a consent: the athlete's sessions end. Answer: standing. Sent again it changes nothing.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("member", commonSchema("identifier"), "The athlete."),
            ], feature: .consent, example: #"{"type":"withdraw_consent","request":12,"member":"01910000-0000-7000-8000-000000000011"}"#)

        private var member: Identifier?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "member": member = try reader.readIdentifier()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .consent(
                ConsentRequest(request: try content.need(content.request, "request"), member: try content.need(member, "member"), act: .withdraw))
        }
    }

    struct BirthDateParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "birth_date", "Corrects an athlete's birth date. It opens no sign-in by itself. Answer: standing. Sent again it changes nothing.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("member", commonSchema("identifier"), "The athlete."),
                .init("born", ["type": "string"], "YYYY-MM-DD."),
            ], feature: .consent,
            example: #"{"type":"birth_date","request":13,"member":"01910000-0000-7000-8000-000000000011","born":"2012-02-29"}"#)

        private var member: Identifier?
        private var born: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "member": member = try reader.readIdentifier()
            case "born": born = try reader.readString()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .consent(
                ConsentRequest(
                    request: try content.need(content.request, "request"), member: try content.need(member, "member"),
                    act: .born(try content.need(born, "born"))))
        }
    }

    struct LastDayParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "last_day", "Sets the last day of a guest. Answer: standing. Sent again it changes nothing.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("member", commonSchema("identifier"), "The guest."),
                .init("day", ["type": "string"], "YYYY-MM-DD, in the family's zone; left out: the guest stays.", required: false),
            ], feature: .consent,
            example: #"{"type":"last_day","request":14,"member":"01910000-0000-7000-8000-000000000012","day":"2026-08-31"}"#)

        private var member: Identifier?
        private var day: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "member": member = try reader.readIdentifier()
            case "day": day = try reader.readString()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .consent(
                ConsentRequest(
                    request: try content.need(content.request, "request"), member: try content.need(member, "member"), act: .lastDay(day)))
        }
    }
}

extension ConsentRequest {
    func encode(into writer: inout JSONWriter) {
        switch act {
        case .give: writer.word("consent")
        case .withdraw: writer.word("withdraw_consent")
        case .born: writer.word("birth_date")
        case .lastDay: writer.word("last_day")
        }
        writer.key("request")
        writer.integer(request)
        writer.key("member")
        writer.identifier(member)
        switch act {
        case .give(let version, let digest):
            writer.key("version")
            writer.string(version)
            writer.key("sha256")
            writer.string(digest)
        case .withdraw, .lastDay(nil): break
        case .born(let born):
            writer.key("born")
            writer.string(born)
        case .lastDay(let day?):
            writer.key("day")
            writer.string(day)
        }
    }
}
