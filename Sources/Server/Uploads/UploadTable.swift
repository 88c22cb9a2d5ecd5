import Blobs
import Bytes
import Crypto
import Family
import Ledger
import HTTP1
import Posix
import Reactor
import Store
import Uploads
import Wire

/// All uploads that are under way or were lately. `UploadTurns` says which request has its turn at an upload.
///
/// Nothing on disk says which request has a turn, so no crash leaves one behind.
final class UploadTable {
    private let services: RequestServices
    let limits: Limits
    private let folder: UploadFolder
    private let blobs: BlobFolder
    /// Reports progress to the live room of a family.
    private let reportProgress: (Wire.UploadProgress, _ family: Identifier) -> Void
    /// The wall clock, milliseconds.
    private let clock: () -> Int64
    private var uploads: [Identifier: OpenUpload] = [:]
    /// Uploads without a turn whose files are kept open for the next request, the latest last.
    private var kept: [Identifier] = []
    private var sweptAt: Int64?
    /// Requests that have come to an upload and not left it, by their number.
    private var requests: [UploadTurns.Request: UploadHandler] = [:]
    private var lastRequest: UploadTurns.Request = 0
    /// Uploads with requests that wait whether the one before them falls silent.
    private var watched: Set<Identifier> = []
    private lazy var watch = UploadWatch(self)
    /// How many uploads a family may have open; set once before the loop runs.
    var mostOfFamily: ((Identifier) -> Int)?
    /// What was refused beyond the limits of families.
    let quotaRefusals = CounterTable<FamilyQuota>([.uploads, .files])

    /// Milliseconds between two looks whether a request has fallen silent that others wait for.
    static let lookInterval: Int64 = 100
    /// Uploads whose files stay open between two requests, two descriptors each; their digests go on without reading what is there again.
    static let maxKept = 32
    /// Ended uploads of one member that are remembered, to be answered the same again.
    static let maxEnded = 100
    /// Milliseconds between looks for uploads that have expired.
    static let sweepInterval: Int64 = 60_000
    /// Milliseconds between two words to the family about one upload.
    static let tellInterval: Int64 = 1_000

    init(
        services: RequestServices, limits: Limits, reportProgress: @escaping (Wire.UploadProgress, _ family: Identifier) -> Void, folder: UploadFolder,
        blobs: BlobFolder, clock: @escaping () -> Int64 = { Clock.wallMilliseconds() }
    ) {
        self.services = services
        self.limits = limits
        self.reportProgress = reportProgress
        self.folder = folder
        self.blobs = blobs
        self.clock = clock
    }

    var now: Int64 { clock() }

    /// Milliseconds of the reactor's clock.
    var reactorNow: Int64 { services.now }

    /// How many uploads are known.
    var count: Int { uploads.count }

    /// Requests that are at an upload now.
    var openRequests: Int { requests.count }

    // MARK: The start

    /// Reads what is on disk. Before the loop runs, and before anything else opens an upload.
    func load() throws(Errno) {
        try folder.prepare()
        try folder.removeLeftovers()
        for id in try folder.list().uploads {
            do throws(Errno) {
                guard try load(id) else { services.log(.warning, "upload_unreadable", [.init("upload", id.description)]); continue }
            } catch {
                // It stays for `huddled check` to tell, and is not there for clients.
                services.log(.error, "upload_damaged", [.init("upload", id.description), .init("errno", error.name)])
            }
        }
        if !uploads.isEmpty { services.log(.info, "uploads", [.init("known", uploads.count)]) }
    }

    private func load(_ id: Identifier) throws(Errno) -> Bool {
        guard let description = try folder.description(id), let record = UploadRecord(description), let (progress, at) = try folder.progress(id) else {
            return false
        }
        let steps = UploadSteps(id, record, folder: folder, blobs: blobs)
        // What the family had room for when it began has counted as taken ever since, so it still has it.
        let upload = OpenUpload(
            id, record, steps, length: progress.length, mostOctets: min(Int64(limits.documentOctets), record.mostOctets ?? .max),
            expires: at + Int64(limits.uploadLife))
        upload.stand(UploadSteps.Standing(offset: progress.offset, written: progress.offset, length: progress.length))
        switch progress.phase {
        case .receiving: upload.phase = record.endsWhenFull && progress.offset == progress.length ? .full : .receiving
        case .complete: upload.phase = .full
        case .ended(let outcome):
            switch UploadEnd(outcome) {
            case .finished(let sha256)?: upload.phase = .finished(sha256: sha256)
            case .refused(let refusal)?: upload.phase = .refused(refusal)
            case nil: return false
            }
        }
        uploads[id] = upload
        return true
    }

