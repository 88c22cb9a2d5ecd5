import Arguments
import Commands
import Testing

@Suite("Commands for the files of documents")
struct DocumentRequestTests {
    private func request(_ words: String...) throws -> DocumentRequest? {
        guard case .document(let request) = try Invocation(words).action else { return nil }
        return request
    }

    @Test("The words docs and documents mean the same; a type is read in the words that people use", arguments: ["rec_letter", "rec-letter", "Rec Letter"])
    func upload(type: String) throws {
        for word in ["docs", "documents"] {
            guard case .upload(let files, let description)? = try request(word, "upload", "a.pdf", "--type", type, "--title", " Coach A ") else {
                Issue.record("no upload")
                return
            }
            #expect(files == ["a.pdf"])
            #expect(description.type == "rec_letter")
            #expect(description.title == "Coach A")
        }
    }

    @Test("Missing words, and words that exclude each other, are reported in a sentence", arguments: [
        (["docs", "upload"], "Write: huddle docs upload FILE…"),
        (["docs", "upload", "a.pdf"], "Add --type: one of highlight_video, transcript, resume, rec_letter, questionnaire, stats_sheet."),
        (["docs", "upload", "a.pdf", "--type", "poem"], "--type is one of highlight_video, transcript, resume, rec_letter, questionnaire, stats_sheet."),
        (["docs", "upload", "a", "b", "--type", "resume", "--title", "x"], "--title names one file. Leave it out: each has its own name then."),
        (["docs", "upload", "a", "b", "--replaces", "x"], "--replaces takes one file: the next version."),
        (["docs", "upload", "a", "--type", "resume", "--title", "  "], "Title is required."),
        (["docs", "download"], "Write: huddle docs download DOCUMENT"),
        (["docs", "unshare", "a", "b", "c"], "Write: huddle docs unshare DOCUMENT [SCHOOL]"),
    ])
    func refused(words: [String], sentence: String) {
        #expect { try Invocation(words) } throws: { ($0 as? UsageError)?.message == sentence }
    }

    @Test("A new version needs no type; the other commands keep their words")
    func others() throws {
        guard case .upload(_, let description)? = try request("docs", "upload", "b.pdf", "--replaces", "transcript") else {
            Issue.record("no upload")
            return
        }
        #expect(description.type == nil && description.replaces == "transcript")
        #expect(try request("docs", "download", "x", "--output", "y") == .download("x", to: "y"))
        #expect(try request("docs", "share", "x", "--school", "Iowa", "--days", "7") == .share("x", school: "Iowa", days: 7, isSure: false))
        #expect(throws: UsageError.self) { try request("docs", "share", "x", "--days", "366") }
        #expect(try request("docs", "shares", "x") == .shares("x"))
        #expect(try request("docs", "unshare", "x", "Iowa") == .unshare("x", school: "Iowa"))
        #expect(try request("docs", "link", "x") == .link("x"))
        guard case .list? = Optional(try Invocation(["docs"]).action) else {
            Issue.record("no list")
            return
        }
    }
}
