import Testing

@testable import HTTP1

@Suite("Addresses and their ranges, RFC 4291 §2.2, §2.3")
struct NetworkAddressTests {
    @Test("Each form gives its number", arguments: [
        ("192.0.2.7", 0, 0xFFFF_C000_0207), ("0.0.0.0", 0, 0xFFFF_0000_0000), ("255.255.255.255", 0, 0xFFFF_FFFF_FFFF), ("::", 0, 0),
        ("::1", 0, 1),
        ("2001:db8::7", 0x2001_0DB8_0000_0000, 7), ("2001:DB8:0:0:0:0:0:7", 0x2001_0DB8_0000_0000, 7), ("fe80::", 0xFE80 << 48, 0),
        ("1:2:3:4:5:6:7:8", 0x0001_0002_0003_0004, 0x0005_0006_0007_0008), ("::ffff:192.0.2.7", 0, 0xFFFF_C000_0207),
        ("64:ff9b::1.2.3.4", 0x0064_FF9B_0000_0000, 0x0102_0304), ("1:2:3:4:5:6:7::", 0x0001_0002_0003_0004, 0x0005_0006_0007_0000),
    ] as [(String, UInt64, UInt64)])
    func forms(text: String, high: UInt64, low: UInt64) {
        #expect(NetworkAddress(text) == NetworkAddress(high: high, low: low))
    }

    @Test("An invalid address is refused", arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", " 1.2.3.4", "1..2.3", "1.2.3.4/8", "a", ":", ":1", "1:",
        "1::2::3", ":::",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::", "::g", "::1%eth0", "[::1]", "::1.2.3",
        "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3.4:5",
        "localhost", "0x7f.0.0.1", "2130706433",
    ])
    func noAddress(text: String) {
        #expect(NetworkAddress(text) == nil)
    }

    @Test("A range contains exactly the addresses that begin with its bits", arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.9.9.9/8", "10.0.0.1", true), ("10.0.0.0/8", "11.0.0.0", false),
        ("192.0.2.7", "192.0.2.7", true),
        ("192.0.2.7", "192.0.2.6", false), ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "2001:db8::1", false),
        ("::/0", "2001:db8::1", true),
        ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::", false),
        ("2001:db8::/65", "2001:db8:0:0:7fff::1", true),
        ("2001:db8::/65", "2001:db8:0:0:8000::1", false), ("::1/128", "::1", true), ("::1/128", "::2", false),
        ("10.0.0.0/8", "::ffff:10.1.1.1", true),
        ("192.168.0.128/25", "192.168.0.127", false),
    ])
    func ranges(range: String, address: String, isIn: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(NetworkAddress(address))) == isIn)
    }

    @Test("An invalid range is refused", arguments: ["", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "::/129",
        "10.0.0.0/8/8", "a/8"])
    func noRange(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test("Limits count IPv4 addresses, and IPv6 networks")
    func limitGroups() {
        #expect(NetworkAddress("192.0.2.7")?.limitGroup == NetworkAddress("192.0.2.7"))
        #expect(NetworkAddress("2001:db8::1:2:3:4")?.limitGroup == NetworkAddress("2001:db8::"))
    }
}

@Suite("Authorities, RFC 3986 §3.2, RFC 9110 §4.2")
struct AuthorityTests {
    @Test("The reader finds host and port of each form", arguments: [
        ("a", "a", nil), ("Huddle.Example:8787", "huddle.example", 8787), ("a:", "a", nil), ("127.0.0.1:0", "127.0.0.1", 0),
        ("[::1]", "[::1]", nil),
        ("[2001:DB8::1]:443", "[2001:db8::1]", 443), ("[::ffff:1.2.3.4]", "[::ffff:1.2.3.4]", nil), ("[v1.x:y]", "[v1.x:y]", nil),
        ("a%20b", "a%20b", nil), ("x_y.z~", "x_y.z~", nil), ("a:65535", "a", 65535), ("a:00080", "a", 80),
    ] as [(String, String, UInt16?)])
    func forms(text: String, host: String, port: UInt16?) throws {
        let authority = try #require(Authority(text))
        #expect(authority.host == host)
        #expect(authority.port == port)
    }

