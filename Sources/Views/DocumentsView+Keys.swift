internal import Bytes
internal import Commands
internal import Documents
internal import Family
internal import Queries
package import Terminal
internal import Words

/// The keys for documents.
extension DocumentsView {
    package mutating func handle(_ input: InputEvent) -> [DocumentsAction] { receive(input) }

    mutating func paste(_ text: String) {
        if form != nil {
            form?.paste(text)
        } else if input != nil {
            input?.paste(text)
        } else {
            seek(pasted: text)
        }
    }

    mutating func roll(_ count: Int) {
        if !isCovered { move(count * columns) }
    }

    mutating func page(_ count: Int) -> [DocumentsAction] {
        move(count * columns * 4)
        return []
    }

    /// Whether a dialog is open that the user has to close first.
    private var isCovered: Bool { isHelpOpen || madeLink != nil || form != nil || input != nil || question != nil || menu != nil }

    /// The names of click targets: a document by its position in the list, a line of the open document by its position,
    /// an entry of the menu.
    static let documentTarget = "document", placeTarget = "place", entryTarget = "entry", filterTarget = "filter"

    /// Handles a click. A second click on a selected document opens it.
    mutating func click(_ target: ClickTarget?) -> [DocumentsAction] {
        guard case .place(let name, let number)? = target else { return [] }
        isUntouched = false
        if name == Self.entryTarget, let menu, menu.entries.indices.contains(number) { return choose(number, in: menu) }
        guard !isCovered else { return [] }
        switch name {
        case Self.documentTarget where opened == nil && found.indices.contains(number):
            isSearching = false
            if found[number].id == selected { return run(.open) }
            selected = found[number].id
        case Self.filterTarget where filterWords.indices.contains(number): unfilter(number)
        case Self.placeTarget where places.indices.contains(number): (place, detailOffset) = (number, 0)
        default: break
        }
        return []
    }

    mutating func press(_ key: Terminal.Key) -> [DocumentsAction] {
        toast = nil
        isUntouched = false
        if let made = madeLink {
            // The link is never shown again, so a key that was meant for something else does not close it.
            let isCopied = key.typed == "y"
            if isCopied || key.code == .escape || key.code == .enter { madeLink = nil }
            return isCopied ? [.shared(.copy(made.url))] : []
        }
        if form != nil { return fill(key) }
        if input != nil { return type(key) }
        if let question { return answer(question, key) }
        if menu != nil { return choose(key) }
        if isSearching { return seek(key) }
        return dispatch(key, in: "documents")
    }

    /// The document that a key acts on: the selected one in the list, or the selected version.
    private var target: Record? {
        guard opened != nil else { return selectedIndex.map { found[$0] } }
        guard places.indices.contains(place), case .version(let id) = places[place] else { return opened.flatMap { records[$0] } }
        return records[id]
    }

    private var noFile: [DocumentsAction] {
        mutating get {
            toast = "This document has no file."
            return [.shared(.bell)]
        }
    }

