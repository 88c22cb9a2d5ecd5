import Blobs
import Bytes
import Family
import HTTP1
import Store
import Uploads
import Wire

/// One request to `/files`, from its head to its answer: its member, its turn at the upload, its octets to the disk,
/// and the result.
final class UploadRequestHandler: UploadHandler {
    private unowned let table: UploadTable
    let dialect: UploadDialect
    private let path: UploadPath
    private var asked = UploadRequest.options
    private(set) var upload: OpenUpload?
    private var stage = Stage.asking
    private var isCreation = false
    private var completion = UploadCompletion.whenFull
    private var checksum: UploadChecksum?
    /// Whether a newer request waits, so that this one must stop.
    private var yields = false
    /// The offset of its first octet, and the number of octets that were given to the disk.
    private var start: Int64 = 0
    private var given: Int64 = 0
    /// The number of buffers that the disk has not given back.
    private var outstanding = 0
    /// The time at which it began to receive: milliseconds of the reactor's clock.
    private var receivesSince: Int64 = 0
    /// Whether the client knows the upload's address.
    private var toldPlace = false
    /// Whether a buffer was lost; then no later octet may be written.
    private var isBroken = false

    private enum Stage {
        /// Its member and their rights are being checked.
        case asking
        /// It has its turn at an upload.
        case beginning
        case receiving
        /// The upload was finished before; the answer is repeated once the content is known to be empty.
        case repeating
        case ending
        case done
    }

    init(_ context: RequestContext, _ path: UploadPath, table: UploadTable) {
        self.table = table
        self.path = path
        dialect = UploadDialect(context.head)
        super.init(context)
    }

    // MARK: The member and the method

    override func begin() {
        do throws(UploadRefusal) {
            asked = try UploadRequest(context.head, path, dialect, maxLength: table.limits.documentOctets)
        } catch {
            return refuse(error)
        }
        // Only methods that uploads do not have come without a session, and these are refused above.
        guard let signIn = context.signIn else { return refuse(.notSignedIn) }
        switch asked {
        case .options: say(.options)
        case .create(let creation): table.create(self, creation, signIn)
        case .offset(let id), .append(let id, _), .cancel(let id):
            guard let upload = table.find(id, signIn) else { return refuse(.notFound) }
            table.enter(self, upload)
        }
    }

    // MARK: Its turn

    /// A question in tus does not end another request. In the draft (§"Concurrency") it does: there the next request
    /// must be able to continue at the offset in the answer.
    override var purpose: UploadTurns.Purpose {
        switch asked {
        case .append(_, let append): .append(at: Int64(append.offset))
        case .offset where dialect == .tus: .ask
        case .options, .create, .offset, .cancel: .other
        }
    }

    override func progress(now: Int64) -> UploadTurns.Progress? {
        switch stage {
        case .asking, .done: nil
        case .beginning: .beginning(offset: upload?.offset ?? 0)
        case .receiving:
            .receiving(
                UploadTurns.Receiving(
                    start: start, given: given, gathered: Int64(gathered), isWhole: checksum != nil, isWriting: outstanding > 0,
                    heardAt: max(contentAt, receivesSince)))
        case .repeating: .repeating
        case .ending: .ending
        }
    }

    override func answerMeanwhile(_ upload: OpenUpload) { say(.offset(upload.state)) }

    override func created(_ upload: OpenUpload, _ creation: UploadCreation) {
        self.upload = upload
        isCreation = true
        if context.head.minorVersion == 1, let head = dialect.began(upload.state, maxLength: table.limits.documentOctets, now: table.now) {
            toldPlace = isOpen
            inform(head.status, head.fields.list)
        }
        guard creation.hasContent || creation.completion == .declared(true) || creation.length == 0 else {
            say(.stored(upload.state, isCreation: true))
            return endTurn()
        }
        start(UploadAppend(offset: 0, completion: creation.completion, checksum: creation.checksum))
    }

    override func takeTurn(_ upload: OpenUpload) {
        self.upload = upload
        guard !upload.isGone else {
            refuse(.notFound)
            return endTurn()
        }
        // A finished upload repeats its result; a full one is completed first.
        if case .full = upload.phase {
            stage = .ending
            if case .cancel = asked { return answer() }
            return table.complete(upload) { [self] result in
                // A client that receives an offset equal to the length would conclude that everything is done.
                if case .failure(let refusal) = result, case .full = upload.phase {
                    refuse(refusal)
                    return endTurn()
                }
                answer()
            }
        }
        answer()
    }

