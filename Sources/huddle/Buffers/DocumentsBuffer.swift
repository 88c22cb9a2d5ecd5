import Bytes
import Documents
import Family
import Posix
import Queries
import Screen
import Sessions
import Sync
import Terminal
import Views
import Wire
import Words

/// The documents page, with the session and the threads that transfer files.
final class DocumentsBuffer: Buffer {
    private var view: DocumentsView
    private let session: ClientSession
    /// The worker for files, one after the other, and the worker for short requests, which wait for no file.
    private let files: TransferWorker
    private let questions: TransferWorker
    private let memory = UploadMemory(folder: CachePlace.root)
    private var list = TransferList()
    /// Whether the transfers of an earlier run have been looked for.
    private var hasLooked = false
    private var requests: Set<Int64> = []
    /// The state from which the list was made and the figures were asked for: the revision of the documents, and the
    /// context.
    private var shown: (revisions: [Int], context: Context)?
    private var counted: (revision: Int, context: Context)?
    private var keptProgress: [TransferProgress] = []
    /// The small pictures of documents, and those that have none; a few, because each takes some hundred kilobytes.
    private var pictures: [Identifier: TerminalPicture?] = [:]
    private static let mostPictures = 16
    /// The size of a cell in pixels, if the screen shows pictures.
    private var pictureCell: Size?

    init(_ view: DocumentsView, _ session: ClientSession, _ setting: Setting) {
        self.view = view
        self.session = session
        files = TransferWorker("files", setting.address, token: setting.token, memory: memory, waker: session.waker)
        questions = TransferWorker("documents", setting.address, token: setting.token, memory: memory, waker: session.waker)
    }

    /// The sentence about files on their way, shown before the person leaves and after they have left.
    var underway: String { list.underway(isKept: session.cache != nil) }
    var farewell: [String] { list.farewell(isKept: session.cache != nil) }

    /// The typed forms whose upload has not begun.
    var typed: [Cache.Place] { view.typedForms.map { Cache.Place(text: $0) } }

    /// Restores the forms that an earlier run kept.
    func restore(_ places: [Cache.Place], _ host: any BufferHost) -> Bool {
        refresh(host)
        view.restore(forms: places.map(\.text))
        return view.form != nil
    }

    /// Leaves the transfers that are on their way; they are kept for the next start.
    func end() {
        files.end()
        questions.end()
    }

    // MARK: What is shown

    func refresh(_ host: any BufferHost) {
        let engine = session.engine
        let (text, clock) = (host.records.text, host.records.clock)
        view.size = host.size
        view.restore(isGrid: session.value(of: .documentsViewMode) != "list", session.value(of: .documentsSortBy).flatMap { Query.Sort(rawValue: $0) })
        let names = host.records.names
        let now = (revisions: [Kind.document, .school, .member].map { names.revision(of: $0) }, context: engine.context ?? .all)
        if shown.map({ $0 != now }) ?? true {
            shown = now
            view.show(names.records(of: .document), names: names, context: now.context)
        }
        if let record = view.opened.flatMap({ engine.record($0) }) { view.refreshDetail(RecordTables.details(record, text)) }
        if pictureCell != host.pictureCell {
            pictureCell = host.pictureCell
            if let opened = view.opened { askForPicture(opened) }
        }
        showPicture()
        view.mayWrite = engine.role != .guest
        view.now = Clock.wallMilliseconds()
        view.day = { clock.today($0) }
        // The member's own uploads from here have rows of their own.
        let own = Set(view.transfers.filter(\.isUpload).map(\.title))
        let uploads = engine.uploads.values.filter { $0.member != engine.member || !own.contains($0.title) }.sorted { $0.id < $1.id }
        view.show(uploads: uploads.map { (text.upload($0), $0.percent) })
        askForFigures(names.revision(of: .document))
    }

    func draw(_ facts: StatusFacts, _ canvas: inout Canvas) {
        view.size = canvas.size
        view.draw(facts, &canvas)
    }

    /// Finished transfers have been seen.
    func leave(_ host: any BufferHost, for next: BufferKey?) {
        // A form or a record comes on top of the page that opened it.
        guard next.map({ BufferKey.fixed.contains($0) }) ?? false else { return }
        view.leave()
        list.dismiss()
        view.transfers = list.rows
    }

    /// Asks for the figures when the records that they count have changed.
    private func askForFigures(_ revision: Int) {
        let context = session.engine.context
        let now = (revision: revision, context: context ?? .all)
        guard session.engine.phase == .live, counted.map({ $0 != now }) ?? true else { return }
        if let request = session.ask({ .statistics(StatisticsRequest(request: $0, kind: .document, athlete: context)) }) {
            counted = now
            requests.insert(request)
        }
    }

