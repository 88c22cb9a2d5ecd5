internal import Bytes
internal import Family
internal import JSON
internal import Terminal

extension FormView {
    /// The input that would be lost; `nil` if the user typed nothing.
    package var draft: FormDraft? {
        guard isChanged else { return nil }
        let version = parts.first?.base?.version ?? 0
        // A new record keeps its whole input, including the initial values.
        let wanted = rows.filter { $0.isChanged || parts[$0.part].base == nil && !$0.isEmpty }
        return FormDraft(recipe, version: version, rows: wanted.map { row in
            let content: FormDraft.Content =
                switch row.current {
                case .typed(let text): .typed(text)
                case .choice(let place):
                    if case .choice(let words, _) = row.type { .choice(place.flatMap { words.indices.contains($0) ? words[$0] : nil }) } else { .choice(nil) }
                case .flag(let isOn): .flag(isOn)
                case .chosen(let ids): .chosen(ids)
                }
            var original: [Identifier]?
            if case .set = row.type, case .chosen(let ids) = row.original { original = ids }
            return FormDraft.Row(part: row.part, field: row.declaration?.name, content: content, original: original)
        })
    }

    /// Puts the input of an earlier run into a form that was created by the same recipe. The form is based on the
    /// version that the input was typed on. A change that others made since is therefore kept, or becomes a conflict,
    /// and is not lost.
    package mutating func restore(_ draft: FormDraft) {
        for kept in draft.rows {
            guard let place = rows.firstIndex(where: { $0.part == kept.part && $0.declaration?.name == kept.field }) else { continue }
            switch (kept.content, rows[place].content) {
            case (.typed(let text), .typed):
                rows[place].editor.set(text)
                rows[place].isTouched = true
            case (.choice(let word), .choice):
                guard case .choice(let words, _) = rows[place].type else { continue }
                rows[place].content = .choice(word.flatMap { words.firstIndex(of: $0) })
            case (.flag(let isOn), .flag): rows[place].content = .flag(isOn)
            case (.chosen(let ids), .chosen):
                if let original = kept.original, case .set = rows[place].type { rows[place].original = .chosen(original) }
                rows[place].content = .chosen(ids)
            default: continue
            }
        }
        check()
        if let base = parts.first?.base, base.version != draft.version {
            banner = "This was changed since you typed: look at every field before you save."
            if draft.version > 0 { parts[0].base?.version = min(base.version, draft.version) }
        }
    }
}
