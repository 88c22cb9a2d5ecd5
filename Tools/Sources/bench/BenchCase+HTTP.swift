import HTTP1

// Requests and their content.
extension BenchCase {
    static var http: [BenchCase] {
        [
            BenchCase(
                name: "http-request", question: "a browser's GET of 600 octets, read, and the head of its answer written",
                unit: .nanoseconds(per: "request"), floor: "copying its octets once"
            ) {
                let request = Array(
                    ("GET /health?x=1 HTTP/1.1\r\nHost: huddle.example:8787\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101\r\n"
                        + "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\nAccept-Language: en-US,en;q=0.5\r\n"
                        + "Accept-Encoding: gzip, deflate, br\r\nConnection: keep-alive\r\nUpgrade-Insecure-Requests: 1\r\nCookie: "
                        + String(repeating: "a", count: 200) + "\r\n\r\n").utf8)
                let memory = Scratch(4_096)
                return Work(
                    run: { times in
                        var connection = HTTPServerConnection()
                        var output: [UInt8] = []
                        for _ in 0..<times {
                            if connection.phase == .closing { connection = HTTPServerConnection() }
                            guard case .request(let head) = connection.next(request.span).event else { throw HTTPError.startLine }
                            use(head.fields.list.count)
                            output.removeAll(keepingCapacity: true)
                            _ = connection.respond(
                                ResponseHead(200, [Field("Content-Type", "application/json")]), .octets(0),
                                date: "Sun, 06 Nov 1994 08:49:37 GMT", to: &output)
                            connection.finishResponse(to: &output)
                            use(output.count)
                        }
                    }, floor: { times in for _ in 0..<times { memory.copy(request) } })
            },
            BenchCase(
                name: "http-chunks", question: "64 KiB of content in chunks of 4 KiB, found where they are",
                unit: .nanoseconds(per: "64 KiB"), floor: "copying its octets once"
            ) {
                let chunk = Array("1000\r\n".utf8) + [UInt8](repeating: 7, count: 4_096) + [13, 10]
                let content = Array((0..<16).map { _ in chunk }.joined()) + Array("0\r\n\r\n".utf8)
                let memory = Scratch(content.count)
                return Work(
                    run: { times in
                        for _ in 0..<times {
                            var reader = try ContentReader(.chunked, limit: 1 << 20)
                            var offset = 0
                            var isEnd = false
                            while !isEnd {
                                let piece = try reader.read(content.span.extracting(offset...))
                                offset += piece.consumed
                                isEnd = piece.isEnd
                            }
                            use(reader.count)
                        }
                    }, floor: { times in for _ in 0..<times { memory.copy(content) } })
            },
        ]
    }
}