    /// - Returns: whether the event answered a request of this view.
    func receive(_ event: SessionEvent) -> Bool {
        switch event {
        case .notice(.answer(.statistics(let answer))) where requests.remove(answer.request) != nil:
            if case .documents(let figures) = answer.statistics { view.figures = figures }
            return true
        case .notice(.failed(_, let request?)): return requests.remove(request) != nil
        case .notice(.offline):
            requests = []
            counted = nil
            return false
        case .notice(.live):
            resume()
            return false
        default: return false
        }
    }

    /// Takes over the transfers of an earlier run once the member is known, and before any other transfer gets a
    /// number.
    func takeOver() {
        guard !hasLooked, let cache = session.cache else { return }
        hasLooked = true
        list.takeOver((try? cache.transfers()) ?? [])
        view.transfers = list.rows
    }

    /// Resumes the transfers that the network or the end of an earlier program interrupted.
    private func resume() {
        takeOver()
        for job in list.resume() where !files.put(job) {
            // Transfers above the limit resume at the next opportunity.
            if let number = job.number { _ = list.take(.failed(number, .offline("Too many files wait.")), now: 0) }
        }
        view.transfers = list.rows
    }

    /// Takes the reports of the threads; called in each turn of the loop, on any page.
    ///
    /// - Returns: whether there was a report.
    func turn(_ host: any BufferHost) -> Bool {
        let reports = files.takeReports() + questions.takeReports()
        guard !reports.isEmpty else { return false }
        defer { keepProgress() }
        let now = Clock.monotonicMilliseconds()
        for report in reports {
            perform(list.take(report, now: now))
            take(report, host.records.names, host.records.clock)
        }
        view.transfers = list.rows
        host.say(&view.toast)
        return true
    }

    /// Keeps the progress of files for `huddle outbox`, which may run beside this program; no more often than the
    /// threads report (`JobLine.progressInterval`).
    private func keepProgress() {
        let all = list.progress
        let changed = all.filter { !keptProgress.contains($0) }
        keptProgress = all
        // If the progress cannot be kept, `huddle outbox` only does not show it.
        try? session.cache?.keep(progress: changed)
    }

    private func perform(_ effects: [TransferList.Effect]) {
        for effect in effects {
            switch effect {
            // Without a cache the transfer lasts as long as the program, like everything in the outbox.
            case .keep(let number, let transfer): try? session.cache?.keep(transfer, number: number)
            case .forget(let number, let key):
                try? session.cache?.forget(transfer: number)
                // Only now: if the program is killed before this line, the next start finds the place, and the whole
                // file there.
                if let key { memory.forget(key) }
            case .say(let sentence): view.toast = sentence
            }
        }
    }

    private func take(_ report: DocumentReport, _ names: RecordNames, _ clock: LocalClock) {
        switch report {
        case .done(_, let document?, _): view.select(document)
        case .picture(let document, let picture):
            if pictures.count >= Self.mostPictures { pictures = [:] }
            pictures[document] = .some(picture)
            showPicture()
        case .links(let document, let links): view.show(links: links, of: document)
        case .made(let document, let school, let link):
            let until = EventText.date(clock.today(link.expiresAt))
            view.show(made: link.url ?? "", "Anyone with this link can open \(names.name(document)) until \(until). It is for \(names.name(school)).")
            if !questions.put(.links(document)) { view.toast = "Too much waits: open it again for its links." }
        case .revoked(let document):
            view.toast = "Link revoked."
            if !questions.put(.links(document)) { view.toast = "Too much waits: open it again for its links." }
        case .failed(nil, let failure):
            view.toast = failure.sentence
            view.failLinks(failure.sentence)
        case .began, .read, .resumed, .progress, .waits, .done, .failed: break
        }
    }

    // MARK: What is asked for

    func adopt(_ theme: Theme, _ keymap: Keymap) {
        view.theme = theme
        view.keymap = keymap
        shown = nil
    }

