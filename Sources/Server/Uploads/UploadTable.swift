import Blobs
import Bytes
import Crypto
import Family
import Ledger
import HTTP1
import Posix
import EventLoop
import Store
import Uploads
import Wire

/// All uploads that are running or ended lately. `UploadTurns` decides which request has its turn at an upload.
///
/// The turn of a request is never on disk, so a crash leaves none behind.
final class UploadTable {
    private let services: RequestServices
    let limits: Limits
    private let folder: UploadFolder
    private let blobs: BlobFolder
    /// Reports progress to the live room of a family.
    private let reportProgress: (UploadProgress, _ family: Identifier) -> Void
    /// The wall clock, milliseconds.
    private let clock: () -> Int64
    private var uploads: [Identifier: OpenUpload] = [:]
    /// Uploads without a turn whose files are kept open for the next request, the latest last.
    private var kept: [Identifier] = []
    private var sweptAt: Int64?
    /// Requests that have reached an upload and not left it, by their number.
    private var requests: [UploadTurns.Request: UploadHandler] = [:]
    private var lastRequest: UploadTurns.Request = 0
    /// Uploads with requests that wait to see whether the active one goes quiet.
    private var watched: Set<Identifier> = []
    private lazy var watch = UploadWatch(self)
    /// The largest number of open uploads of a family; set once before the loop runs.
    var mostOfFamily: ((Identifier) -> Int)?
    /// The refusals because of a family's limits.
    let quotaRefusals = CounterTable<FamilyQuota>([.uploads, .files])

    /// Milliseconds between two checks whether the active request, for which others wait, has gone quiet.
    static let lookInterval: Int64 = 100
    /// The largest number of uploads whose files stay open between two requests, two descriptors each; their digests
    /// continue without reading the stored octets again.
    static let maxKept = 32
    /// The largest number of ended uploads of one member that are kept, so that a repeated request gets the same
    /// answer.
    static let maxEnded = 100
    /// Milliseconds between two checks for expired uploads.
    static let sweepInterval: Int64 = 60_000
    /// Milliseconds between two reports to the family about one upload.
    static let tellInterval: Int64 = 1_000

    init(
        services: RequestServices, limits: Limits, reportProgress: @escaping (UploadProgress, _ family: Identifier) -> Void, folder: UploadFolder,
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

    /// The number of known uploads.
    var count: Int { uploads.count }

    /// The number of requests at an upload now.
    var openRequests: Int { requests.count }

    // MARK: The start

    /// Reads the uploads on disk. Call it before the loop runs, and before anything else opens an upload.
    func load() throws(Errno) {
        try folder.prepare()
        try folder.removeLeftovers()
        for id in try folder.list().uploads {
            do throws(Errno) {
                guard try load(id) else { services.log(.warning, "upload_unreadable", [.init("upload", id.description)]); continue }
            } catch {
                // It stays for `huddled check` to report, and clients do not see it.
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
        // The room that the family had when the upload began has been reserved since, so the upload still has it.
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

    /// Makes the documents of uploads that were full when the server stopped. Call it just before the loop runs.
    func resume() {
        for upload in uploads.values {
            guard case .full = upload.phase else { continue }
            report(.blocked, upload)
            complete(upload) { [self] _ in report(.unblocked, upload) }
        }
    }

    // MARK: Requests

    /// An upload of the caller; other members' uploads are not found.
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
        // From here on it counts for the limits of other uploads that begin before this one has begun.
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

    /// The octets that the open uploads of a family may still add; an upload of unknown length counts with its limit.
    private func promised(_ family: Identifier) -> Int64 {
        uploads.values.reduce(0) { sum, upload in
            upload.isOpen && upload.record.family == family ? sum + (upload.length ?? upload.mostOctets) : sum
        }
    }

    // MARK: Turns

    /// A request has reached an upload.
    func enter(_ work: UploadHandler, _ upload: OpenUpload) {
        name(work)
        report(.entered(work.number, work.purpose), upload)
    }

    /// The active request has ended.
    ///
    /// - Parameter isLost: whether no client knows of the upload.
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

    /// Reports an event to the turns of an upload, and carries out the results.
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

    /// Checks again the uploads with requests that wait to see whether the active one goes quiet.
    fileprivate func lookAgain() {
        let ids = watched
        watched = []
        for id in ids { if let upload = uploads[id] { report(.looked, upload) } }
    }

    /// Keeps the files of an upload open for the next request, and closes those of others if there are many.
    private func keep(_ upload: OpenUpload) {
        kept.removeAll { $0 == upload.id }
        kept.append(upload.id)
        guard kept.count > UploadTable.maxKept, let oldest = uploads[kept.removeFirst()] else { return }
        let steps = oldest.steps
        work(oldest) { steps.close() } then: { (_: Void?) in }
    }

    /// Runs a step of an upload; see `Workers.work`.
    func work<Answer: Sendable>(_ upload: OpenUpload, _ body: @escaping @Sendable () -> Answer, then: @escaping (Answer?) -> Void) {
        services.workers.work(upload.id, of: upload.record.family, body, then: then)
    }

    // MARK: Ends

    /// Completes a full upload: its place, and its record.
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

    /// Makes the document of a file that is in its place. If that fails now, the next request or the next start tries
    /// again.
    func addDocument(_ upload: OpenUpload, _ sha256: [UInt8], then: @escaping (Result<Void, UploadRefusal>) -> Void) {
        services.workers.propose(.document(upload.record.newDocument(upload.id, octets: upload.offset, sha256: sha256))) { [self] answer in
            switch answer {
            case .document?, .share?, .calendar?:
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

    /// Keeps the end of an upload, also on disk.
    func end(_ upload: OpenUpload, _ end: UploadEnd) {
        let steps = upload.steps
        work(upload) { steps.end(end) } then: { (_: Void?) in }
        didEnd(upload, end)
    }

    /// An upload has ended, and its end is on disk.
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

    /// Removes an upload completely.
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

    /// Removes all uploads of an erased family. An upload with a running request disappears together with its files
    /// (`ErasedFiles`), and nobody can ask for it.
    func removeAll(of family: Identifier) {
        for upload in uploads.values where upload.record.family == family && upload.turns.isFree {
            if case .beginning = upload.phase { continue }
            remove(upload) { _ in }
        }
    }

    /// Removes expired uploads. Call it often; it checks rarely.
    func sweep(now reactorNow: Int64) {
        if let sweptAt, reactorNow - sweptAt < UploadTable.sweepInterval { return }
        sweptAt = reactorNow
        for upload in uploads.values where upload.expires < now && upload.turns.isFree {
            if case .beginning = upload.phase { continue }
            remove(upload) { _ in }
        }
    }

    // MARK: The family

    /// Reports the progress of an upload to the family, not too often.
    func tell(_ upload: OpenUpload, _ state: UploadProgress.State) {
        let now = services.now
        if state == .running, let before = upload.toldAt, now - before < UploadTable.tellInterval { return }
        upload.toldAt = now
        let record = upload.record
        reportProgress(
            UploadProgress(
                id: upload.id, member: record.member, athlete: record.document.athlete, title: record.document.title, octets: upload.written,
                total: upload.length, state: state), record.family)
    }
}

/// Wakes the table while requests wait for the active one to go quiet.
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
