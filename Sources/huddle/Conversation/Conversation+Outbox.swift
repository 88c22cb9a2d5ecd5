import Arguments
import Commands
import Documents
import Family
import Sessions
import Sync
import Terminal
import Words

extension Conversation {
    /// Carries out a command about waiting and refused changes.
    func perform(_ request: OutboxRequest) throws {
        let engine = session.engine
        switch request {
        case .list:
            let waiting = engine.pending
            let files = session.cache?.keptTransfers() ?? []
            if waiting.isEmpty, engine.drafts.isEmpty, files.isEmpty { return print("Nothing waits, and nothing was refused.") }
            if !waiting.isEmpty {
                let kept = session.keepsWhatWaits ? "" : ", only as long as huddle runs"
                print(waiting.count == 1 ? "1 change waits\(kept):" : "\(waiting.count) changes wait\(kept):")
            }
            for mutation in waiting { print("   \(text.waiting(mutation))") }
            if !engine.drafts.isEmpty { showDrafts() }
            if !files.isEmpty { print(files.count == 1 ? "1 file is on its way:" : "\(files.count) files are on their way:") }
            lists.files = (try? session.cache?.transfers().map(\.number)) ?? []
            for (place, file) in files.enumerated() { print("f\(place + 1). \(file.words)") }
        case .send:
            if engine.phase != .live { session.hurry() }
            print(engine.pending.isEmpty ? "Nothing waits." : "Trying now.")
        case .retry(let number): _ = try session.retry(draft: try draft(number).id)
        case .drop(let number):
            if let place = OutboxRequest.file(number) { return try drop(file: place, number) }
            let draft = try draft(number)
            _ = session.drop(draft: draft.id)
            print("Discarded: \(text.draft(draft))")
        case .resolve(let number, let words): try resolve(number, words)
        }
    }

    /// The draft of a number in the list that was shown last.
    func draft(_ number: String) throws(UsageError) -> Draft { try OutboxRequest.draft(number, session.engine.drafts, listed: lists.drafts) }

    /// Stops a transfer for good. The server deletes its part of an upload after a while; the local part of a download
    /// stays.
    private func drop(file place: Int, _ number: String) throws {
        guard let cache = session.cache, let files = try? cache.transfers() else {
            throw UsageError("Nothing can be kept on this machine, so that no file has a number.")
        }
        let listed = lists.files ?? files.map(\.number)
        guard listed.indices.contains(place) else {
            throw UsageError("No file on its way has the number \(number.printable). /outbox shows their numbers.")
        }
        guard let (kept, transfer) = files.first(where: { $0.number == listed[place] }) else {
            throw UsageError("The file that had the number \(number.printable) is done or stopped already. /outbox numbers what is left.")
        }
        // If a thread of this program transfers the file, that thread stops first.
        if options.stopFile?(kept) != true { try cache.forget(transfer: kept) }
        print("\(transfer.title.printable) is stopped.")
    }

    /// `/conflicts`: both sides of each change that was refused because another member changed the same field.
    func showConflicts() {
        let engine = session.engine
        lists.drafts = engine.drafts.map(\.id)
        var isNone = true
        for (index, draft) in engine.drafts.enumerated() {
            guard let sides = engine.conflict(of: draft.id) else { continue }
            isNone = false
            print("\(index + 1). \(text.draft(draft))")
            output += text.conflict(sides).map { "   " + $0 }
            let fields = sides.contested.map { sides.record.kind.declaration.fields[$0.field].name }
            let example = fields.first.map { " · /resolve \(index + 1) \($0)=both" } ?? ""
            print("   /resolve \(index + 1) yours · /resolve \(index + 1) theirs\(fields.isEmpty ? "" : example)")
        }
        if isNone { print(engine.drafts.isEmpty ? "No conflicts." : "No conflicts; changes refused for other reasons are in /drafts.") }
    }

    /// Decides a conflict; without words it shows both sides.
    func resolve(_ number: String, _ words: [String]) throws {
        let draft = try draft(number)
        guard let sides = session.engine.conflict(of: draft.id) else {
            throw UsageError("Nobody changed the same: /retry \(number.printable) sends it again, /drop \(number.printable) discards it.")
        }
        guard !words.isEmpty else { return output += text.conflict(sides) }
        let (fields, whole) = try OutboxRequest.choices(words, sides)
        if try session.resolve(sides, fields, whole: whole) == nil { print("Theirs stays; yours is let go.") }
    }

    /// The lines about waiting changes before the person leaves; `nil` if the changes would be lost and the person has
    /// not been warned yet.
    func farewell() -> [String]? {
        let waiting = session.engine.waitingCount
        guard waiting > 0 else { return [] }
        guard session.keepsWhatWaits else { return nil }
        return [waiting == 1 ? "1 change waits; it is sent when huddle runs next." : "\(waiting) changes wait; they are sent when huddle runs next."]
    }
}