    func handle(_ input: InputEvent, _ host: any BufferHost) throws {
        for action in view.handle(input) {
            switch action {
            case .pane(let action): try host.perform(action)
            case .open(let id): open(id, host.records.text)
            case .askDownload(let id):
                let name = session.engine.record(id)?.fields.text("file_name") ?? "document"
                let folder = PathTyping.downloads
                view.askForPlace(id, folder + DocumentDownload.freeName(name) { Files.exists(PathTyping.expanded(folder + $0)) })
            case .download(let id, let path): download(id, PathTyping.expanded(path))
            case .upload(let description): upload(description)
            case .completePath(let path):
                let (typed, options) = PathTyping.completed(path)
                view.complete(typed, options)
            case .share(let id, let school): ask(.share(id, school: school))
            case .revoke(let link, let document): ask(.revoke(link, of: document))
            case .stop(let number):
                _ = stop(number)
            case .again(let number):
                guard let transfer = list.again(number) else { return host.bell() }
                _ = begin(number, transfer)
            case .hurry:
                session.hurry()
                view.toast = session.engine.phase == .live ? "The server is here, and nothing failed." : "Trying now."
            case .remember(let isGrid, let sort):
                session.set(.documentsViewMode, to: isGrid ? "grid" : "list")
                session.set(.documentsSortBy, to: sort?.rawValue)
            }
        }
        view.transfers = list.rows
        host.say(&view.toast)
    }

    /// Stops a transfer of this program.
    ///
    /// - Returns: false if there is no transfer with this number.
    func stop(_ number: Int) -> Bool {
        guard list.progress.contains(where: { $0.number == number }) else { return false }
        if let effects = list.stop(number) { perform(effects) } else { files.stop(number) }
        view.transfers = list.rows
        return true
    }

    private func ask(_ job: DocumentJob) {
        if !questions.put(job) { view.toast = "Too much waits already: try it again in a moment." }
    }

    private func open(_ id: Identifier, _ text: ChangeText) {
        guard let record = session.engine.record(id) else { return }
        view.showDetail(id, RecordTables.details(record, text))
        ask(.links(id))
        askForPicture(id)
    }

    // MARK: Pictures

    /// The picture whose place the view has drawn.
    var picture: TerminalPicture? { view.opened.flatMap { pictures[$0] ?? nil } }

    /// A picture is an extra: if too many requests wait, the icon of the document's type stays.
    private func askForPicture(_ document: Identifier) {
        if pictureCell != nil, pictures[document] == nil { _ = questions.put(.picture(document)) }
    }

    private func showPicture() {
        guard let cell = pictureCell, let picture, let opened = view.opened else { return view.picture = nil }
        view.picture = DocumentsView.Picture(document: opened, width: picture.width, height: picture.height, cell: cell)
    }

    /// - Returns: false if too many transfers wait already.
    private func begin(_ transfer: FileTransfer) -> Bool {
        guard let number = list.add(transfer) else { return false }
        return begin(number, transfer)
    }

    private func begin(_ number: Int, _ transfer: FileTransfer) -> Bool {
        // The transfer is on stable storage before the person sees that it waits.
        perform([.keep(number, transfer)])
        if files.put(.transfer(number, transfer)) { return true }
        perform(list.take(.failed(number, .cancelled), now: 0))
        return false
    }

    private func download(_ id: Identifier, _ path: String) {
        guard let record = session.engine.record(id), case .integer(let octets)? = record.fields["octets"], let sha256 = record.fields.text("sha256") else {
            return view.toast = "This document has no file."
        }
        let place = DocumentDownload.place(record.fields.text("file_name") ?? "document", path)
        guard !Files.exists(place) else {
            view.toast = "\(place.printable) already exists: choose another name."
            return view.askForPlace(id, DocumentDownload.freePath(place))
        }
        if !begin(FileTransfer(.download(.init(document: id, octets: octets, sha256: sha256)), path: Files.absolute(place))) { view.toast = Self.full }
    }

    private static let full = "\(JobLine.limit) files wait already: try it again when some are through."

    private func upload(_ description: UploadDescription) {
        let path = PathTyping.expanded(description.path)
        guard let status = (try? Files.status(path)) ?? nil, status.kind == .file else { return view.complain(.file, "There is no such file.") }
        guard status.size > 0 else { return view.complain(.file, "The file is empty.") }
        let limit = Int64(session.engine.limits.documentOctets)
        guard Int64(status.size) <= limit else { return view.complain(.file, DocumentUpload.tooLarge(limit)) }
        guard let family = session.engine.family else { return view.complain(.file, "The family is not known yet: wait for the connection.") }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let upload = NewUpload(
            family: family, athlete: description.athlete, type: description.type, title: description.title, description: description.text, school: description.school, replaces: description.replaces,
            fileName: name)
        guard begin(FileTransfer(.upload(upload), path: Files.absolute(path), stamp: FileStamp(status))) else { return view.complain(.file, Self.full) }
        view.closeForm()
    }
}

@available(*, unavailable) extension DocumentsBuffer: Sendable {}
