import Family
import Posix
import Screen
import Sessions
import Terminal
import Views

extension FullScreenClient {
    /// Keeps the text that was typed since the last call.
    func keepTyping() {
        typing.due = nil
        guard typing.isRestored, let cache = session.cache else { return }
        var places: [String: Cache.Place] = [:]
        places["room"] = open.room.typed
        for case (.form(let number), let form as FormBuffer) in open.views { places["form \(number)"] = form.typed }
        for (number, place) in open.documents.typed.enumerated() { places["upload \(number + 1)"] = place }
        places["kept"] = open.kept.typed
        var number = 1
        for place in typing.unrestored {
            while places["form \(number)"] != nil { number += 1 }
            places["form \(number)"] = place
        }
        var changed = places.filter { typing.kept[$0.key] != $0.value }
        for name in typing.kept.keys where places[name] == nil { changed[name] = Cache.Place() }
        do {
            // All in one write: a form whose number has changed is now kept under another form's name.
            try cache.keep(changed, input: typing.lines)
            typing.kept = places
            typing.lines = []
        } catch {
            // Without a place to keep it, everything else continues; the session has reported the problem.
            typing.due = Clock.monotonicMilliseconds() + Typing.again
        }
    }

    /// Restores the typed text of an earlier run, once the records are present.
    func restoreTyping() {
        guard !typing.isRestored, let cache = session.cache else { return }
        typing.isRestored = true
        open.room.remember((try? cache.input()) ?? [])
        typing.kept = (try? cache.conversations()) ?? [:]
        if let place = typing.kept["room"], !place.text.isEmpty {
            if open.room.restore(place) {
                open.room.tell(["Restored your unsent message. Ctrl-C clears it."])
            } else {
                setAside(place, place.text, "Your earlier text")
            }
        }
        for (name, place) in typing.kept.sorted(by: { $0.key < $1.key }) where name.hasPrefix("form ") {
            guard open.formCount < Typing.mostForms else {
                typing.unrestored.append(place)
                continue
            }
            let draft = FormDraft(text: place.text)
            if let key = draft.flatMap({ restore($0) }), let number = open.list.number(of: key) {
                open.room.tell(["Restored an unsaved form: Alt-\(number)."])
            } else {
                setAside(place, draft.map(\.words) ?? place.text, "The record of a form is gone: your text from that form")
            }
        }
        if !typing.unrestored.isEmpty {
            let count = typing.unrestored.count
            open.room.tell(["\(count == 1 ? "1 more form that was" : "\(count) more forms that were") not saved \(count == 1 ? "is" : "are") kept: save or discard some of those that are open, and start huddle again."])
        }
        let uploads = typing.kept.filter { $0.key.hasPrefix("upload ") }.sorted { $0.key < $1.key }.map(\.value)
        if !uploads.isEmpty, open.documents.restore(uploads, self), let number = open.list.number(of: .documents) {
            open.room.tell(["Restored the form of an upload: Alt-\(number) shows it."])
        }
        if let place = typing.kept["kept"], open.kept.restore(place, self), let number = open.list.number(of: .kept) {
            open.room.tell(["Restored your choices for a conflict: Alt-\(number) shows it."])
        }
        // Restored buffers have new names, and set-aside texts have none.
        typing.note()
    }

    /// Saves a typed text that no view can show again in a file of its own.
    ///
    /// - Parameter what: the beginning of the sentence that names the file.
    private func setAside(_ place: Cache.Place, _ text: String, _ what: String) {
        guard let path = pathForKeeping, (try? Files.write(Array((text.isEmpty ? place.text : text).utf8), to: path)) != nil else {
            return typing.unrestored.append(place)
        }
        open.room.tell(["\(what) is kept in the file \(path.printable)."])
    }

    /// The path of a new file in the folder of the cache; `nil` if nothing can be kept.
    private var pathForKeeping: String? {
        guard let folder = session.cache?.lastingFolder else { return nil }
        return (1...Typing.mostFiles).lazy.map { "\(folder)/typed-\($0).txt" }.first { !Files.exists($0) }
    }

    /// Passes the text of the person's own editor to the view that asked for it, and keeps it before the editor's file
    /// is deleted. A text that does not fit is kept as a file.
    ///
    /// - Parameter text: `nil` if the editor failed.
    func take(_ text: String?, from editor: ExternalEditor, _ done: (String) -> Void) {
        if let text {
            done(text)
            keepTyping()
            guard text.count > LineEditor.limit else { return }
        }
        guard let path = editor.keep(at: pathForKeeping) else { return }
        tell(
            text == nil
                ? "The editor ended with an error, or its text is too long, so nothing was changed here: its text is kept in the file \(path.printable)."
                : "Only the first \(LineEditor.limit) characters have room here: all of the text is kept in the file \(path.printable).")
    }

    /// Keeps a line that was sent, for the history of the next run.
    func remember(_ line: String) {
        typing.lines.append(line)
        if typing.lines.count > Typing.mostLines { typing.lines.removeFirst() }
        typing.note()
    }
}
