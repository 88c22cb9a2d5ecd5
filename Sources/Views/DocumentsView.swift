package import Bytes
package import Commands
package import Documents
package import Family
package import Queries
package import Terminal
package import Words

/// Documents: a grid or a list with filters and figures, one document with its versions and links, and running uploads
/// and downloads. Pure.
///
/// Source: R118–R149.
package struct DocumentsView: Sendable, PromptPane, SearchPane {
    /// A list from which the user chooses one or several entries.
    struct Menu: Hashable, Sendable {
        enum Purpose: Hashable, Sendable {
            case types, school, share(Identifier)
        }

        let purpose: Purpose
        let title: String
        let entries: [String]
        /// The chosen entries, if several may be chosen.
        var checked: Set<Int> = []
        var selected = 0
    }

    enum Question: Hashable, Sendable {
        case delete(Identifier, title: String)
        case revoke(String, of: Identifier, who: String)
        case stop(Int, title: String)
        case download(Identifier)
        /// A new link for a school that has one.
        case replace(Identifier, school: Identifier, who: String)
    }

    /// The measures of a document's small picture, in pixels, for a screen that shows pictures.
    package struct Picture: Hashable, Sendable {
        let document: Identifier
        let width: Int
        let height: Int
        /// The size of a cell.
        let cell: Size

        package init(document: Identifier, width: Int, height: Int, cell: Size) {
            (self.document, self.width, self.height, self.cell) = (document, width, height, cell)
        }
    }

    /// A line of the open document that the user can select.
    enum Place: Hashable, Sendable {
        case version(Identifier)
        case link(String)
    }

    package internal(set) var filter = ListFilter(.document)
    /// Whether this member may upload files.
    package var mayWrite = true
    package internal(set) var isGrid = true
    /// The newest versions in the context, and those that pass the filter, in its order.
    package internal(set) var all: [Record] = []
    package internal(set) var found: [Record] = []
    package internal(set) var selected: Identifier?
    /// The server's figures; without them, figures of the local documents are shown.
    package var figures: Statistics.Documents?
    /// The user's own transfers, oldest first.
    package var transfers: [TransferRow] = []
    /// The uploads of others, as sentences with or without a percentage.
    package internal(set) var others: [(words: String, percent: Int?)] = []
    /// The document that is open, with the lines of its fields.
    package internal(set) var opened: Identifier?
    package internal(set) var detail: [String] = []
    /// The picture of the open document, if it has one and the screen shows pictures.
    package var picture: Picture?
    /// The links of the open document; `nil` while they are unknown.
    package internal(set) var links: [ShareLink]?
    /// The reason why the links are unknown, as a sentence.
    private(set) var linksFailure: String?
    /// A link that was just created; this is the only time it is shown.
    package internal(set) var madeLink: (url: String, words: String)?
    package internal(set) var form: UploadForm?
    /// The forms of an earlier run; each opens when no other form is open.
    package internal(set) var keptForms: [String] = []
    package internal(set) var isSearching = false
    package internal(set) var isHelpOpen = false
    /// A message for the user, which the caller shows.
    package var toast: String?
    package var theme: Theme
    package var keymap: Keymap
    /// The size of the screen, which sets the number of cards per row.
    package var size: Size
    var search = LineField("Search: ", limit: Terminal.LineEditor.searchLimit)
    var menu: Menu?
    var question: Question?
    var input: LineField?
    var place = 0
    var detailOffset = 0
    var chord = ChordReader()
    /// Every version, by id.
    private(set) var records: [Identifier: Record] = [:]
    private(set) var names: [Identifier: String] = [:]
    /// The newer version of each replaced document.
    private(set) var newer: [Identifier: Identifier] = [:]
    private(set) var schools: [Record] = []
    private(set) var athletes: [UploadForm.Choice] = []
    /// The figures of the local documents, for when the server's are unknown.
    private(set) var here = Statistics.Documents()
    /// The document to select as soon as it arrives: the last upload, unless keys were pressed since.
    private var wanted: Identifier?
    /// Whether no key was pressed since the last request to upload.
    var isUntouched = false
    private(set) var context = Context.all
    /// The current time in UTC milliseconds, to recognise expired links.
    package var now: Int64 = 0
    /// The date of UTC milliseconds, `YYYY-MM-DD`.
    package var day: @Sendable (Int64) -> String = { _ in "" }

    package init(size: Size, theme: Theme, keymap: Keymap) {
        self.size = size
        self.theme = theme
        self.keymap = keymap
    }

    /// Shows these documents.
    ///
    /// - Parameter names: the names of records of any kind.
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
        athletes = members.filter { $0.fields.text("role") == Role.athlete.rawValue }.map { .init($0.id, RecordNames.name($0)) }.sorted { $0.name < $1.name }
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

    /// Updates the lines of the open document.
    package mutating func refreshDetail(_ lines: [String]) { if opened != nil { detail = lines } }

    /// Shows the links of the open document.
    package mutating func show(links: [ShareLink], of document: Identifier) {
        guard document == opened else { return }
        (self.links, linksFailure) = (links, nil)
        place = min(place, max(places.count - 1, 0))
    }

    /// Reports that the request for the links failed.
    package mutating func failLinks(_ sentence: String) {
        if opened != nil, links == nil { linksFailure = sentence }
    }

    /// Selects an uploaded document, immediately or when it arrives; does nothing if the user has pressed a key since.
    package mutating func select(_ document: Identifier) {
        guard isUntouched else { return }
        wanted = document
        apply()
    }

    /// Shows a new link until a key closes it, because the server stores only a digest of it.
    package mutating func show(made url: String, _ words: String) { madeLink = (url, words) }

    /// Resets the filters, so that the next visit begins with all documents (R128); typed and open content stays.
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

    /// Restores the user's display settings.
    package mutating func restore(isGrid: Bool, _ sort: Query.Sort?) {
        guard self.isGrid != isGrid || filter.sort != sort else { return }
        self.isGrid = isGrid
        filter.sort = sort
        apply()
    }

    /// Counts the local documents.
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

    /// Asks where to save a file.
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

    /// The lines of the open document that the user can select.
    var places: [Place] {
        guard let opened else { return [] }
        return versions(of: opened).map { .version($0.id) } + (links ?? []).map { .link($0.id) }
    }

    /// The active filters, in words (R126).
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
