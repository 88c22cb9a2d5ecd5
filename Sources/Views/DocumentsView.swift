package import Bytes
package import Commands
package import Documents
package import Family
package import Queries
package import Terminal
package import Words

/// Documents: a grid or a list with filters and figures, one with its versions and links, uploads and downloads on their way. Pure.
///
/// Source: R118–R149.
package struct DocumentsView: Sendable, AskingPane, SearchingPane {
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

    package internal(set) var filter = ListFilter(.document)
    /// Whether files can be sent by whom this is for.
    package var mayUpload = true
    package internal(set) var isGrid = true
    /// The newest versions of the context, and those that the filter leaves, in its order.
    package internal(set) var all: [Record] = []
    package internal(set) var found: [Record] = []
    package internal(set) var selected: Identifier?
    /// The server's figures; without them those of what is here are shown.
    package var figures: Statistics.Documents?
    /// One's own transfers, oldest first.
    package var transfers: [TransferRow] = []
    /// Uploads of others, as sentences with a percentage or without.
    package internal(set) var others: [(words: String, percent: Int?)] = []
    /// The document that is open, with the lines of its fields.
    package internal(set) var opened: Identifier?
    package internal(set) var detail: [String] = []
    /// Its links; `nil` while nobody knows.
    package internal(set) var links: [ShareLink]?
    /// Why they are not known, as a sentence.
    private(set) var linksFailure: String?
    /// A link that was just made: it is shown only now.
    package internal(set) var madeLink: (url: String, words: String)?
    package internal(set) var form: UploadForm?
    /// Of an earlier run, each to be opened when none is.
    package internal(set) var keptForms: [String] = []
    package internal(set) var isSearching = false
    package internal(set) var isHelpOpen = false
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
    /// What replaces which.
    private(set) var newer: [Identifier: Identifier] = [:]
    private(set) var schools: [Record] = []
    private(set) var athletes: [UploadForm.Choice] = []
    /// The figures of what is here, for where the server's are not known.
    private(set) var here = Statistics.Documents()
    /// To be selected as soon as it is there: what was just uploaded, unless keys were pressed since.
    private var wanted: Identifier?
    /// No key was pressed since an upload was asked for.
    var isUntouched = false
    private(set) var context = Context.all
    /// UTC milliseconds, for links that are over.
    package var now: Int64 = 0
    /// The date of UTC milliseconds, `YYYY-MM-DD`.
    package var day: @Sendable (Int64) -> String = { _ in "" }

    package init(size: Size, theme: Theme, keymap: Keymap) {
        self.size = size
        self.theme = theme
        self.keymap = keymap
    }

    /// Shows these.
    ///
    /// - Parameter names: what records of any kind are called.
    package mutating func show(_ documents: [Record], names: RecordNames, context: Context) {
        self.context = context
        let own = documents.filter { record in
            if case .athlete(let id) = context { record.athlete == id } else { true }
        }
        records = Dictionary(own.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        newer = Dictionary(own.compactMap { record in record.fields.reference("replaces").map { ($0, record.id) } }, uniquingKeysWith: { first, _ in first })
        all = own.filter { $0.fields.flag("is_current") }
        count()
        schools = names.records(of: .school).sorted { RecordNames.name($0) < RecordNames.name($1) }
        let members = names.records(of: .member)
        athletes = members.filter { $0.fields.text("role") == Family.Role.athlete.rawValue }.map { .init($0.id, RecordNames.name($0)) }.sorted { $0.name < $1.name }
        self.names = Dictionary((schools + members).map { ($0.id, RecordNames.name($0)) }, uniquingKeysWith: { first, _ in first })
        let (schoolChoices, athletes) = (schoolChoices, athletes)
        openKept()
        form?.offer(schools: schoolChoices, athletes: athletes)
        countVersion()
        if let opened, records[opened] == nil { close() }
        apply()
    }

    var schoolChoices: [UploadForm.Choice] { schools.map { .init($0.id, RecordNames.name($0)) } }

    package mutating func show(uploads: [(words: String, percent: Int?)]) { others = uploads }

    package mutating func showDetail(_ document: Identifier, _ lines: [String]) {
        guard records[document] != nil else { return }
        if opened != document { (links, place, detailOffset) = (nil, 0, 0) }
        (opened, detail, linksFailure) = (document, lines, nil)
    }

    /// What is open is different now.
    package mutating func refreshDetail(_ lines: [String]) { if opened != nil { detail = lines } }

    /// The links of the open document.
    package mutating func show(links: [ShareLink], of document: Identifier) {
        guard document == opened else { return }
        (self.links, linksFailure) = (links, nil)
        place = min(place, max(places.count - 1, 0))
    }

    /// Its links could not be asked for.
    package mutating func failLinks(_ sentence: String) {
        if opened != nil, links == nil { linksFailure = sentence }
    }

    /// Stands on a document that was uploaded, at the latest when it is there; not while somebody is doing something else.
    package mutating func select(_ document: Identifier) {
        guard isUntouched else { return }
        wanted = document
        apply()
    }

    /// A link that was made: shown until a key, because the server keeps no more than a digest of it.
    package mutating func show(made url: String, _ words: String) { madeLink = (url, words) }

    /// The next visit begins with everything (R128); what is typed or open stays.
    package mutating func leave() {
        isSearching = false
        clear()
    }

    mutating func clear() {
        var fresh = ListFilter(.document)
        fresh.sort = filter.sort
        filter = fresh
        search.set("")
        apply()
    }

    /// As one likes to see them.
    package mutating func restore(isGrid: Bool, _ sort: Query.Sort?) {
        guard self.isGrid != isGrid || filter.sort != sort else { return }
        self.isGrid = isGrid
        filter.sort = sort
        apply()
    }

    /// Counts what is here.
    private mutating func count() {
        here = Statistics.Documents()
        here.total = all.count
        here.shared = all.count { !$0.fields.set("shared_with_schools").isEmpty }
        var counts: [String: Int] = [:]
        for record in all { counts[record.fields.text("type") ?? "", default: 0] += 1 }
        let words = CommandTable.documentTypes
        let most = words.max { (counts[$0] ?? 0, -(words.firstIndex(of: $0) ?? 0)) < (counts[$1] ?? 0, -(words.firstIndex(of: $1) ?? 0)) }
        here.mostCommonType = all.isEmpty ? nil : most
        here.octets = records.values.reduce(0) { sum, record in
            if case .integer(let octets)? = record.fields["octets"] { sum &+ octets } else { sum }
        }
    }

    package mutating func complain(_ field: UploadForm.Field, _ sentence: String) { form?.complain(field, sentence) }
    package mutating func closeForm() {
        (form, isUntouched) = (nil, true)
        openKept()
        countVersion()
    }
    package mutating func complete(_ path: String, _ options: [String]) { form?.complete(path, options) }

    /// Where a file is to be put.
    package mutating func askForPlace(_ document: Identifier, _ suggestion: String) {
        question = .download(document)
        input = LineField("Save as: ", text: suggestion)
    }

    mutating func apply() {
        filter.text = search.text
        found = filter.apply(all, today: "", context: .all)
        if isUntouched, let wanted, found.contains(where: { $0.id == wanted }) { (selected, self.wanted) = (wanted, nil) }
        if selectedIndex == nil { selected = found.first?.id }
    }

    mutating func close() { (opened, detail, links, linksFailure, madeLink) = (nil, [], nil, nil, nil) }

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
        var (head, seen) = (document, Set<Identifier>())
        while let next = newer[head], seen.insert(head).inserted { head = next }
        return head
    }

    /// What one can stand on in the open document.
    var places: [Place] {
        guard let opened else { return [] }
        return versions(of: opened).map { .version($0.id) } + (links ?? []).map { .link($0.id) }
    }

    /// The filters that are on, in words (R126).
    package var filterWords: [String] {
        var words = CommandTable.documentTypes.filter { filter.types?.contains($0) == true }.map { "Type: \(Self.label(ofType: $0))" }
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
}