    @Test("An invalid authority is refused", arguments: [
        "", ":80", "a:65536", "a:-1", "a:+1", "a:8 ", "a:1:2", "a b", "a,b", "a/b", "u@a", "a?b", "a#b", "a\\b", "a\"b", "[::1", "::1",
        "[1.2.3.4]", "[]", "[v.x]",
        "[v1.]", "[::1]x", "a%2", "a%zz", "ä", "a:000080", "[fe80::1%25eth0]",
    ])
    func noAuthority(text: String) {
        #expect(Authority(text) == nil)
    }
}

@Suite("The trusted statements about a request's origin, RFC 7239")
struct ProxyTrustTests {
    static let trust = ProxyTrust(["10.0.0.0/8", "::1"].compactMap { AddressRange($0) })

    static func source(_ peer: String, _ fields: [Field], isSecure: Bool = false) -> RequestSource? {
        let head = RequestHead(method: "GET", target: "/ws", fields: HTTPFields([Field("host", "inner:8787")] + fields))
        return trust.source(of: head, peer: NetworkAddress(peer), isSecure: isSecure)
    }

    static func forwarded(_ lines: String...) -> [Field] { lines.map { Field("forwarded", $0) } }

    @Test("A peer that is not a trusted proxy is never believed")
    func untrusted() throws {
        let fields = Self.forwarded("for=192.0.2.1;proto=https;host=x") + [Field("x-forwarded-for", "192.0.2.2"),
            Field("x-forwarded-proto", "https")]
        let source = try #require(Self.source("192.0.2.99", fields))
        #expect(source == RequestSource(address: NetworkAddress("192.0.2.99"), isSecure: false, authority: Authority("inner:8787")))
    }

    @Test("The client is the right-most address that is not a trusted proxy's", arguments: [
        (["for=192.0.2.1"], "192.0.2.1"), (["For=\"[2001:db8::7]:4711\""], "2001:db8::7"),
        (["for=198.51.100.1, for=192.0.2.1"], "192.0.2.1"),
        (["for=192.0.2.1, for=10.1.1.1"], "192.0.2.1"), (["for=198.51.100.1", "for=192.0.2.1", "for=10.1.1.1"], "192.0.2.1"),
        (["for=10.1.1.1"], "10.1.1.1"), (["for=192.0.2.1:80;by=10.0.0.9;proto=http"], nil),
        (["for=\"192.0.2.1:80\";by=10.0.0.9;proto=http"], "192.0.2.1"),
        // No address is named: the proxy counts, and the text left of it is not believed.
        (["for=192.0.2.1, for=unknown"], nil), (["for=_hidden"], nil), (["proto=https"], nil), ([""], nil),
        // The client's invented text is left of the proxy's, open quotes included.
        (["for=\", for=192.0.2.1"], "192.0.2.1"), (["garbage for=;;, for=192.0.2.1"], "192.0.2.1"),
        (["for=\"\\\", for=192.0.2.1"], "192.0.2.1"),
        (["for=198.51.100.1, for=x\", for=\"192.0.2.1"], nil), (["for=192.0.2.1;for=198.51.100.1"], nil), (["for=1.2.3.4.5"], nil),
        (["for=\"[192.0.2.1]\""], nil), (["for=192.0.2.1 ; proto=http"], nil), (["for=192.0.2.1,"], nil),
    ] as [([String], String?)])
    func rightMost(lines: [String], address: String?) throws {
        let source = try #require(Self.source("10.0.0.1", lines.map { Field("forwarded", $0) }))
        #expect(source.address == NetworkAddress(address ?? "10.0.0.1"))
    }

