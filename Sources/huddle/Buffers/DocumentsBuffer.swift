import Bytes
import Client
import Family
import Posix
import Screen
import Queries
import Terminal
import Views
import Wire

/// Documents, with the session and the threads of their files behind them.
final class DocumentsBuffer: Buffer {
    /// Transfers that are over and still told.
    private static let mostOver = 20

    private var view: DocumentsView
    private let session: ClientSession
    /// Files, one after the other; and what is quickly answered, which waits for no file.
    private let files: TransferWorker
    private let questions: TransferWorker
    private var jobs: [Int: TransferWorker.Job] = [:]
    private var requests: Set<Int64> = []
    /// The documents that the figures were asked about.
    private var counted: [Identifier: Int64]?
    private var countedContext: Context?

    init(_ view: DocumentsView, _ session: ClientSession, _ setting: Setting) {
        self.view = view
        self.session = session
        let memory = UploadMemory(folder: CachePlace.root)
        files = TransferWorker("files", setting.address, token: setting.token, memory: memory, waker: session.waker)
        questions = TransferWorker("documents", setting.address, token: setting.token, memory: memory, waker: session.waker)
    }

    /// Gives up what is on its way; the next upload of the same file goes on.
    func end() {
        files.end()
        questions.end()
    }

    // MARK: What is shown

    func refresh(_ client: FullScreenClient) {
        let engine = session.engine
        let (text, clock) = (client.text, client.clock)
        view.size = client.screen.size
        view.restore(isGrid: session.value(of: .documentsViewMode) != "list", session.value(of: .documentsSortBy).flatMap { Query.Sort(rawValue: $0) })
        let context = engine.context ?? .all
        let documents = engine.records(of: .document)
        view.show(documents, names: text.names, context: context, now: Clock.wallMilliseconds()) { clock.today($0) }
        // One's own uploads from here have their rows.
        let own = Set(view.transfers.filter(\.isUpload).map(\.title))
        let uploads = engine.uploads.values.filter { $0.member != engine.member || !own.contains($0.title) }.sorted { $0.id < $1.id }
        view.show(uploads: uploads.map { (text.upload($0), $0.percent) })
        askForFigures()
    }

    func draw(_ facts: StatusFacts, _ canvas: inout Canvas) {
        view.size = canvas.size
        view.draw(facts, &canvas)
    }

    /// Asks for the figures when what they count has changed.
    private func askForFigures() {
        let engine = session.engine
        guard engine.phase == .live else { return }
        let now = Dictionary(engine.records(of: .document).map { ($0.id, $0.version) }, uniquingKeysWith: { first, _ in first })
        guard counted != now || countedContext != engine.context else { return }
        let context = engine.context
        if let request = session.ask({ .statistics(StatisticsRequest(request: $0, kind: .document, athlete: context)) }) {
            (counted, countedContext) = (now, context)
            requests.insert(request)
        }
    }

