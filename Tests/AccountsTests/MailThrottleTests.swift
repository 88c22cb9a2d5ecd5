import Accounts
import HTTP1
import Testing

@Suite("How many mails one person, one address or one network can cause")
struct MailThrottleTests {
    private static let hour: Int64 = 3_600_000

    @Test("Five mails of a subject per hour; the given wait is enough, and the address counts in any case")
    func subjects() throws {
        var throttle = MailThrottle()
        for _ in 0..<5 { #expect(throttle.count([.person(1), .address("Ana@example.org")], now: 1_000) == nil) }
        let told = throttle.count([.person(1)], now: 1_000)
        let wait = try #require(told)
        #expect(throttle.count([.person(2), .address("ana@EXAMPLE.org")], now: 1_000) != nil, "the address is full")
        #expect(throttle.count([.person(2)], now: 1_000) == nil, "a refusal counts nothing")
        #expect(throttle.count([.recovery("ana@example.org")], now: 1_000) == nil, "a typed text is another subject")
        #expect(throttle.count([.person(1)], now: 1_000 + wait - 1) != nil)
        #expect(throttle.count([.person(1)], now: 1_000 + wait) == nil)
        #expect(wait <= Self.hour * 8 / 7 + 1)
    }

    @Test("Ten requests of a network in ten minutes, an IPv6 network by its /64; a connection without an address is not counted")
    func networks() throws {
        var throttle = MailThrottle()
        for last in 0..<10 { #expect(throttle.count(NetworkAddress("2001:db8::\(last)"), now: 5) == nil) }
        let told = throttle.count(NetworkAddress("2001:db8::ffff"), now: 5)
        let wait = try #require(told)
        #expect(throttle.count(NetworkAddress("2001:db8:0:1::1"), now: 5) == nil)
        #expect(throttle.count(NetworkAddress("2001:db8::1"), now: 5 + wait) == nil)
        for _ in 0..<100 { #expect(throttle.count(nil as NetworkAddress?, now: 5) == nil) }
    }
}
