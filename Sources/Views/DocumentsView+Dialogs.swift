internal import Bytes
internal import Commands
internal import Documents
internal import Family
internal import Queries
internal import Terminal
internal import Words

/// The dialogs over the documents: a file to upload, a path, a choice, a confirmation.
extension DocumentsView {
    mutating func fill(_ key: Terminal.Key) -> [DocumentsAction] {
        guard var form else { return [] }
        let outcome = form.press(key, keymap)
        self.form = form
        switch outcome {
        case .goesOn: return []
        case .cancelled:
            self.form = nil
            // Open the next form that an earlier run saved.
            openKept()
            countVersion()
            return []
        case .shared(let action): return [.shared(action)]
        case .completePath(let path): return [.completePath(path)]
        case .done(let description): return [.upload(description)]
        }
    }

    mutating func dropInput() { (input, question) = (nil, nil) }

    mutating func accept(_ text: String) -> [DocumentsAction] {
        guard case .download(let document)? = question, text.contains(where: { !$0.isWhitespace }) else { return [.shared(.bell)] }
        dropInput()
        return [.download(document, to: text)]
    }

    mutating func answer(_ question: Question, _ key: Terminal.Key) -> [DocumentsAction] {
        self.question = nil
        guard key.typed?.lowercased() == "y" else { return [] }
        switch question {
        case .delete(let id, _):
            return [.pane(.submit("/rm document \(id)"))]
        case .revoke(let link, let document, _): return [.revoke(link, of: document)]
        case .stop(let number, _): return [.stop(number)]
        case .replace(let document, let school, _): return [.share(document, school: school)]
        case .download: return []
        }
    }

    mutating func choose(_ key: Terminal.Key) -> [DocumentsAction] {
        guard var open = menu else { return [] }
        switch (key.code, key.modifiers) {
        case (.escape, []), (.character("q"), []), (.character("c"), .control):
            menu = nil
            return []
        case (.down, []), (.character("j"), []): open.selected = min(open.selected + 1, max(open.entries.count - 1, 0))
        case (.up, []), (.character("k"), []): open.selected = max(open.selected - 1, 0)
        case (.character(" "), []) where open.purpose == .types: return choose(open.selected, in: open)
        case (.enter, []):
            guard open.purpose == .types else { return choose(open.selected, in: open) }
            menu = nil
            return []
        default:
            guard let digit = key.typed?.wholeNumberValue, open.entries.indices.contains(digit - 1) else { return [] }
            return choose(digit - 1, in: open)
        }
        menu = open
        return []
    }

    /// Handles an entry of the menu; in a menu with several choices it turns the entry on or off.
    mutating func choose(_ place: Int, in open: Menu) -> [DocumentsAction] {
        guard open.purpose == .types else {
            menu = nil
            return take(open, place)
        }
        var open = open
        open.selected = place
        open.checked.formSymmetricDifference([place])
        menu = open
        let words = CommandTable.documentTypes
        let on = open.checked.compactMap { words.indices.contains($0) ? words[$0] : nil }
        filter.types = on.isEmpty ? nil : Set(on)
        apply()
        return []
    }

    private mutating func take(_ menu: Menu, _ index: Int) -> [DocumentsAction] {
        switch menu.purpose {
        case .types: return []
        case .school:
            filter.named[.school] = index > 0 && schools.indices.contains(index - 1) ? schools[index - 1].id.description : nil
            if filter.named[.school] == nil { forgetSchool() } else { try? filter.resolve(RecordNames(schools)) }
            apply()
            return []
        case .share(let document):
            guard schools.indices.contains(index) else { return [.shared(.bell)] }
            let school = schools[index]
            let hasLink =
                opened == document && links != nil
                ? links?.contains { $0.school == school.id && $0.isOpen(at: now) } == true
                : records[document]?.fields.set("shared_with_schools").contains { $0.id == school.id } == true
            guard hasLink else { return [.share(document, school: school.id)] }
            question = .replace(document, school: school.id, who: RecordNames.name(school))
            return []
        }
    }

    mutating func begin(_ replaced: Record?) -> [DocumentsAction] {
        var owner = replaced?.athlete
        if owner == nil, case .athlete(let id) = context { owner = id }
        form = UploadForm(
            schools: schoolChoices, athletes: athletes, athlete: owner,
            replaces: replaced.map { (.init($0.id, RecordNames.name($0)), $0.fields.text("type"), $0.fields.reference("school_id")) })
        countVersion()
        return []
    }

    /// Computes the number of the version that the form creates. The new version follows the last one in the chain,
    /// even if other versions were uploaded in the meantime.
    mutating func countVersion() {
        guard var id = form?.replaces?.id else { return }
        // The loop takes at most as many steps as there are records, so a circle of versions ends it.
        for _ in records.indices { if let next = newer[id] { id = next } else { break } }
        if case .integer(let number)? = records[id]?.fields["version"] { form?.version = number + 1 } else { form?.version = nil }
    }

    /// The texts of forms that were not sent, including forms that are not open yet.
    package var typedForms: [String] { (form?.kept.map { [$0] } ?? []) + keptForms }

    /// Restores the forms that earlier runs saved, one form after the other.
    package mutating func restore(forms: [String]) {
        keptForms += forms
        openKept()
        countVersion()
    }

    mutating func openKept() {
        while form == nil, !keptForms.isEmpty { form = UploadForm(kept: keptForms.removeFirst(), schools: schoolChoices, athletes: athletes) }
    }

    mutating func forgetSchool() {
        // A new filter: the previous one caches its lookups.
        var fresh = ListFilter(.document)
        (fresh.types, fresh.shared, fresh.sort) = (filter.types, filter.shared, filter.sort)
        filter = fresh
    }
}