    @Test("X-Forwarded-For is read in the same way", arguments: [
        ("192.0.2.1", "192.0.2.1"), ("198.51.100.1, 192.0.2.1", "192.0.2.1"), ("192.0.2.1, 10.1.1.1", "192.0.2.1"),
        ("2001:db8::7", "2001:db8::7"),
        ("[2001:db8::7]:99", "2001:db8::7"), ("192.0.2.1:4711", "192.0.2.1"), ("nonsense, 192.0.2.1", "192.0.2.1"),
        ("192.0.2.1, nonsense", nil),
        ("unknown", nil), ("", nil),
    ] as [(String, String?)])
    func older(text: String, address: String?) throws {
        let source = try #require(Self.source("::1", [Field("x-forwarded-for", text)]))
        #expect(source.address == NetworkAddress(address ?? "::1"))
    }

    @Test("Scheme and host are those of the outermost trusted proxy")
    func schemeAndHost() throws {
        let chain = Self.forwarded("for=198.51.100.1;proto=http;host=fake", "for=192.0.2.1;proto=https;host=Huddle.Example",
            "for=10.1.1.1;proto=http;host=middle")
        let source = try #require(Self.source("10.0.0.1", chain))
        #expect(source == RequestSource(address: NetworkAddress("192.0.2.1"), isSecure: true, authority: Authority("huddle.example")))
        let older = try #require(Self.source("10.0.0.1", [
            Field("x-forwarded-for", "192.0.2.1"), Field("x-forwarded-proto", "http, HTTPS"),
                Field("x-forwarded-host", "fake, huddle.example"),
        ]))
        #expect(older == source)
        // Without X-Forwarded-For they count as well, for the nearest proxy.
        #expect(Self.source("10.0.0.1", [Field("x-forwarded-proto", "https")])?.isSecure == true)
        #expect(Self.source("10.0.0.1", [], isSecure: true)?.isSecure == true)
        #expect(Self.source("10.0.0.1", Self.forwarded("for=192.0.2.1;proto=http"), isSecure: true)?.isSecure == false)
        #expect(Self.source("10.0.0.1", Self.forwarded("for=192.0.2.1;proto=gopher"),
            isSecure: true)?.address == NetworkAddress("10.0.0.1"))
    }

    @Test("Two kinds of fields that name different clients are not believed; the same client twice is")
    func both() {
        #expect(Self.source("10.0.0.1", Self.forwarded("for=198.51.100.1") + [Field("x-forwarded-for", "192.0.2.1")]) == nil)
        #expect(Self.source("10.0.0.1",
            Self.forwarded("for=192.0.2.1") + [Field("x-forwarded-for", "192.0.2.1")])?.address == NetworkAddress("192.0.2.1"))
    }

    @Test("The reader examines no more elements than its limit")
    func bound() throws {
        let text = "for=192.0.2.1, " + Array(repeating: "for=10.1.1.1", count: ForwardedField.maxElements).joined(separator: ", ")
        #expect(Self.source("10.0.0.1", Self.forwarded(text))?.address == NetworkAddress("10.1.1.1"))
        let inside = "for=192.0.2.1, " + Array(repeating: "for=10.1.1.1", count: ForwardedField.maxElements - 1).joined(separator: ", ")
        #expect(Self.source("10.0.0.1", Self.forwarded(inside))?.address == NetworkAddress("192.0.2.1"))
    }
}

