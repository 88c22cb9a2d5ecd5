import HTTP1
import Testing

@testable import Server

@Suite("Proxies that hide their clients")
struct ProxyWatchTests {
    private let lines = LogLines()

    private func address(_ text: String) throws -> NetworkAddress { try #require(NetworkAddress(text)) }

    @Test(
        "A request over loopback with a field that only proxies send is reported, from a peer that is not trusted",
        arguments: ["forwarded", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "via", "x-real-ip"], ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
    func detected(field: String, peer: String) throws {
        let watch = ProxyWatch(log: lines.log)
        watch.look(at: HTTPFields([Field(field, "x")]), from: try address(peer), ProxyTrust(), now: 1)
        #expect(watch.faults(now: 1) == [.notTrusted])
        #expect(lines.count("level=warning event=proxy_not_trusted", "requests=1", "--trusted-proxy") == 1)
    }

    @Test("Clients on this machine, trusted proxies that name their clients, and other machines are not reported")
    func innocent() throws {
        let watch = ProxyWatch(log: lines.log)
        let local = try address("127.0.0.1")
        watch.look(at: HTTPFields([Field("host", "a"), Field("user-agent", "curl"), Field("x-forward", "1")]), from: local, ProxyTrust(), now: 1)
        let trust = ProxyTrust([try #require(AddressRange("127.0.0.1"))])
        watch.look(at: HTTPFields([Field("x-forwarded-for", "192.0.2.1"), Field("via", "1.1 a")]), from: local, trust, now: 1)
        watch.look(at: HTTPFields([Field("via", "1.1 a")]), from: try address("192.0.2.9"), ProxyTrust(), now: 1)
        watch.look(at: HTTPFields([Field("via", "1.1 a")]), from: nil, ProxyTrust(), now: 1)
        #expect(watch.faults(now: 1) == [] && lines.all.isEmpty)
    }

    @Test("A proxy that comes from the other loopback address than the trusted one is reported")
    func otherFamily() throws {
        let watch = ProxyWatch(log: lines.log)
        watch.look(at: HTTPFields([Field("x-forwarded-for", "192.0.2.1")]), from: try address("::1"), ProxyTrust([try #require(AddressRange("127.0.0.1"))]), now: 1)
        #expect(lines.count("event=proxy_not_trusted peer=::1") == 1)
    }

    @Test("A trusted proxy that does not name its clients is reported, because their limits are off as well")
    func silent() throws {
        let watch = ProxyWatch(log: lines.log)
        watch.look(at: HTTPFields([Field("x-forwarded-proto", "https")]), from: try address("127.0.0.1"), ProxyTrust([try #require(AddressRange("127.0.0.1"))]), now: 1)
        #expect(watch.faults(now: 1) == [.hidesClients] && lines.count("event=proxy_hides_clients") == 1)
    }

    @Test("A flood is one line per ten minutes, which counts the requests since the last one; the fault ends an hour after the last request")
    func interval() throws {
        let watch = ProxyWatch(log: lines.log)
        let fields = HTTPFields([Field("via", "1.1 a")])
        let local = try address("127.0.0.1")
        for now in Int64(0)..<1_000 { watch.look(at: fields, from: local, ProxyTrust(), now: now) }
        #expect(lines.all.count == 1)
        watch.look(at: fields, from: local, ProxyTrust(), now: ProxyWatch.reportInterval - 1)
        #expect(lines.all.count == 1)
        watch.look(at: fields, from: local, ProxyTrust(), now: ProxyWatch.reportInterval)
        #expect(lines.all.count == 2 && lines.count("requests=1001") == 1)
        let last = ProxyWatch.reportInterval
        #expect(watch.faults(now: last + ProxyWatch.memory - 1) == [.notTrusted] && watch.faults(now: last + ProxyWatch.memory) == [])
    }
}
