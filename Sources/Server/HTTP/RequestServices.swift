import Bytes
import Family
import Ledger
import EventLoop
import Store
import Wire

/// The parts of a shard that request handlers use.
struct RequestServices {
    let reactor: Reactor
    let log: Log
    let workers: Workers
    let access: AccessControl
    let usage: UsageRecorder
    let accounts: AccountService

    /// Milliseconds of the reactor's clock.
    var now: Int64 { reactor.now }

    /// The answer to a client whose session has ended since it was identified; `nil` while its right is valid.
    func refusal(of identity: Identity) -> HTTPResponse? {
        switch identity {
        case .session(let signIn) where access.hasEnded(signIn.session): HTTPResponse(refusal: .signedOut(hasToken: true))
        case .calendar(let calendars) where access.hasEnded(calendars.session): HTTPResponse(refusal: .noCalendar)
        default: nil
        }
    }

    // MARK: Steps of a handler

    // Each step calls `then` only if the request still needs an answer. It does not if the client has disconnected, or
    // if the step answered the request itself: with 503 because it failed, or with 401 because the session ended in the
    // meantime. So a handler reads top to bottom.

    /// Reads the database for a request.
    func read<Answer: Sendable>(
        for handler: RequestHandler, _ body: @escaping @Sendable (StoreReader) throws(StoreFailure) -> Answer, then: @escaping (Answer) -> Void
    ) {
        workers.read(body) { next(handler, $0, then) }
    }

    /// Gives the writer a job for a request. The request is answered even if the session ends in the meantime, because
    /// the job was done.
    ///
    /// - Parameter refused: answers a refusal; `nil`: with the sentence of `HTTPResponse`.
    func write<Answer: Sendable>(
        for handler: RequestHandler, refused: ((Rejection) -> Void)? = nil,
        _ body: @escaping @Sendable (FamilyStore) throws(StoreFailure) -> (Result<Answer, Rejection>, [CommitResult]), then: @escaping (Answer) -> Void
    ) {
        workers.write(body) { answer in
            guard handler.isOpen else { return }
            switch answer {
            case nil: handler.respond(HTTPResponse(refusal: .busy))
            case .failure(let rejection)?: if let refused { refused(rejection) } else { handler.respond(HTTPResponse(rejection)) }
            case .success(let answer)?: then(answer)
            }
        }
    }

    /// Runs a job that may wait for a disk, as `Workers.work` does.
    func work<Answer: Sendable>(
        for handler: RequestHandler, _ key: FilePool.Key, of family: Identifier, on pool: FilePool? = nil, _ body: @escaping @Sendable () -> Answer,
        then: @escaping (Answer) -> Void
    ) {
        workers.work(key, of: family, on: pool, body) { next(handler, $0, then) }
    }

    /// Proposes a change, which is committed with the mutations of this tick. The request is answered even if the
    /// session ends in the meantime, because the change was made.
    ///
    /// - Parameter refused: answers a refusal; `nil`: with the sentence of `HTTPResponse`.
    func propose(for handler: RequestHandler, refused: ((Rejection) -> Void)? = nil, _ request: BatchRequest, then: @escaping (BatchAnswer) -> Void) {
        workers.propose(request) { answer in
            guard handler.isOpen else { return }
            switch answer {
            case nil: handler.respond(HTTPResponse(refusal: .busy))
            case .refused(let rejection)?: if let refused { refused(rejection) } else { handler.respond(HTTPResponse(rejection)) }
            case let answer?: then(answer)
            }
        }
    }

    private func next<Answer>(_ handler: RequestHandler, _ answer: Answer?, _ then: (Answer) -> Void) {
        guard handler.isOpen else { return }
        if let refusal = refusal(of: handler.context.identity) { return handler.respond(refusal) }
        guard let answer else { return handler.respond(HTTPResponse(refusal: .busy)) }
        then(answer)
    }
}

@available(*, unavailable) extension RequestServices: Sendable {}