    /// Makes the documents of uploads that were full when the server stopped. Once the loop is about to run.
    func resume() {
        for upload in uploads.values {
            guard case .full = upload.phase else { continue }
            report(.blocked, upload)
            complete(upload) { [self] _ in report(.unblocked, upload) }
        }
    }

    // MARK: Requests

    /// An upload of who asks; everybody else's is not there.
    func find(_ id: Identifier, _ signIn: SignIn) -> OpenUpload? {
        guard let upload = uploads[id], case let record = upload.record,
            signIn.memberships.contains(where: { $0.family == record.family && $0.member == record.member })
        else { return nil }
        if case .beginning = upload.phase { return nil }
        return upload
    }

    func create(_ work: UploadHandler, _ creation: UploadCreation, _ signIn: SignIn) {
        let record: UploadRecord
        do throws(UploadRefusal) {
            let family = try DocumentDescription(creation.metadata).family
            guard let membership = signIn.memberships.first(where: { $0.family == family }) else { throw .noFamily }
            record = try UploadRecord(
                member: membership.member, createdAt: now, endsWhenFull: creation.completion == .whenFull, metadata: creation.metadata)
            try checkCount(record)
        } catch {
            return work.refuse(error)
        }
        let promised = promised(record.family)
        let id = Random.identifier(milliseconds: now)
        let length = creation.length.map { Int64($0) }
        let upload = OpenUpload(
            id, record, UploadSteps(id, record, folder: folder, blobs: blobs), length: length, mostOctets: Int64(limits.documentOctets),
            expires: now + Int64(limits.uploadLife))
        // From here on it counts, for others that begin before this one has.
        uploads[id] = upload
        let document = record.newDocument(id, octets: length ?? 0, sha256: record.document.sha256 ?? [])
        let isLengthKnown = length != nil
        services.workers.read { reader throws(StoreFailure) in
            try reader.checkUpload(document, by: signIn, isLengthKnown: isLengthKnown, promised: promised)
        } then: { [self] answer in
            switch answer {
            case .success(let permit)?:
                upload.mostOctets = min(upload.mostOctets, permit.room)
                make(upload, work, creation)
            case .failure(let rejection)?:
                if rejection.code == .quotaExceeded { quotaRefusals.add(.files) }
                giveUp(upload, work, UploadRefusal(rejection))
            case nil: giveUp(upload, work, .busy)
            }
        }
    }

    private func make(_ upload: OpenUpload, _ work: UploadHandler, _ creation: UploadCreation) {
        guard work.isOpen else { return giveUp(upload, work, .busy) }
        var record = upload.record
        record.mostOctets = upload.length == nil ? upload.mostOctets : nil
        let (steps, length, description) = (upload.steps, upload.length, record.encoded)
        self.work(upload) { steps.create(length: length, description: description) } then: { [self] result in
            switch result {
            case .success?:
                upload.phase = .receiving
                name(work)
                report(.created(work.number), upload)
                work.created(upload, creation)
            case .failure(let fault)?: giveUp(upload, work, fault.refusal)
            case nil: giveUp(upload, work, .busy)
            }
        }
    }

    private func giveUp(_ upload: OpenUpload, _ work: UploadHandler, _ refusal: UploadRefusal) {
        uploads[upload.id] = nil
        work.refuse(refusal)
    }

    private func checkCount(_ record: UploadRecord) throws(UploadRefusal) {
        let open = uploads.values.filter { $0.isOpen && $0.record.family == record.family }
        let own = open.count { $0.record.member == record.member }
        guard own < limits.uploadsPerMember else { throw .tooMany }
        let most = mostOfFamily?(record.family) ?? limits.uploadsPerFamily
        guard open.count < most else {
            quotaRefusals.add(.uploads)
            throw .tooManyOfFamily(open.count, limit: most)
        }
    }

