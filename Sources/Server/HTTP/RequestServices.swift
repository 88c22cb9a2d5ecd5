import Bytes
import Family
import Ledger
import Reactor
import Store
import Wire

/// The parts of a shard that handlers of requests work with.
struct RequestServices {
    let reactor: Reactor
    let log: Log
    let workers: Workers
    let access: AccessControl
    let usage: UsageRecorder
    let accounts: AccountDesk

    /// Milliseconds of the reactor's clock.
    var now: Int64 { reactor.now }

    /// The answer to a client whose session has ended since it was identified; `nil` while its right holds.
    func refusal(of identity: Identity) -> HTTPResponse? {
        guard case .session(let signIn) = identity, access.hasEnded(signIn.session) else { return nil }
        return HTTPResponse(refusal: .signedOut(hasToken: true))
    }

    // MARK: Steps of a handler

    // Each step ends in `then` only if the request is still to be answered: not if its client has gone, and not if the step answered the request
    // itself, with 503 because it could not be done, or with 401 because the session ended meanwhile. So a handler reads top to bottom.

    /// Reads the database for a request.
    func read<Answer: Sendable>(
        for handler: RequestHandler, _ body: @escaping @Sendable (StoreReader) throws(StoreFailure) -> Answer, then: @escaping (Answer) -> Void
    ) {
        workers.read(body) { next(handler, $0, then) }
    }

    /// Gives the writer a job for a request. An answer is given even if the session ends meanwhile: the job was done.
    ///
    /// - Parameter refused: answers a refusal; `nil`: in the words of `HTTPResponse`.
    func write<Answer: Sendable>(
        for handler: RequestHandler, refused: ((Rejection) -> Void)? = nil,
        _ body: @escaping @Sendable (Store) throws(StoreFailure) -> (Result<Answer, Rejection>, [CommitResult]), then: @escaping (Answer) -> Void
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

    /// Does a job that may wait for a disk, as `Workers.work`.
    func work<Answer: Sendable>(
        for handler: RequestHandler, _ key: FilePool.Key, of family: Identifier, on pool: FilePool? = nil, _ body: @escaping @Sendable () -> Answer,
        then: @escaping (Answer) -> Void
    ) {
        workers.work(key, of: family, on: pool, body) { next(handler, $0, then) }
    }

    /// Proposes a change, which is committed with the mutations of this tick. An answer is given even if the session ends meanwhile: the change was made.
    func propose(for handler: RequestHandler, _ request: BatchRequest, then: @escaping (BatchAnswer) -> Void) {
        workers.propose(request) { answer in
            guard handler.isOpen else { return }
            switch answer {
            case nil: handler.respond(HTTPResponse(refusal: .busy))
            case .refused(let rejection)?: handler.respond(HTTPResponse(rejection))
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
