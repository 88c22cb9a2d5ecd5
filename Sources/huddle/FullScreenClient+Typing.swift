import Client
import Family
import Posix
import Views

/// What is typed and not sent: kept on this machine while one types, so that it stands there again however the program ended.
struct Typing {
    /// Milliseconds after a key until it is kept: no key waits for a disk, and whoever pulls the plug loses a word at most.
    static let delay: Int64 = 100
    /// Forms that are open at once: more than anybody is in the middle of.
    static let mostForms = 8

    /// When it is to be kept, by the monotonic clock; `nil` when nothing was typed since.
    fileprivate(set) var due: Int64?
    /// What is kept, by the name of the buffer.
    fileprivate var kept: [String: Cache.Place] = [:]
    fileprivate var isRestored = false
    /// Lines that were sent and are not in the history of the next run yet.
    fileprivate var lines: [String] = []

    mutating func note() { if due == nil { due = Clock.monotonicMilliseconds() + Self.delay } }

    /// Something was sent, which is not to be found again as typed: kept as soon as the frame is out.
    mutating func noteSent() { due = 0 }
}

extension FullScreenClient {
    /// Keeps what has been typed since the last time.
    func keepTyping() {
        typing.due = nil
        let lines = typing.lines
        typing.lines = []
        guard typing.isRestored, let cache = session.cache else { return }
        var places: [String: Cache.Place] = [:]
        places["room"] = room.typed
        for case (.form(let number), let form as FormBuffer) in views { places["form \(number)"] = form.typed }
        for (number, place) in documents.typed.enumerated() { places["upload \(number + 1)"] = place }
        places["kept"] = kept.typed
        // Without a place to keep it everything goes on; the session has said so.
        for line in lines { try? cache.keep(input: line) }
        for (name, place) in places where typing.kept[name] != place { try? cache.keep(place, of: name) }
        for name in typing.kept.keys where places[name] == nil { try? cache.keep(Cache.Place(), of: name) }
        typing.kept = places
    }

    /// Puts back what an earlier run left, once the records are there.
    func restoreTyping() {
        guard !typing.isRestored, let cache = session.cache else { return }
        typing.isRestored = true
        room.remember((try? cache.input()) ?? [])
        typing.kept = (try? cache.conversations()) ?? [:]
        if let place = typing.kept["room"], room.restore(place) { room.tell(["What you had typed is still here, below. Ctrl-C drops it."]) }
        for (name, place) in typing.kept.sorted(by: { $0.key < $1.key }) where name.hasPrefix("form ") {
            guard let draft = FormDraft(text: place.text), let key = restore(draft), let number = buffers.number(of: key) else { continue }
            room.tell(["A form that was not saved is open again: Alt-\(number) shows it."])
        }
        let uploads = typing.kept.filter { $0.key.hasPrefix("upload ") }.sorted { $0.key < $1.key }.map(\.value)
        if !uploads.isEmpty, documents.restore(uploads, self), let number = buffers.number(of: .documents) {
            room.tell(["A file that you were about to upload is still asked about: Alt-\(number) shows it."])
        }
        if let place = typing.kept["kept"], kept.restore(place, self), let number = buffers.number(of: .kept) {
            room.tell(["What you chose and wrote for a conflict is still here: Alt-\(number) shows it."])
        }
    }

    /// Keeps a line that was sent, for the history of the next run.
    func remember(_ line: String) {
        typing.lines.append(line)
        typing.note()
    }
}
