import Testing

@testable import HTTP1

@Suite("Cookies (RFC 6265)")
struct CookieTests {
    private func value(_ lines: String..., name: String = "__Host-huddle-443") -> String? {
        Cookies.value(of: name, in: HTTPFields([Field("host", "a")] + lines.map { Field("cookie", $0) }))
    }

    @Test("A cookie is found by its whole name, among others and on any line")
    func finds() {
        #expect(value("__Host-huddle-443=abc_-9") == "abc_-9")
        #expect(value("a=1; __Host-huddle-443=x; b=2") == "x")
        #expect(value("a=1;__Host-huddle-443=x;b=2") == "x")
        #expect(value("a=1", "__Host-huddle-443=x") == "x")
        #expect(value("__Host-huddle-443=a=b") == "a=b")
        #expect(value("__Host-huddle-443=") == "")
    }

    @Test("Another name, another case, or a value with octets that no cookie has is none")
    func strict() {
        for line in ["huddle-443=x", "__Host-huddle-4430=x", "x__Host-huddle-443=x", "__host-huddle-443=x", "__Host-huddle-443", "", ";;", "=x"] {
            #expect(value(line) == nil, "\(line)")
        }
        for text in ["\"x\"", "a b", "a,b", "a\\b", "ä", "a\u{7F}b"] { #expect(value("__Host-huddle-443=\(text)") == nil, "\(text)") }
    }

    @Test("Two cookies of one name are none: nothing says which is the server's own")
    func ambiguous() {
        #expect(value("__Host-huddle-443=a; __Host-huddle-443=b") == nil)
        #expect(value("__Host-huddle-443=a", "__Host-huddle-443=a") == nil)
        #expect(value("__Host-huddle-443=a; __Host-huddle-443=") == nil)
    }

    @Test("A cookie that is set is for no script and for no other site; over TLS alone, and for a time, where that is asked for")
    func sets() {
        #expect(Cookies.set("__Host-huddle-443", "t", isSecure: true, life: 60) == Field("Set-Cookie", "__Host-huddle-443=t; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=60"))
        #expect(Cookies.set("huddle-80", "t", isSecure: false, life: nil) == Field("Set-Cookie", "huddle-80=t; Path=/; HttpOnly; SameSite=Strict"))
    }
}