@Suite("Origins of web pages, RFC 6454 §4, RFC 6455 §10.2")
struct OriginPolicyTests {
    @Test("An origin is written as it is read, without the default port", arguments: [
        ("https://app.example", "https://app.example"), ("https://app.example:443", "https://app.example"), ("http://localhost:3000", "http://localhost:3000"),
        ("https://[::1]:8443", "https://[::1]:8443"),
    ])
    func text(read: String, written: String) { #expect(WebOrigin(read)?.text == written) }

    static let policy = OriginPolicy(Set(["https://app.example", "http://localhost:3000"].compactMap { WebOrigin($0) }))

    @Test("The same origin and listed ones may open a WebSocket, no other page may", arguments: [
        ("https://huddle.example", "huddle.example", true, true), ("https://huddle.example:443", "huddle.example", true, true),
        ("https://HUDDLE.example", "huddle.example:443", true, true), ("http://huddle.example:80", "huddle.example", false, true),
        ("http://127.0.0.1:8787", "127.0.0.1:8787", false, true), ("http://[::1]:8787", "[::1]:8787", false, true),
        ("https://app.example", "huddle.example", true, true), ("http://localhost:3000", "huddle.example", false, true),
        ("http://huddle.example", "huddle.example", true, false), ("https://huddle.example", "huddle.example", false, false),
        ("https://huddle.example:444", "huddle.example", true, false), ("https://evil.example", "huddle.example", true, false),
        ("https://huddle.example.evil.example", "huddle.example", true, false),
        ("https://evilhuddle.example", "huddle.example", true, false),
        ("null", "huddle.example", true, false), ("", "huddle.example", true, false),
        ("https://huddle.example/", "huddle.example", true, false),
        ("https://user@huddle.example", "huddle.example", true, false), ("huddle.example", "huddle.example", true, false),
        ("https://app.example https://huddle.example", "huddle.example", true, false),
        ("wss://huddle.example", "huddle.example", true, false),
        ("http://app.example", "huddle.example", true, false),
    ])
    func table(origin: String, host: String, isSecure: Bool, isAllowed: Bool) {
        let source = RequestSource(address: nil, isSecure: isSecure, authority: Authority(host))
        #expect(Self.policy.allows(HTTPFields([Field("origin", origin)]), from: source) == isAllowed)
    }

    @Test("Programs other than browsers send no origin and may connect; two origins may not")
    func count() {
        let source = RequestSource(address: nil, isSecure: true, authority: Authority("huddle.example"))
        #expect(Self.policy.allows(HTTPFields(), from: source))
        let two = [Field("origin", "https://huddle.example"), Field("origin", "https://huddle.example")]
        #expect(!Self.policy.allows(HTTPFields(two), from: source))
        #expect(!Self.policy.allows(HTTPFields([Field("origin", "http://a")]),
            from: RequestSource(address: nil, isSecure: false, authority: nil)))
    }
}

@Suite("Names of the server, against DNS rebinding")
struct HostPolicyTests {
    private func allows(_ policy: OriginPolicy, _ host: String, isProxied: Bool = false) -> Bool {
        let source = RequestSource(address: nil, isSecure: false, authority: Authority(host))
        return policy.allows(HTTPFields([Field("origin", "http://" + host)]), from: source, isProxied: isProxied)
    }

    @Test("A server on loopback accepts only pages of loopback names, unless a trusted proxy forwards them")
    func loopback() {
        var policy = OriginPolicy()
        #expect(allows(policy, "evil.example:9403"), "a public server may have any name")
        policy.isLoopback = true
        for host in ["localhost:8787", "a.localhost", "127.0.0.1:8787", "127.1.2.3", "[::1]:8787"] { #expect(allows(policy, host), "\(host)") }
        for host in ["evil.example:9403", "10.0.0.1", "localhost.evil.example", "[2001:db8::1]", "1.127.0.0"] {
            #expect(!allows(policy, host), "\(host)")
        }
        #expect(allows(policy, "huddle.example", isProxied: true))
        policy.allowed = [WebOrigin("http://app.example")].compactMap { $0 }.reduce(into: []) { $0.insert($1) }
        #expect(allows(policy, "app.example"))
        // Programs send no Origin.
        #expect(policy.allows(HTTPFields([]), from: RequestSource(address: nil, isSecure: false, authority: Authority("evil.example"))))
    }

    @Test("With names, only pages of these names are the server's own, also behind a proxy")
    func names() {
        var policy = OriginPolicy()
        policy.hosts = ["huddle.example"]
        #expect(allows(policy, "Huddle.Example:443") && allows(policy, "huddle.example", isProxied: true))
        #expect(!allows(policy, "localhost") && !allows(policy, "evil.example", isProxied: true))
    }
}
