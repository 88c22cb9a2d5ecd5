import Arguments
import Testing

@Suite("Arguments of programs")
struct ArgumentListTests {
    @Test("options, switches and the rest are distinguished", arguments: [["--data", "d", "x", "--json"], ["--json", "--data=d", "x"]])
    func sorted(words: [String]) throws {
        let list = try ArgumentList(words, options: ["--data"], switches: ["--json"])
        #expect(list.value("--data") == "d")
        #expect(list.has("--json"))
        #expect(list.positional == ["x"])
    }

    @Test("A word after -- is not an option")
    func dashes() throws {
        #expect(try ArgumentList(["--", "--json"], switches: ["--json"]).positional == ["--json"])
    }

    @Test(
        "wrong use is a sentence",
        arguments: [
            (["--nope"], "There is no option --nope."), (["--dta"], "There is no option --dta: did you mean --data?"), (["--data"], "--data needs a value."),
            (["--data", "a", "--data", "b"], "--data is given twice."), (["--json=1"], "--json takes no value."),
        ])
    func wrong(words: [String], sentence: String) {
        #expect(throws: UsageError(sentence)) { try ArgumentList(words, options: ["--data"], switches: ["--json"]) }
    }

    @Test(
        "endpoints are host and port",
        arguments: [("127.0.0.1:80", "127.0.0.1", 80), ("[::1]:0", "::1", 0), ("localhost:65535", "localhost", 65535)] as [(String, String, UInt16)])
    func endpoint(text: String, host: String, port: UInt16) throws {
        let found = try ArgumentList(["--listen", text], options: ["--listen"]).endpoint("--listen", default: "h:1")
        #expect(found.host == host && found.port == port)
    }

    @Test("an endpoint without a port, or with one that is none, is refused", arguments: ["", "80", "host:", "host:65536", ":80", "host:x"])
    func badEndpoint(text: String) {
        #expect(throws: UsageError.self) {
            try ArgumentList(["--listen", text], options: ["--listen"]).endpoint("--listen", default: "h:1")
        }
    }

    @Test("numbers keep their range", arguments: [("1", 1), ("9", 9), ("0", nil), ("10", nil), ("x", nil)] as [(String, Int?)])
    func integer(text: String, value: Int?) throws {
        let list = try ArgumentList(["--n", text], options: ["--n"])
        if let value {
            #expect(try list.integer("--n", in: 1...9) == value)
        } else {
            #expect(throws: UsageError.self) { try list.integer("--n", in: 1...9) }
        }
    }
}