    private func answer() {
        guard let upload else { return }
        switch asked {
        case .cancel:
            stage = .ending
            table.remove(upload) { [self] result in
                switch result {
                case .success: say(.cancelled)
                case .failure(let fault): refuse(fault.refusal)
                }
                endTurn()
            }
        case .append(_, let append): answer(append, upload)
        default:
            switch upload.phase {
            case .refused(let refusal): refuse(refusal)
            case .beginning, .receiving, .full, .finished: say(.offset(upload.state))
            }
            endTurn()
        }
    }

    private func answer(_ append: UploadAppend, _ upload: OpenUpload) {
        switch upload.phase {
        case .refused(let refusal):
            refuse(refusal)
            endTurn()
        case .finished:
            // The last answer may have been lost.
            stage = .repeating
            if append.offset != upload.offset {
                refuse(.offset(expected: Int(upload.offset), provided: append.offset))
            } else if dialect == .draft(.six) {
                refuse(.completed)
            } else if !acceptContent(limit: 0) {
                refuse(.completed)
            } else if let length = append.length, length != upload.offset {
                refuse(.inconsistentLength)
            } else {
                return
            }
            endTurn()
        case .full:
            refuse(.busy)
            endTurn()
        case .beginning, .receiving: start(append)
        }
    }

    // MARK: Octets

    private func start(_ append: UploadAppend) {
        guard let upload else { return }
        if upload.length == nil, Int64(append.length ?? 0) > upload.mostOctets {
            refuse(.noRoom)
            return endTurn()
        }
        stage = .beginning
        completion = append.completion
        checksum = append.checksum
        let steps = upload.steps
        let (offset, length, algorithm) = (Int64(append.offset), append.length.map { Int64($0) }, append.checksum?.algorithm)
        table.work(upload) { steps.begin(at: offset, length: length, checksum: algorithm) } then: { [self] result in
            switch result {
            case .success(let standing)?:
                upload.stand(standing)
                guard isOpen, !yields else {
                    if isOpen { refuse(.interrupted) }
                    return finish(isWhole: false)
                }
                accept(upload)
            case .failure(let fault)?:
                if case .mismatchingOffset(let expected, _)? = fault.refusal.problem { upload.stand(at: Int64(expected)) }
                refuse(fault.refusal)
                endTurn()
            case nil:
                refuse(.busy)
                endTurn()
            }
        }
    }

    private func accept(_ upload: OpenUpload) {
        stage = .receiving
        start = upload.offset
        receivesSince = table.reactorNow
        let room = max(0, (upload.length ?? upload.mostOctets) - upload.offset)
        if !acceptContent(limit: Int(room)) { overflow(upload) } else { table.tell(upload, .running) }
    }

    /// The content exceeds the upload's room.
    private func overflow(_ upload: OpenUpload) {
        let refusal = tooMuch(for: upload)
        guard dialect == .draft(.eight), upload.length != nil else {
            refuse(refusal)
            return finish(isWhole: false)
        }
        stage = .ending
        table.end(upload, .refused(refusal))
        refuse(refusal)
        endTurn()
    }

    private func tooMuch(for upload: OpenUpload) -> UploadRefusal {
        // Interop version 8: the upload is invalid from then on.
        if upload.length != nil { return dialect == .draft(.eight) ? .lengthExceeded : .pastLength }
        return upload.mostOctets < Int64(table.limits.documentOctets) ? .noRoom : .tooLarge
    }

    override func received(_ buffer: ContentBuffer) {
        guard let upload, stage == .receiving, !isBroken else { return giveBack(buffer) }
        let steps = upload.steps
        given += Int64(buffer.count)
        outstanding += 1
        table.work(upload) { () -> (ContentBuffer, Result<UploadSteps.Standing, UploadFault>) in
            (buffer, buffer.withOctets { steps.take($0) })
        } then: { [self] taken in
            outstanding -= 1
            guard let (buffer, result) = taken else {
                isBroken = true
                if stage == .receiving { finish(isWhole: false, because: .refused(.busy)) }
                return
            }
            giveBack(buffer)
            switch result {
            case .success(let standing):
                let before = upload.offset
                upload.stand(standing)
                if upload.offset > before, stage == .receiving, context.head.minorVersion == 1, let head = dialect.progressed(Int(upload.offset)) {
                    inform(head.status, head.fields.list)
                }
                table.tell(upload, .running)
            case .failure(let fault):
                if stage == .receiving { finish(isWhole: false, because: fault) }
            }
        }
    }

