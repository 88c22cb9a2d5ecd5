import HTTP1
import Locks
import EventLoop
import Testing

@testable import Server

@Suite("The web client is made beside the event loop")
struct WebClientMakerTests {
    @Test("Requests that come before the files are made wait for them, and nobody else does; the files are made once")
    func waits() throws {
        let (entered, gate) = (BlockingQueue<Bool>(limit: 2), BlockingQueue<Bool>(limit: 1))
        defer { gate.close() }
        let maker = WebClientMaker {
            _ = entered.put(true)
            _ = gate.take()
            return WebClientFiles.embedded
        }
        let server = try TestShard(site: HTTPSite(web: .program, webMaker: maker))
        let paths = ["/", "/worker.js", "/app/\(WebClientFiles.embeddedBuild)/app.css", "/app/none/app.css", "/events"]
        let waiting = try paths.map { path in
            let client = try server.connect()
            client.send(text: HTTPTests.request("GET \(path)"))
            return client
        }
        try server.until("the files are under way") { entered.count > 0 }
        for _ in 0..<3 {
            let other = try server.connect()
            #expect(try HTTPTests.ask(server, other, HTTPTests.request("GET /health")).statuses == [200])
            other.leave()
        }
        #expect(maker.files == nil)
        for client in waiting {
            try client.receive()
            #expect(client.octets.isEmpty)
        }
        waiting.last?.leave()

        gate.close()
        for (client, status) in zip(waiting, [200, 200, 200, 404]) {
            try server.until("the answer comes") {
                try client.receive()
                return try !HTTPAnswers(client.octets).list.isEmpty
            }
            #expect(try HTTPAnswers(client.octets).statuses == [status])
        }
        let later = try server.connect()
        #expect(try HTTPTests.ask(server, later, HTTPTests.request("GET /events")).statuses == [200])
        #expect(maker.files != nil && entered.count == 1)
    }

    @Test("The thread starts once, however often it is asked for")
    func begins() {
        let made = Lock(0)
        let (done, maker) = (BlockingQueue<Bool>(limit: 1), WebClientMaker {
            made.withLock { $0 += 1 }
            return WebClientFiles.embedded
        })
        for _ in 0..<3 { maker.begin() }
        maker.whenMade { _ in _ = done.put(true) }
        #expect(done.take() == [true])
        maker.begin()
        #expect(maker.files != nil && made.withLock { $0 } == 1)
    }
}