    mutating func run(_ command: DocumentsCommand) -> [DocumentsAction] {
        switch command {
        case .next: move(columns)
        case .previous: move(-columns)
        case .right: move(1)
        case .left: move(-1)
        case .first: move(-found.count)
        case .last: move(found.count)
        case .open:
            guard let target else { return [.shared(.bell)] }
            guard DocumentWords.hasFile(target) else { return noFile }
            return [.open(target.id)]
        case .add: return begin(nil)
        case .version:
            guard let target else { return [.shared(.bell)] }
            return begin(versions(of: target.id).first ?? target)
        case .edit:
            guard let target else { return [.shared(.bell)] }
            return [.pane(.edit(target.id))]
        case .delete:
            if let opened, places.indices.contains(place), case .link(let id) = places[place] {
                guard let link = links?.first(where: { $0.id == id }), link.isOpen(at: now) else {
                    toast = "This link has ended already."
                    return [.shared(.bell)]
                }
                question = .revoke(id, of: opened, who: school(of: link))
                return []
            }
            guard let target else { return [.shared(.bell)] }
            question = .delete(target.id, title: RecordNames.name(target))
        case .download:
            guard let target else { return [.shared(.bell)] }
            guard DocumentWords.hasFile(target) else { return noFile }
            return [.askDownload(target.id)]
        case .share:
            guard let target else { return [.shared(.bell)] }
            guard !schools.isEmpty else {
                toast = "There is no school yet: /add school name=…"
                return [.shared(.bell)]
            }
            menu = Menu(purpose: .share(target.id), title: "A link for which school?", entries: schools.map(RecordNames.name))
        case .copyLink:
            toast = "A link can be copied when it is made: s makes one."
            return [.shared(.bell)]
        case .view:
            isGrid.toggle()
            return [.remember(isGrid: isGrid, filter.sort)]
        case .search:
            close()
            isSearching = true
        case .type:
            close()
            let words = CommandTable.documentTypes
            menu = Menu(
                purpose: .types, title: "Types", entries: words.map { "\(DocumentWords.glyph($0)) \(Self.label(ofType: $0))" },
                checked: Set(words.indices.filter { filter.types?.contains(words[$0]) == true }))
        case .school:
            close()
            menu = Menu(purpose: .school, title: "School", entries: ["All Schools"] + schools.map(RecordNames.name))
        case .shared:
            filter.shared = filter.shared == true ? nil : true
            apply()
        case .sort:
            let sorts: [Query.Sort?] = [nil, .oldest, .name, .type, .mostShared]
            filter.sort = sorts[((sorts.firstIndex(of: filter.sort) ?? 0) + 1) % sorts.count]
            apply()
            return [.remember(isGrid: isGrid, filter.sort)]
        case .unfilter: unfilter()
        case .clear: clear()
        case .stop:
            guard let running = transfers.first(where: { !$0.state.isOver }) else { return [.shared(.bell)] }
            question = .stop(running.number, title: running.title)
        case .again:
            let failed = transfers.last(where: \.state.isFailed)
            if let failed { return [.again(failed.number)] }
            if let opened, linksFailure != nil { return [.open(opened)] }
            // No transfer failed, so the view asks to retry the server immediately instead of after the wait.
            return [.hurry]
        case .back:
            if opened != nil {
                close()
            } else if !search.text.isEmpty {
                search.set("")
                apply()
            } else if !filterWords.isEmpty {
                clear()
            } else {
                return [.shared(.stepBack)]
            }
        case .close:
            guard opened == nil else {
                close()
                return []
            }
            // R128: the next visit begins with all documents.
            clear()
            return [.shared(.close)]
        }
        return []
    }

    /// Removes the last filter in the head line.
    private mutating func unfilter() {
        if search.text.isEmpty { return unfilter(filterWords.count - 1) }
        search.set("")
        apply()
    }

    /// Removes one active filter, by its position in `filterWords`.
    mutating func unfilter(_ place: Int) {
        let types = CommandTable.documentTypes.filter { filter.types?.contains($0) == true }
        let hasSchool = filter.named[.school] != nil
        if types.indices.contains(place) {
            filter.types?.remove(types[place])
            if filter.types?.isEmpty == true { filter.types = nil }
        } else if hasSchool, place == types.count {
            forgetSchool()
        } else if place == types.count + (hasSchool ? 1 : 0) {
            filter.shared = nil
        }
        apply()
    }

    private mutating func move(_ count: Int) {
        if opened != nil {
            let step = count.signum()
            let wanted = place + step
            guard places.indices.contains(wanted) else {
                detailOffset = max(detailOffset + step, 0)
                return
            }
            place = wanted
        } else if !found.isEmpty {
            selected = found[min(max((selectedIndex ?? 0) + count, 0), found.count - 1)].id
        }
    }

    func school(of link: ShareLink) -> String { link.school.map { names[$0] ?? "a school" } ?? "anybody" }
}
