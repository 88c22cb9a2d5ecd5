import Bytes
import Family
import HTTP1
import Store
import Testing
import Wire

@testable import Server

@Suite("Codes of invites: a used one opens nothing", .serialized)
struct RedemptionTests {
    private static let thiefsNonce = "00000000000000000000000000000000"

    @Test("Somebody who saw the code and the client id redeems a used code: refused as unknown, and the member stays signed in")
    func takeover() throws {
        let server = try TestShard()
        let victim = try server.open()
        victim.redeem(server.code)
        #expect(try victim.next() == "token")
        victim.say("{\"type\":\"sign_in\",\"token\":\"\(victim.token)\"}")
        #expect(try victim.next() == "welcome")
        victim.join(server.parent.family, 3)
        try victim.skip(to: "live")
        victim.mutate(1)
        try victim.skip(to: "ack 1")

        let thief = try server.open()
        let client = Identifier(high: 7, low: 3)
        thief.redeem(server.code, nonce: "\(client)".replacing("-", with: ""))
        #expect(try thief.next() == "error code_unknown")
        let used = thief.refusal
        // The victim's own nonce does not help either, since the token was.
        thief.redeem(server.code)
        #expect(try thief.next() == "error code_unknown")
        #expect(thief.refusal == used)
        thief.redeem("00000-00000-00000-00000")
        #expect(try thief.next() == "error code_unknown")
        #expect(thief.refusal == used, "a used code gets the answer of an unknown one")
        // As it was before there was a nonce.
        let former = try server.open()
        former.say("{\"type\":\"redeem\",\"code\":\"\(server.code)\",\"client\":\"\(client)\"}")
        #expect(try former.rest().suffix(3) == ["error bad_frame", "close 4502", "end"])

        victim.mutate(2)
        #expect(try victim.skip(to: "ack 2") == "ack 2")
        let again = try server.open()
        again.say("{\"type\":\"sign_in\",\"token\":\"\(victim.token)\"}")
        #expect(try again.next() == "welcome")
    }

    @Test("A lost answer can be repeated for 10 minutes, with the same nonce only")
    func lostAnswer() throws {
        let server = try TestShard()
        let lost = try server.open()
        lost.redeem(server.code)
        #expect(try lost.next() == "token")
        lost.leave()
        let client = try server.open()
        client.redeem(server.code, nonce: Self.thiefsNonce)
        #expect(try client.next() == "error code_unknown")
        client.redeem(server.code)
        #expect(try client.next() == "token")
        #expect(client.token != lost.token)
        server.passDay(milliseconds: 300_000)
        client.redeem(server.code)
        #expect(try client.next() == "token")
        server.passDay(milliseconds: 300_000)
        client.redeem(server.code)
        #expect(try client.next() == "error code_unknown")
        client.say("{\"type\":\"sign_in\",\"token\":\"\(client.token)\"}")
        #expect(try client.next() == "welcome")
        let late = try server.open()
        late.say("{\"type\":\"sign_in\",\"token\":\"\(lost.token)\"}")
        #expect(try late.next() == "error token_unknown")
    }

    @Test("The first use of the token over HTTP kills the code, too", arguments: ["/documents/", "/documents/none", "/documents/*/shares"])
    func bearer(path: String) throws {
        let fixture = try DocumentFixture()
        let client = try fixture.server.open()
        client.redeem(fixture.server.code)
        #expect(try client.next() == "token")
        let owner = SessionCreated(token: client.token, family: fixture.server.athlete.family, member: fixture.server.athlete.member, role: .athlete)
        let target = path == "/documents/" ? fixture.path : path.replacing("*", with: "\(fixture.document)")
        let status = try fixture.ask("GET \(target)", as: owner).status
        #expect(status == (path == "/documents/none" ? 404 : 200))
        client.redeem(fixture.server.code)
        #expect(try client.next() == "error code_unknown")
    }