    /// - Returns: whether it was the answer to a question of this view.
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
        default: return false
        }
    }

    /// Takes what the threads report; for each turn of the loop, whatever is on the screen.
    func turn(_ client: FullScreenClient) {
        let reports = files.takeReports() + questions.takeReports()
        guard !reports.isEmpty else { return }
        for report in reports { take(report, client.names, client.clock) }
        client.say(&view.toast)
        let over = view.transfers.filter(\.state.isOver)
        for row in over.dropLast(Self.mostOver) {
            jobs[row.number] = nil
            view.transfers.removeAll { $0.number == row.number }
        }
    }

    private func take(_ report: TransferWorker.Report, _ names: RecordNames, _ clock: LocalClock) {
        let now = Clock.monotonicMilliseconds()
        switch report {
        case .began(let number, let total):
            change(number) {
                $0.state = .running
                $0.meter = TransferMeter(total: total, now: now)
            }
        case .resumed(let number, let octets):
            change(number) {
                $0.state = .running
                $0.meter = TransferMeter(total: $0.meter?.total, octets: octets, now: now)
            }
        case .progress(let number, let octets):
            change(number) {
                $0.state = .running
                $0.meter?.report(octets, now: now)
            }
        case .waits(let number, let pause, let reason):
            change(number) { $0.state = .waiting("\(reason) Trying again in \((pause + 999) / 1_000) s; what is there stays there.") }
        case .done(let number):
            change(number) { $0.state = .done($0.isUpload ? "uploaded" : "is here") }
            if let row = view.transfers.first(where: { $0.number == number }) { view.toast = row.isUpload ? "Uploaded \(row.title)." : "\(row.title) is here." }
        case .links(let document, let links): view.show(links: links, of: document)
        case .made(let document, let school, let link):
            let until = EventText.date(clock.today(link.expiresAt))
            view.show(made: link.url ?? "", "It opens \(names.name(document)) for \(names.name(school)), and whoever else has it, until \(until).")
            if !questions.put(.links(document)) { view.toast = "Too much waits: open it again for its links." }
        case .revoked(let document):
            view.toast = "The link is ended."
            if !questions.put(.links(document)) { view.toast = "Too much waits: open it again for its links." }
        case .failed(let number?, .cancelled): change(number) { $0.state = .failed("Stopped. R goes on with it.") }
        case .failed(let number?, let failure):
            change(number) { row in
                var words = failure.sentence
                if row.isUpload, !words.hasPrefix("Upload failed") { words = "Upload failed: \(words)" }
                row.state = .failed(words + " R tries again.")
            }
        case .failed(nil, let failure):
            view.toast = failure.sentence
            if view.links == nil, let opened = view.opened { view.show(links: [], of: opened) }
        }
    }

    private func change(_ number: Int, _ change: (inout TransferRow) -> Void) {
        guard let place = view.transfers.firstIndex(where: { $0.number == number }) else { return }
        change(&view.transfers[place])
    }

    // MARK: What is asked for

    func handle(_ input: InputEvent, _ client: FullScreenClient) throws {
        for action in view.handle(input) {
            switch action {
            case .pane(let action): try client.perform(action)
            case .open(let id): open(id, client.text)
            case .askDownload(let id):
                let name = session.engine.record(id)?.fields.text("file_name") ?? "document"
                view.askForPlace(id, DocumentDownload.freeName(name) { Files.exists($0) })
            case .download(let id, let path): download(id, PathTyping.expanded(path))
            case .upload(let wish): upload(wish)
            case .completePath(let path):
                let (typed, options) = PathTyping.completed(path)
                view.complete(typed, options)
            case .share(let id, let school): ask(.share(id, school: school))
            case .revoke(let link, let document): ask(.revoke(link, of: document))
            case .stop(let number): files.stop(number)
            case .again(let number):
                guard let job = jobs[number], files.put(job) else { return client.screen.bell() }
                change(number) { $0.state = .queued }
            case .remember(let isGrid, let sort):
                session.set(.documentsViewMode, to: isGrid ? "grid" : "list")
                session.set(.documentsSortBy, to: sort?.rawValue)
            }
        }
        client.say(&view.toast)
    }

    private func ask(_ job: TransferWorker.Job) {
        if !questions.put(job) { view.toast = "Too much waits already: try it again in a moment." }
    }

    private func open(_ id: Identifier, _ text: ChangeText) {
        guard let record = session.engine.record(id) else { return }
        view.showDetail(id, RecordTables.details(record, text))
        ask(.links(id))
    }

    private func begin(_ title: String, isUpload: Bool, _ job: (Int) -> TransferWorker.Job) -> Bool {
        let number = (view.transfers.map(\.number).max() ?? 0) + 1
        let job = job(number)
        guard files.put(job) else { return false }
        jobs[number] = job
        view.transfers.append(TransferRow(number: number, title: title, isUpload: isUpload))
        return true
    }

    private func download(_ id: Identifier, _ path: String) {
        guard let record = session.engine.record(id), case .integer(let octets)? = record.fields["octets"], let sha256 = record.fields.text("sha256") else {
            return view.toast = "This document has no file."
        }
        guard !Files.exists(path) else { return view.toast = "\(path.printable) is there already: choose another name." }
        let file = DocumentDownload.File(document: id, octets: octets, sha256: sha256)
        if !begin(path.printable, isUpload: false, { .download($0, file, path: path) }) { view.toast = Self.full }
    }

    private static let full = "\(TransferWorker.limit) files wait already: try it again when some are through."

    private func upload(_ wish: UploadWish) {
        let path = PathTyping.expanded(wish.path)
        guard let status = (try? Files.status(path)) ?? nil, status.kind == .file else { return view.complain(.file, "There is no such file.") }
        guard status.size > 0 else { return view.complain(.file, "The file is empty.") }
        guard status.size <= DocumentUpload.maxOctets else {
            return view.complain(.file, "File exceeds 100MB limit. Please compress or choose a smaller file.")
        }
        guard let family = session.engine.family else { return view.complain(.file, "The family is not known yet: wait for the connection.") }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let upload = NewUpload(
            family: family, athlete: wish.athlete, type: wish.type, title: wish.title, description: wish.text, school: wish.school, replaces: wish.replaces,
            fileName: name)
        guard begin(wish.title.printable, isUpload: true, { .upload($0, upload, path: path) }) else { return view.complain(.file, Self.full) }
        view.closeForm()
    }
}

@available(*, unavailable) extension DocumentsBuffer: Sendable {}
