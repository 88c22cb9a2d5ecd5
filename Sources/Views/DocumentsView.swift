package import Bytes
package import Client
package import Family
package import Queries
package import Terminal

/// Documents: a grid or a list with filters and figures, one with its versions and links, uploads and downloads on their way. Pure.
///
/// Source: R118–R149.
package struct DocumentsView: Sendable {
    /// A list from which one or several are chosen.
    struct Menu: Hashable, Sendable {
        enum Purpose: Hashable, Sendable {
            case types, school, share(Identifier)
        }

        let purpose: Purpose
        let title: String
        let entries: [String]
        /// Those that are on, where several may be.
        var checked: Set<Int> = []
        var selected = 0
    }

    enum Question: Hashable, Sendable {
        case delete(Identifier, title: String)
        case revoke(String, of: Identifier, who: String)
        case stop(Int, title: String)
        case download(Identifier)
    }

    /// A line in the open document that one can stand on.
    enum Place: Hashable, Sendable {
        case version(Identifier)
        case link(String)
    }

    package private(set) var filter = ListFilter(.document)
    package private(set) var isGrid = true
    /// The newest versions of the context, and those that the filter leaves, in its order.
    package private(set) var all: [Record] = []
    package private(set) var found: [Record] = []
    package private(set) var selected: Identifier?
    /// The server's figures; without them those of what is here are shown.
    package var figures: Statistics.Documents?
    /// One's own transfers, oldest first.
    package var transfers: [TransferRow] = []
    /// Uploads of others, as sentences with a percentage or without.
    package private(set) var others: [(words: String, percent: Int?)] = []
    /// The document that is open, with the lines of its fields.
    package private(set) var opened: Identifier?
    package private(set) var detail: [String] = []
    /// Its links; `nil` while nobody knows.
    package private(set) var links: [ShareLink]?
    /// A link that was just made: it is shown only now.
    package private(set) var madeLink: (url: String, words: String)?
    package private(set) var form: UploadForm?
    package private(set) var isSearching = false
    package private(set) var isHelpOpen = false
    /// Words for the person, for whoever shows them.
    package var toast: String?
    package var theme: Theme
    package var keymap: Keymap
    /// Of the screen: how many cards stand beside each other.
    package var size: Size
    var search = LineField("Search: ")
    var menu: Menu?
    var question: Question?
    var input: LineField?
    var place = 0
    var detailOffset = 0
    var chord = ChordReader()
    /// Every version, by id.
    private(set) var records: [Identifier: Record] = [:]
    private(set) var names: [Identifier: String] = [:]
    private var schools: [Record] = []
    private var athletes: [UploadForm.Choice] = []
    private(set) var context = Context.all
    /// UTC milliseconds, for links that are over.
    var now: Int64 = 0
    var day: @Sendable (Int64) -> String = { _ in "" }

    package init(size: Size, theme: Theme, keymap: Keymap) {
        self.size = size
        self.theme = theme
        self.keymap = keymap
    }

    /// Shows these.
    ///
    /// - Parameters:
    ///   - names: what records of any kind are called.
    ///   - day: the date of UTC milliseconds, `YYYY-MM-DD`.
    package mutating func show(_ documents: [Record], names: RecordNames, context: Context, now: Int64, day: @escaping @Sendable (Int64) -> String) {
        (self.now, self.day, self.context) = (now, day, context)
        let own = documents.filter { record in
            if case .athlete(let id) = context { record.athlete == id } else { true }
        }
        records = Dictionary(own.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        all = own.filter { $0.fields.flag("is_current") }
        schools = names.records(of: .school).sorted { RecordNames.name($0) < RecordNames.name($1) }
        let members = names.records(of: .member)
        athletes = members.filter { $0.fields.text("role") == Family.Role.athlete.rawValue }.map { .init($0.id, RecordNames.name($0)) }.sorted { $0.name < $1.name }
        self.names = Dictionary((schools + members).map { ($0.id, RecordNames.name($0)) }, uniquingKeysWith: { first, _ in first })
        if let opened, records[opened] == nil { close() }
        apply()
    }

    package mutating func show(uploads: [(words: String, percent: Int?)]) { others = uploads }

    package mutating func showDetail(_ document: Identifier, _ lines: [String]) {
        guard records[document] != nil else { return }
        if opened != document { (links, place, detailOffset) = (nil, 0, 0) }
        (opened, detail) = (document, lines)
    }

    /// The links of the open document.
    package mutating func show(links: [ShareLink], of document: Identifier) {
        guard document == opened else { return }
        self.links = links
        place = min(place, max(places.count - 1, 0))
    }

    /// A link that was made: shown until a key, because the server keeps no more than a digest of it.
    package mutating func show(made url: String, _ words: String) { madeLink = (url, words) }

    /// As one likes to see them.
    package mutating func restore(isGrid: Bool, _ sort: Query.Sort?) {
        self.isGrid = isGrid
        filter.sort = sort
        apply()
    }

    package mutating func complain(_ field: UploadForm.Field, _ sentence: String) { form?.complain(field, sentence) }
    package mutating func closeForm() { form = nil }
    package mutating func complete(_ path: String, _ options: [String]) { form?.complete(path, options) }

    /// Where a file is to be put.
    package mutating func askForPlace(_ document: Identifier, _ suggestion: String) {
        question = .download(document)
        input = LineField("Save as: ", text: suggestion)
    }

    private mutating func apply() {
        filter.text = search.text
        found = filter.apply(all, today: "", context: .all)
        if selectedIndex == nil { selected = found.first?.id }
    }

    private mutating func close() { (opened, detail, links, madeLink) = (nil, [], nil, nil) }

    var selectedIndex: Int? { found.firstIndex { $0.id == selected } }
    var columns: Int { isGrid ? (size.columns < 52 ? 1 : size.columns < 100 ? 2 : 3) : 1 }

    /// A document and its earlier versions, newest first.
    func versions(of document: Identifier) -> [Record] {
        var chain: [Record] = []
        var seen: Set<Identifier> = []
        var next = Optional(head(of: document))
        while let id = next, let record = records[id], seen.insert(id).inserted {
            chain.append(record)
            next = record.fields.reference("replaces")
        }
        return chain
    }

    private func head(of document: Identifier) -> Identifier {
        var head = document
        for _ in 0..<records.count {
            guard let newer = records.values.first(where: { $0.fields.reference("replaces") == head }) else { break }
            head = newer.id
        }
        return head
    }

    /// What one can stand on in the open document.
    var places: [Place] {
        guard let opened else { return [] }
        return versions(of: opened).map { .version($0.id) } + (links ?? []).map { .link($0.id) }
    }

    /// The filters that are on, in words (R126).
    package var filterWords: [String] {
        var words = (filter.types ?? []).sorted().map { "Type: \(Self.label(ofType: $0))" }
        if let school = filter.named[.school].flatMap({ Identifier($0) }) { words.append("School: \(names[school] ?? "")") }
        if filter.shared == true { words.append("Shared") }
        return words
    }

    static func label(ofType word: String) -> String {
        guard let index = Kind.document.declaration.index(of: "type"), case .choice(let words, let labels) = Kind.document.declaration.fields[index].type,
            let place = words.firstIndex(of: word), labels.indices.contains(place)
        else { return word.printable }
        return labels[place]
    }

    // MARK: Keys

    package mutating func handle(_ input: InputEvent) -> [DocumentsAction] {
        switch input {
        case .key(let key): return press(key)
        case .paste(let text):
            if form != nil {
                form?.paste(text)
            } else if self.input != nil {
                self.input?.paste(text)
            } else if isSearching {
                search.paste(text)
                apply()
            }
            return []
        case .mouse(let mouse):
            switch mouse.action {
            case .wheelUp: move(-columns)
            case .wheelDown: move(columns)
            case .press, .release, .drag: break
            }
            return []
        case .focus: return []
        }
    }

    private mutating func press(_ key: Terminal.Key) -> [DocumentsAction] {
        toast = nil
        if isHelpOpen {
            isHelpOpen = false
            return []
        }
        if let made = madeLink {
            madeLink = nil
            return key.typed == "y" ? [.pane(.shared(.copy(made.url)))] : []
        }
        if form != nil { return fill(key) }
        if input != nil { return type(key) }
        if let question { return answer(question, key) }
        if menu != nil { return choose(key) }
        if isSearching { return seek(key) }
        switch chord.feed(key, keymap, in: ["documents"]) {
        case .waiting, .undefined: return []
        case .unbound(let key):
            isHelpOpen = key == .character("?")
            return []
        case .action(let name):
            if let shared = SharedAction(named: name) { return [.pane(.shared(shared))] }
            if let command = DocumentsCommand(rawValue: name) { return run(command) }
            switch RoomCommand(rawValue: name) {
            case .help: isHelpOpen = true
            case .pageUp: move(-columns * 4)
            case .pageDown: move(columns * 4)
            default: break
            }
            return []
        }
    }

    private mutating func fill(_ key: Terminal.Key) -> [DocumentsAction] {
        guard var form else { return [] }
        let outcome = form.press(key, keymap)
        self.form = form
        switch outcome {
        case .goesOn: return []
        case .cancelled:
            self.form = nil
            return []
        case .shared(let action): return [.pane(.shared(action))]
        case .completePath(let path): return [.completePath(path)]
        case .done(let wish): return [.upload(wish)]
        }
    }

    private mutating func type(_ key: Terminal.Key) -> [DocumentsAction] {
        guard var field = input else { return [] }
        let outcome = field.press(key, keymap)
        input = field
        switch outcome {
        case .typing, .tab, .outside: return []
        case .shared(let action): return [.pane(.shared(action))]
        case .cancelled:
            (input, question) = (nil, nil)
            return []
        case .accepted(let text):
            guard case .download(let document)? = question, text.contains(where: { !$0.isWhitespace }) else { return [.pane(.shared(.bell))] }
            (input, question) = (nil, nil)
            return [.download(document, to: text)]
        }
    }

    private mutating func answer(_ question: Question, _ key: Terminal.Key) -> [DocumentsAction] {
        self.question = nil
        guard key.typed?.lowercased() == "y" else { return [] }
        switch question {
        case .delete(let id, _):
            return [.pane(.submit("/rm document \(id)"))]
        case .revoke(let link, let document, _): return [.revoke(link, of: document)]
        case .stop(let number, _): return [.stop(number)]
        case .download: return []
        }
    }

    private mutating func seek(_ key: Terminal.Key) -> [DocumentsAction] {
        if key.code == .down || key.code == .enter {
            isSearching = false
            return []
        }
        switch search.press(key, keymap) {
        case .shared(let action): return [.pane(.shared(action))]
        case .cancelled:
            isSearching = false
            search.set("")
        case .typing, .accepted, .tab, .outside: break
        }
        apply()
        return []
    }

    private mutating func choose(_ key: Terminal.Key) -> [DocumentsAction] {
        guard var open = menu else { return [] }
        let isMulti = open.purpose == .types
        switch (key.code, key.modifiers) {
        case (.escape, []), (.character("q"), []), (.character("c"), .control):
            menu = nil
            return []
        case (.down, []), (.character("j"), []): open.selected = min(open.selected + 1, max(open.entries.count - 1, 0))
        case (.up, []), (.character("k"), []): open.selected = max(open.selected - 1, 0)
        case (.character(" "), []) where isMulti: open.checked.formSymmetricDifference([open.selected])
        case (.enter, []):
            menu = nil
            return isMulti ? [] : take(open, open.selected)
        default:
            guard let digit = key.typed?.wholeNumberValue, open.entries.indices.contains(digit - 1) else { return [] }
            open.selected = digit - 1
            guard isMulti else {
                menu = nil
                return take(open, digit - 1)
            }
            open.checked.formSymmetricDifference([digit - 1])
        }
        menu = open
        if isMulti {
            let words = CommandTable.documentTypes
            let on = open.checked.compactMap { words.indices.contains($0) ? words[$0] : nil }
            filter.types = on.isEmpty ? nil : Set(on)
            apply()
        }
        return []
    }

    private mutating func take(_ menu: Menu, _ index: Int) -> [DocumentsAction] {
        switch menu.purpose {
        case .types: return []
        case .school:
            filter.named[.school] = index > 0 && schools.indices.contains(index - 1) ? schools[index - 1].id.description : nil
            if filter.named[.school] == nil {
                // A fresh filter: the one before keeps what it has looked up.
                var fresh = ListFilter(.document)
                (fresh.types, fresh.shared, fresh.sort) = (filter.types, filter.shared, filter.sort)
                filter = fresh
            } else {
                try? filter.resolve(RecordNames(schools))
            }
            apply()
            return []
        case .share(let document):
            guard schools.indices.contains(index) else { return [.pane(.shared(.bell))] }
            return [.share(document, school: schools[index].id)]
        }
    }

    /// The document that a key is about, of those in the list, or the version one stands on.
    private var target: Record? {
        guard opened != nil else { return selectedIndex.map { found[$0] } }
        guard places.indices.contains(place), case .version(let id) = places[place] else { return opened.flatMap { records[$0] } }
        return records[id]
    }

    private mutating func run(_ command: DocumentsCommand) -> [DocumentsAction] {
        switch command {
        case .next: move(columns)
        case .previous: move(-columns)
        case .right: move(1)
        case .left: move(-1)
        case .first: move(-found.count)
        case .last: move(found.count)
        case .open:
            guard let target else { return [.pane(.shared(.bell))] }
            guard target.fields.text("file_name") != nil else {
                toast = "This document has no file."
                return [.pane(.shared(.bell))]
            }
            return [.open(target.id)]
        case .add: begin(nil)
        case .version:
            guard let target else { return [.pane(.shared(.bell))] }
            begin(versions(of: target.id).first ?? target)
        case .edit:
            guard let target else { return [.pane(.shared(.bell))] }
            return [.pane(.edit(target.id))]
        case .delete:
            if let opened, places.indices.contains(place), case .link(let id) = places[place] {
                guard let link = links?.first(where: { $0.id == id }), link.isOpen(at: now) else {
                    toast = "This link has ended already."
                    return [.pane(.shared(.bell))]
                }
                question = .revoke(id, of: opened, who: school(of: link))
                return []
            }
            guard let target else { return [.pane(.shared(.bell))] }
            question = .delete(target.id, title: RecordNames.name(target))
        case .download:
            guard let target else { return [.pane(.shared(.bell))] }
            return [.askDownload(target.id)]
        case .share:
            guard let target else { return [.pane(.shared(.bell))] }
            guard !schools.isEmpty else {
                toast = "There is no school yet: /add school name=…"
                return [.pane(.shared(.bell))]
            }
            menu = Menu(purpose: .share(target.id), title: "A link for which school?", entries: schools.map(RecordNames.name))
        case .copyLink:
            toast = "A link can be copied when it is made: s makes one."
            return [.pane(.shared(.bell))]
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
        case .clear: clear()
        case .stop:
            guard let running = transfers.first(where: { !$0.state.isOver }) else { return [.pane(.shared(.bell))] }
            question = .stop(running.number, title: running.title)
        case .again:
            let failed = transfers.last { row in
                if case .failed = row.state { true } else { false }
            }
            guard let failed else { return [.pane(.shared(.bell))] }
            return [.again(failed.number)]
        case .close:
            guard opened == nil else {
                close()
                return []
            }
            // R128: the next visit begins with everything.
            clear()
            return [.pane(.shared(.close))]
        }
        return []
    }

    private mutating func clear() {
        var fresh = ListFilter(.document)
        fresh.sort = filter.sort
        filter = fresh
        search.set("")
        apply()
    }

    private mutating func begin(_ replaced: Record?) {
        var owner = replaced?.athlete
        if owner == nil, case .athlete(let id) = context { owner = id }
        form = UploadForm(
            schools: schools.map { .init($0.id, RecordNames.name($0)) }, athletes: athletes, athlete: owner,
            replaces: replaced.map { (.init($0.id, RecordNames.name($0)), $0.fields.text("type"), $0.fields.reference("school_id")) })
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

/// Documents in words.
enum DocumentWords {
    /// R119.
    static func glyph(_ type: String) -> String {
        switch type {
        case "highlight_video": "🎥"
        case "transcript": "📄"
        case "resume": "📋"
        case "rec_letter": "💌"
        case "questionnaire": "📝"
        case "stats_sheet": "📊"
        default: "📁"
        }
    }

    static func version(_ record: Record) -> String {
        if case .integer(let number)? = record.fields["version"] { return "v\(number)" }
        return "v1"
    }

    /// "Shared: 2", "Shared: 20+", or nothing (R129, R130).
    static func shared(_ record: Record) -> String {
        let count = record.fields.set("shared_with_schools").count
        return count == 0 ? "" : count >= 20 ? "Shared: 20+" : "Shared: \(count)"
    }
}