    @Test("An address tries a limited number of codes per window, over all its connections; others continue, and so does it in the next")
    func rate() throws {
        let server = try TestShard()
        var words: [String] = []
        // On a slow machine a window may end in the meantime; `rateBound` counts exactly.
        while words.last != "error rate_limited", words.count < 20 * AddressRate.redemptions.most {
            let client = try server.open(from: "198.51.100.7")
            for _ in 0..<5 where words.last != "error rate_limited" {
                client.redeem("00000-00000-00000-00000")
                words.append(try client.next())
            }
            if let wait = client.refusal?.retryAfter { #expect(wait <= AddressRate.window) }
            client.leave()
        }
        #expect(words.last == "error rate_limited")
        #expect(words.count > AddressRate.redemptions.most && Set(words.dropLast()) == ["error code_unknown"])
        let other = try server.open(from: "198.51.100.8")
        other.redeem("00000-00000-00000-00000")
        #expect(try other.next() == "error code_unknown")
        server.pass(milliseconds: AddressRate.window)
        let later = try server.open(from: "198.51.100.7")
        later.redeem(server.code)
        #expect(try later.next() == "token")
    }

    @Test("The rate drops old counts rather than grow")
    func rateBound() {
        var rate = AddressRate.redemptions
        let first = NetworkAddress("198.51.100.7")
        for _ in 0..<AddressRate.redemptions.most { #expect(rate.take(first, now: 50_000) == nil) }
        #expect(rate.take(first, now: 50_000) == AddressRate.window)
        #expect(rate.take(nil, now: 50_000) == nil)
        for number in 0..<AddressRate.maxAddresses { _ = rate.take(NetworkAddress("10.\(number >> 16).\(number >> 8 & 255).\(number & 255)"), now: 50_001) }
        #expect(rate.take(first, now: 50_002) == nil)
    }
}

@Suite("Rates of one address, over all its connections", .serialized)
struct AddressRateTests {
    @Test("new connections: the next one above the limit is refused with 429, another address is not, and after the window all may come")
    func connections() throws {
        let server = try TestShard()
        // Fewer at a time than one address may have.
        for number in 1...AddressRate.connections.most {
            try server.connect(from: "192.0.2.1").leave()
            if number % 256 == 0 { try server.until("they have gone") { server.shard.table.all.isEmpty } }
        }
        func status(_ address: String) throws -> Int {
            let client = try server.connect(from: address)
            client.send(text: "GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return try client.status()
        }
        #expect(try status("192.0.2.1") == 429)
        #expect(try status("192.0.2.2") == 200)
        server.pass(milliseconds: AddressRate.window)
        #expect(try status("192.0.2.1") == 200)
    }

    @Test("frames before a sign-in: above the limit of an address its connections are closed with 1013, and members continue")
    func frames() throws {
        let server = try TestShard()
        let member = try server.open(from: "192.0.2.1")
        member.say("{\"type\":\"sign_in\",\"token\":\"\(server.parent.token)\"}")
        #expect(try member.next() == "welcome")
        var sent = 1
        var end = ""
        while end.isEmpty, sent < 2 * AddressRate.strangers.most {
            let stranger = try server.open(from: "192.0.2.1")
            // As many refusals as one connection may have.
            for _ in 0..<10 {
                stranger.say("{\"type\":\"context\",\"context\":\"all\"}")
                sent += 1
                let word = try stranger.next()
                if word != "error not_signed_in" {
                    end = word
                    break
                }
            }
            stranger.leave()
        }
        #expect(end == "close 1013" && sent == AddressRate.strangers.most + 1)
        member.join(server.parent.family)
        try member.skip(to: "live")
    }

    @Test("a header of proxies from a peer that is not one causes one warning")
    func forwarded() throws {
        let server = try TestShard()
        func ask(_ address: String) throws {
            for _ in 0..<3 {
                let client = try server.connect(from: address)
                client.send(text: "GET /health HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.1\r\nConnection: close\r\n\r\n")
                #expect(try client.status() == 200)
            }
        }
        try ask("192.0.2.7")
        #expect(server.lines.count("event=forwarded_ignored") == 1)
        try ask("127.0.0.1")
        #expect(server.lines.count("event=forwarded_ignored") == 1 && server.lines.count("event=proxy_not_trusted") == 1)
    }
}