    /// The uploads that a family has open.
    func open(of family: Identifier) -> Int { uploads.values.count { $0.isOpen && $0.record.family == family } }

    /// Octets that the open uploads of a family may still become; one of unknown length counts as all that it may become.
    private func promised(_ family: Identifier) -> Int64 {
        uploads.values.reduce(0) { sum, upload in
            upload.isOpen && upload.record.family == family ? sum + (upload.length ?? upload.mostOctets) : sum
        }
    }

    // MARK: Turns

    /// A request has come to an upload.
    func enter(_ work: UploadHandler, _ upload: OpenUpload) {
        name(work)
        report(.entered(work.number, work.purpose), upload)
    }

    /// The request that had the turn has ended.
    ///
    /// - Parameter isLost: no client knows of the upload.
    func leave(_ upload: OpenUpload, isLost: Bool) {
        upload.expires = now + Int64(limits.uploadLife)
        let isForgotten = isLost && upload.isOpen && !upload.turns.isAwaited
        if let holder = upload.turns.holder { requests[holder] = nil }
        report(.ended, upload)
        if isForgotten { return remove(upload) { _ in } }
        if upload.turns.isFree, upload.isOpen, !upload.isGone { keep(upload) }
    }

    private func name(_ work: UploadHandler) {
        lastRequest += 1
        work.number = lastRequest
        requests[work.number] = work
    }

    /// Reports an event to the turns of an upload, and does what follows.
    private func report(_ event: UploadTurns.Event, _ upload: OpenUpload) {
        let progress = upload.turns.holder.flatMap { requests[$0]?.progress(now: services.now) }
        for action in upload.turns.receive(event, progress: progress, now: services.now) { perform(action, upload) }
    }

    private func perform(_ action: UploadTurns.Action, _ upload: OpenUpload) {
        switch action {
        case .grant(let number):
            guard let work = requests[number], work.isOpen else {
                requests[number] = nil
                return report(.ended, upload)
            }
            kept.removeAll { $0 == upload.id }
            work.takeTurn(upload)
            // The requests that wait behind it came later.
            if upload.turns.holder == number { report(.looked, upload) }
        case .yield(let number, let offset): requests[number]?.yieldTurn(for: offset)
        case .refuseBusy(let number): requests.removeValue(forKey: number)?.refuse(.busy)
        case .refuseOffset(let number, let provided):
            requests.removeValue(forKey: number)?.refuse(.offset(expected: Int(upload.offset), provided: Int(provided)))
        case .answer(let number): requests.removeValue(forKey: number)?.answerMeanwhile(upload)
        case .lookLater:
            if watched.isEmpty { watch.begin(services.reactor) }
            watched.insert(upload.id)
        }
    }

    /// Looks again at uploads with requests that wait whether the one before them falls silent.
    fileprivate func lookAgain() {
        let ids = watched
        watched = []
        for id in ids { if let upload = uploads[id] { report(.looked, upload) } }
    }

    /// Its files stay open for the next request, and others' do not, when there are many.
    private func keep(_ upload: OpenUpload) {
        kept.removeAll { $0 == upload.id }
        kept.append(upload.id)
        guard kept.count > UploadTable.maxKept, let oldest = uploads[kept.removeFirst()] else { return }
        let steps = oldest.steps
        work(oldest) { steps.close() } then: { (_: Void?) in }
    }

    /// Does a step of an upload; see `Workers.work`.
    func work<Answer: Sendable>(_ upload: OpenUpload, _ body: @escaping @Sendable () -> Answer, then: @escaping (Answer?) -> Void) {
        services.workers.work(upload.id, of: upload.record.family, body, then: then)
    }

    // MARK: Ends

    /// Brings what is full to its end: its place, its record.
    func complete(_ upload: OpenUpload, then: @escaping (Result<Void, UploadRefusal>) -> Void) {
        let steps = upload.steps
        work(upload) { steps.complete() } then: { [self] ended in
            if let standing = ended?.standing { upload.stand(standing) }
            switch ended?.1 {
            case .complete(let sha256)?: addDocument(upload, sha256, then: then)
            case .fault(let fault)?:
                if case .refused(let refusal) = fault, refusal.endsUpload { didEnd(upload, .refused(refusal)) }
                then(.failure(fault.refusal))
            case .stored?, nil: then(.failure(.busy))
            }
        }
    }