    override func contentEnded() {
        if stage == .repeating, let upload, case .finished(let sha256) = upload.phase {
            say(.finished(upload.state, sha256: sha256, isCreation: false))
            endTurn()
        }
        if stage == .receiving { finish(isWhole: !isBroken, because: isBroken ? .refused(.busy) : nil) }
    }

    override func cancelled() {
        if stage == .repeating { return endTurn() }
        guard let upload, stage == .receiving else { return }
        finish(isWhole: false)
        table.tell(upload, .paused)
    }

    override func tooSlow() -> HTTPResponse? { stage == .receiving ? response(.refused(.tooSlow, upload?.state)) : nil }

    override func refused(_ error: HTTPError) -> HTTPResponse? {
        if stage == .repeating {
            let answer = response(.refused(.completed, upload?.state))
            endTurn()
            return answer
        }
        guard let upload, stage == .receiving else { return nil }
        guard error == .contentTooLarge else {
            finish(isWhole: false)
            return error.status == 400 ? response(.refused(.badRequest("its chunks cannot be read"), nil)) : nil
        }
        let refusal = tooMuch(for: upload)
        if dialect == .draft(.eight), upload.length != nil {
            stage = .ending
            table.end(upload, .refused(refusal))
            endTurn()
        } else {
            finish(isWhole: false)
        }
        return response(.refused(refusal, nil))
    }

    override func yieldTurn(for offset: Int64?) {
        yields = true
        if stage == .repeating {
            refuse(.interrupted)
            return endTurn()
        }
        guard stage == .receiving else { return }
        if offset != start + given { gather() }
        refuse(.interrupted)
        finish(isWhole: false)
    }

    // MARK: The end

    private func finish(isWhole: Bool, because fault: UploadFault? = nil) {
        guard let upload else { return }
        stage = .ending
        let steps = upload.steps
        let checksum = checksum
        let completes: Bool? = if case .declared(let isLast) = completion { isLast } else { nil }
        table.work(upload) { steps.end(isWhole: isWhole, completes: completes, checksum: checksum) } then: { [self] ended in
            if let standing = ended?.standing { upload.stand(standing) }
            switch ended?.1 {
            case nil: refuse(.busy)
            case .stored?:
                if let fault { refuse(fault.refusal) } else { say(.stored(upload.state, isCreation: isCreation)) }
            case .fault(let found)?:
                if case .refused(let refusal) = found, refusal.endsUpload { table.didEnd(upload, .refused(refusal)) }
                if case .disk = found, upload.offset == upload.length, completes ?? true { upload.phase = .full }
                refuse((fault ?? found).refusal)
            case .complete(let sha256)?:
                upload.phase = .full
                return table.addDocument(upload, sha256) { [self] outcome in
                    switch outcome {
                    case .success: say(.finished(upload.state, sha256: sha256, isCreation: isCreation))
                    case .failure(let refusal): refuse(refusal)
                    }
                    endTurn()
                }
            }
            endTurn()
        }
    }

    private func endTurn() {
        guard let upload, stage != .done else { return }
        stage = .done
        // No client knows its address, so none can resume it.
        let isLost = isCreation && !toldPlace
        self.upload = nil
        table.leave(upload, isLost: isLost)
    }

    // MARK: Answers

    private func say(_ outcome: UploadOutcome) {
        guard isOpen else { return }
        toldPlace = true
        respond(response(outcome))
    }

    override func refuse(_ refusal: UploadRefusal) {
        // The answer contains no address if the client does not know the upload, or if the upload cannot be resumed.
        guard isOpen else { return }
        respond(response(.refused(refusal, refusal == .notFound ? nil : upload?.state)))
    }

    private func response(_ outcome: UploadOutcome) -> HTTPResponse {
        let answer = dialect.answer(outcome, maxLength: table.limits.documentOctets, now: table.now)
        return HTTPResponse(answer.status, answer.fields, content: answer.content)
    }
}
