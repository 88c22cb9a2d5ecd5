import Testing

@testable import HTTP1

/// A server without sockets: the state machine, its unconsumed octets, and a page at `/`.
struct ServerScript {
    var machine = HTTPServerConnection()
    /// Accepts content of a POST up to 1 MiB and responds with 200; otherwise the response comes before the content.
    var reads = false
    private(set) var held: [UInt8] = []
    private(set) var said: [UInt8] = []
    private(set) var targets: [String] = []
    private(set) var contents: [[UInt8]] = []
    private var methods: [String] = []
    private var content: [UInt8] = []

    init(reads: Bool = false) { self.reads = reads }

    mutating func receive(_ octets: [UInt8]) {
        held += octets
        while true {
            let all = held
            let (event, consumed) = machine.next(all.span)
            switch event {
            case .needsMore, .waits:
                held.removeFirst(consumed)
                if consumed == 0 { return }
                continue
            case .content(let range): content += held[range]
            case .contentEnd:
                contents.append(content)
                content = []
                answer(200)
            case .refused(let error):
                methods.append("")
                answer(error.status)
            case .request(let head): route(head)
            }
            held.removeFirst(consumed)
        }
    }

    private mutating func route(_ head: RequestHead) {
        methods.append(head.method)
        targets.append(head.target)
        switch (head.method, head.path) {
        case ("GET", "/"), ("HEAD", "/"): answer(200)
        case ("POST", "/") where reads:
            do throws(HTTPError) { said += try machine.accept(limit: 1 << 20) } catch { answer(error.status) }
        case ("GET", _), ("HEAD", _): answer(404)
        case ("POST", _): answer(405)
        default: answer(501)
        }
    }

    mutating func answer(_ status: Int, _ body: String = "hello") {
        let body = Array(body.utf8)
        let isSent = machine.respond(ResponseHead(status), .octets(body.count), date: "today", to: &said)
        if isSent { body.withUnsafeBytes { machine.append($0, to: &said) } }
        machine.finishResponse(to: &said)
    }

    /// The statuses of the responses, each response complete and nothing between them.
    func statuses() throws -> [Int] {
        var statuses: [Int] = []
        var rest = said[...]
        var methods = self.methods[...]
        while !rest.isEmpty {
            let (head, length) = try #require(try ResponseHead.parse(Array(rest).span))
            statuses.append(head.status)
            rest = rest.dropFirst(length)
            if head.status < 200 { continue }
            guard case .length(let count) = head.framing else { throw HTTPError.framing }
            if methods.popFirst() != "HEAD" { rest = rest.dropFirst(count) }
        }
        return statuses
    }
}
