internal import Arguments
internal import Terminal

/// Reads the commands that upload, download and share the files of documents.
extension CommandReader {
    /// - Returns: `nil` if the command is about something else.
    func documentRequest() throws(UsageError) -> DocumentRequest? {
        switch command.verb {
        case .upload:
            guard !list.positional.isEmpty else { throw usage }
            var description = DocumentRequest.Description(
                type: list.value("--type"), title: list.value("--title")?.trimmed, school: list.value("--school"),
                text: list.value("--description"), replaces: list.value("--replaces"), athlete: list.value("--athlete"))
            if let type = description.type {
                // Types are accepted as people write them: "rec-letter", "Highlight Video".
                let word = type.lowercased().split { $0 == " " || $0 == "-" || $0 == "_" }.joined(separator: "_")
                guard CommandTable.documentTypes.contains(word) else {
                    throw UsageError("--type is one of \(CommandTable.documentTypes.joined(separator: ", ")).")
                }
                description.type = word
            } else if description.replaces == nil {
                throw UsageError("Add --type: one of \(CommandTable.documentTypes.joined(separator: ", ")).")
            }
            if list.positional.count > 1 {
                if description.title != nil { throw UsageError("--title names one file. Leave it out: each has its own name then.") }
                if description.replaces != nil { throw UsageError("--replaces takes one file: the next version.") }
            }
            if description.title == "" { throw UsageError("Title is required.") }
            return .upload(list.positional, description)
        case .download: return .download(try one(), to: list.value("--output"))
        case .versions: return .versions(try one())
        case .share:
            let document = try one()
            guard let school = list.value("--school") else { throw UsageError("For which school is it? Take --school.") }
            return .share(document, school: school, days: try list.integer("--days", in: 1...365), isSure: list.has("--yes"))
        case .shares: return .shares(try one())
        case .unshare:
            guard let document = list.positional.first, list.positional.count <= 2 else { throw usage }
            return .unshare(document, school: list.positional.dropFirst().first)
        case .link: return .link(try one())
        case .exportFamily: return .family(to: try one(), isPrivate: list.has("--private"))
        default: return nil
        }
    }
}
