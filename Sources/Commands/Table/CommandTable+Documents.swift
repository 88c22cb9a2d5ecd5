internal import Family

extension CommandTable {
    /// The commands for the files of documents. Their records are listed, changed and deleted like any other's.
    static let documents: [Command] = [
        Command(
            .upload, .documents, kind: .document, words: forms("upload"), arguments: [.init("FILE", .file, repeats: true)],
            options: [
                .init("--type", hint: "TYPE", value: .word(documentTypes), "its type: \(documentTypes.joined(separator: ", ")); with --replaces, as before"),
                .init("--title", hint: "TEXT", value: .text, "its title; else the name of the file, or that of the version before"),
                .init("--school", hint: "SCHOOL", value: .record([.school]), "the school that it is for"),
                .init("--description", hint: "TEXT", value: .text, "more about it"),
                .init("--replaces", hint: "DOCUMENT", value: .record([.document]), "upload as the next version of that document; older versions stay"),
                .init("--athlete", hint: "MEMBER", value: .record([.member]), "the athlete; otherwise the context's"),
            ], output: .records,
            "upload files to the family, one after the other",
            notes: "After an interruption the same command continues where it stopped. A file has at most 100 MB."),
        Command(
            .download, .documents, kind: .document, words: forms("download"), arguments: [.init("DOCUMENT", .record([.document]))],
            options: [.init("--output", hint: "FILE", value: .file, "a new file, or a folder; else its own name, beside what is there")], output: .records,
            "save a document's file",
            notes: "After an interruption it continues where it stopped. The file is compared with the one that was uploaded."),
        Command(
            .versions, .documents, kind: .document, words: forms("versions"), arguments: [.init("DOCUMENT", .record([.document]))], output: .records,
            "all versions of a document, the newest first",
            notes: "The list has the newest of each alone. Older ones stay, and are downloaded by their ids."),
        Command(
            .share, .documents, kind: .document, words: forms("share"), arguments: [.init("DOCUMENT", .record([.document]))],
            options: [
                .init("--school", hint: "SCHOOL", value: .record([.school]), required: true, "for whom; a new link takes the place of that school's old one"),
                .init("--days", hint: "N", value: .number, "how long it works (30; at most 365)"),
                .init("--yes", "replace the school's old link without asking on a terminal"),
            ], output: .link, "a link by which a coach opens it without a sign-in",
            notes: "The link is shown once. It counts how often it is opened, and huddle docs unshare revokes it."),
        Command(
            .shares, .documents, kind: .document, words: forms("shares"), arguments: [.init("DOCUMENT", .record([.document]))], output: .link,
            "the links of a document: for whom, until when, how often opened"),
        Command(
            .unshare, .documents, kind: .document, words: forms("unshare"),
            arguments: [.init("DOCUMENT", .record([.document])), .init("SCHOOL", .record([.school]), required: false)], output: .link,
            "end its links, or that of one school"),
        Command(
            .link, .documents, kind: .document, words: forms("link"), arguments: [.init("DOCUMENT", .record([.document]))], output: .link,
            "an address for your own browser that works for a few minutes"),
    ]

    /// The types of a document, from its declaration.
    package static var documentTypes: [String] {
        guard let field = Kind.document.declaration.fields.first(where: { $0.name == "type" }), case .choice(let words, _) = field.type else {
            return []
        }
        return words
    }

    private static func forms(_ word: String) -> [[String]] { [["docs", word], ["documents", word]] }
}
