import HTTP1
import Locks
import Posix
import EventLoop

/// Makes the files of the web client once, on a thread of its own: to join and compress them takes a good part of a
/// second of a core, and neither the start of a server nor its event loop waits for that.
///
///     (none) --begin, a request--> under way --the thread ends--> made
final class WebClientMaker: Sendable {
    private enum State {
        case none
        /// With the requests that wait; the limit of connections bounds them.
        case underWay([@Sendable (WebClientFiles) -> Void])
        case made(WebClientFiles)
    }

    /// The files of this program, for all servers of the process.
    static let program = WebClientMaker { WebClientFiles.embedded }

    private let state = Lock(State.none)
    private let make: @Sendable () -> WebClientFiles

    init(_ make: @escaping @Sendable () -> WebClientFiles) { self.make = make }

    /// The files, if they are made.
    var files: WebClientFiles? { state.withLock { if case .made(let files) = $0 { files } else { nil } } }

    /// Starts the thread, unless it was started.
    func begin() {
        let isFirst = state.withLock { state in
            guard case .none = state else { return false }
            state = .underWay([])
            return true
        }
        guard isFirst else { return }
        // Nobody waits for the thread's end, so that the end of a server does not wait for it.
        _ = Thread.start(name: "web client") { [self] in
            let files = make()
            let waiting = state.withLock { state -> [@Sendable (WebClientFiles) -> Void] in
                defer { state = .made(files) }
                guard case .underWay(let waiting) = state else { return [] }
                return waiting
            }
            for then in waiting { then(files) }
        }
    }

    /// Begins if nobody has.
    ///
    /// - Parameter then: called once with the files, in this call or on the thread that makes them.
    func whenMade(_ then: @escaping @Sendable (WebClientFiles) -> Void) {
        begin()
        let made = state.withLock { state -> WebClientFiles? in
            switch state {
            case .made(let files): return files
            case .underWay(let waiting): state = .underWay(waiting + [then])
            case .none: break
            }
            return nil
        }
        if let made { then(made) }
    }
}

/// The web client of this program, as the routes of one server use it.
struct WebClientSite {
    let maker: WebClientMaker
    let workers: Workers
    let events: Mailbox<ShardEvent>

    /// Answers now if the files are made, and otherwise when they are.
    func answer(_ context: RequestContext, _ answer: @escaping (RequestHead, WebClientFiles) -> HTTPResponse) -> HTTPAnswer {
        if let files = maker.files { return .response(answer(context.head, files)) }
        return .handler(PendingWebFile(context, self, answer))
    }
}

@available(*, unavailable) extension WebClientSite: Sendable {}

/// A request that came before the files were made.
private final class PendingWebFile: RequestHandler {
    private let site: WebClientSite
    private let answer: (RequestHead, WebClientFiles) -> HTTPResponse

    init(_ context: RequestContext, _ site: WebClientSite, _ answer: @escaping (RequestHead, WebClientFiles) -> HTTPResponse) {
        self.site = site
        self.answer = answer
        super.init(context)
    }

    override func begin() {
        _ = site.workers.start { [site] ticket in
            site.maker.whenMade { [events = site.events] in events.put(.jobEnded(ticket, $0)) }
            return true
        } then: { [self] (files: WebClientFiles?) in
            respond(files.map { answer(context.head, $0) } ?? HTTPResponse(refusal: .busy))
        }
    }
}
