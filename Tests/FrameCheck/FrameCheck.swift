import Family
import JSON
import Wire

/// Holds the frames that tests see to the contract in `proto/`: every test client gives each frame that it receives to `FrameCheck.problem`.
///
/// The schemas are those that `SchemaDocument` writes; a test of `WireTests` proves that `proto/schema` holds the same octets.
package enum FrameCheck {
    package enum Sender: String, Sendable { case client, server }

    /// The violations of the schema of a frame, or the catalogue of error sentences.
    ///
    /// - Parameter sentences: whether `message` of a refusal must be in `errors.json`; false for frames that a test made up.
    /// - Returns: one line for the failure of a test; `nil` for a frame that keeps the contract.
    package static func problem(_ octets: [UInt8], from sender: Sender = .server, sentences: Bool = true) -> String? {
        let frame: JSONTree
        do throws(JSONError) { frame = try JSONTree(octets) } catch { return "not JSON: \(error)" }
        let type = frame.members?["type"]?.text ?? ""
        do throws(SchemaValidator.Mismatch) {
            try validator.validate(frame, against: "schema/\(sender.rawValue)/\(type).json")
        } catch {
            return "breaks proto/schema/\(sender.rawValue)/\(type).json at \(error.place): \(error.problem): \(String(decoding: octets.prefix(2_000), as: UTF8.self))"
        }
        guard sentences, sender == .server, type == "reject" || type == "error" else { return nil }
        return sentenceProblem(frame.members?["code"]?.text ?? "", frame.members?["message"]?.text ?? "")
    }

    package static func problem(_ octets: UnsafeRawBufferPointer) -> String? { problem(Array(octets)) }

    /// Why a sentence is not one that `errors.json` lists for its code; `nil` for one that is.
    package static func sentenceProblem(_ code: String, _ message: String) -> String? {
        guard let code = ErrorCode(rawValue: code) else { return "\(code) is not in proto/errors.json" }
        if code.sentences.contains(where: { $0.matches(message) }) { return nil }
        // A frame whose content is refused, and whose number cannot be read, is answered with the sentence of the content.
        let content = ErrorCode.allCases.filter { $0.subject == "content" }
        if code == .badFrame, content.contains(where: { $0.sentences.contains { $0.matches(message) } }) { return nil }
        return "proto/errors.json lists no sentence of \(code.rawValue) that reads: \(message)"
    }

    /// Why the JSON of a refusal over HTTP is not one that `errors.json` lists; `nil` for one that is.
    package static func httpProblem(_ status: Int, _ content: [UInt8]) -> String? {
        guard let members = (try? JSONTree(content))?.members, let code = members["code"]?.text, let sentence = members["sentence"]?.text else {
            return "no code and sentence: \(String(decoding: content.prefix(2_000), as: UTF8.self))"
        }
        if HTTPRefusal.all.contains(where: { $0.allows(code, status, sentence) }) { return nil }
        if let rule = ErrorCode(rawValue: code), rule.httpStatus != status { return "\(code) comes with \(rule.httpStatus) over HTTP, not with \(status)" }
        return sentenceProblem(code, sentence)
    }

    private static let validator: SchemaValidator = {
        var documents: [String: JSONTree] = [:]
        for (path, octets) in SchemaDocument.files() where path.hasPrefix("schema/") {
            documents[path] = try? JSONTree(octets)
        }
        return SchemaValidator(documents: documents)
    }()
}

extension HTTPRefusal {
    fileprivate func allows(_ code: String, _ status: Int, _ sentence: String) -> Bool {
        code == self.code && (statuses + draftStatuses).contains(status) && sentences.contains { $0.matches(sentence) }
    }
}