    /// Makes the document of a file that has its place. What cannot be made now is made when somebody asks again, or at the next start.
    func addDocument(_ upload: OpenUpload, _ sha256: [UInt8], then: @escaping (Result<Void, UploadRefusal>) -> Void) {
        services.workers.propose(.document(upload.record.newDocument(upload.id, octets: upload.offset, sha256: sha256))) { [self] answer in
            switch answer {
            case .document?, .share?:
                end(upload, .finished(sha256: sha256))
                then(.success(()))
            case .refused(let rejection)?:
                let refusal = UploadRefusal(rejection)
                if !rejection.code.isRetryable { end(upload, .refused(refusal)) }
                then(.failure(refusal))
            case nil: then(.failure(.busy))
            }
        }
    }

    /// Keeps of an upload how it ended, on disk too.
    func end(_ upload: OpenUpload, _ end: UploadEnd) {
        let steps = upload.steps
        work(upload) { steps.end(end) } then: { (_: Void?) in }
        didEnd(upload, end)
    }

    /// It ended, and the disk knows.
    func didEnd(_ upload: OpenUpload, _ end: UploadEnd) {
        switch end {
        case .finished(let sha256): upload.phase = .finished(sha256: sha256)
        case .refused(let refusal): upload.phase = .refused(refusal)
        }
        upload.expires = now + Int64(limits.uploadLife)
        kept.removeAll { $0 == upload.id }
        tell(upload, upload.isFinished ? .finished : .cancelled)
        let ended = uploads.values.filter { !$0.isOpen && $0.record.member == upload.record.member && $0.turns.holder == nil && $0 !== upload }
        guard ended.count >= UploadTable.maxEnded, let oldest = ended.min(by: { $0.expires < $1.expires }) else { return }
        remove(oldest) { _ in }
    }

    /// Nothing is kept of it.
    func remove(_ upload: OpenUpload, then: @escaping (Result<Void, UploadFault>) -> Void) {
        let steps = upload.steps
        work(upload) { steps.remove() } then: { [self] result in
            guard case .success? = result else { return then(result ?? .failure(.refused(.busy))) }
            upload.isGone = true
            uploads[upload.id] = nil
            kept.removeAll { $0 == upload.id }
            if upload.isOpen { tell(upload, .cancelled) }
            then(.success(()))
            report(.removed, upload)
        }
    }

    /// Removes all uploads of a family that is erased. One whose request is under way goes with its files (`ErasedFiles`), and nobody can ask for it.
    func removeAll(of family: Identifier) {
        for upload in uploads.values where upload.record.family == family && upload.turns.isFree {
            if case .beginning = upload.phase { continue }
            remove(upload) { _ in }
        }
    }

    /// Removes what has expired. Call it often; it looks seldom.
    func sweep(now reactorNow: Int64) {
        if let sweptAt, reactorNow - sweptAt < UploadTable.sweepInterval { return }
        sweptAt = reactorNow
        for upload in uploads.values where upload.expires < now && upload.turns.isFree {
            if case .beginning = upload.phase { continue }
            remove(upload) { _ in }
        }
    }

    // MARK: The family

    /// Tells the family how far an upload is, not too often.
    func tell(_ upload: OpenUpload, _ state: Wire.UploadProgress.State) {
        let now = services.now
        if state == .running, let before = upload.toldAt, now - before < UploadTable.tellInterval { return }
        upload.toldAt = now
        let record = upload.record
        reportProgress(
            Wire.UploadProgress(
                id: upload.id, member: record.member, athlete: record.document.athlete, title: record.document.title, octets: upload.written,
                total: upload.length, state: state), record.family)
    }
}

/// Wakes the table while somebody waits for a request to fall silent.
private final class UploadWatch: TimerTarget {
    private unowned let table: UploadTable

    init(_ table: UploadTable) { self.table = table }

    func begin(_ reactor: Reactor) { _ = reactor.schedule(afterMilliseconds: UploadTable.lookInterval, self, kind: 0) }

    override func timerFired(kind: Int) { table.lookAgain() }
}

extension OpenUpload {
    var isFinished: Bool { if case .finished = phase { true } else { false } }
}

@available(*, unavailable) extension UploadTable: Sendable {}
