import Posix
import TestSupport
import Testing

extension SystemTests {
    /// Other people's HTTP client and raw sockets, against the built server.
    @Suite("HTTP with Python's http.client and sockets") struct HTTPClientTests {
        static func python(_ script: String, _ arguments: [String]) throws -> Programs.Answer {
            try Programs.run(Environment.value("HUDDLE_PYTHON") ?? "/usr/bin/python3", ["-c", script] + arguments, timeout: 120_000)
        }

        @Test("one connection carries pages, parts, conditions, refusals and unwanted content")
        func client() throws {
            let folder = try TemporaryFolder()
            let server = try RunningServer(folder.path)
            let script = """
                import http.client, json, sys
                one = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=60)
                def ask(method, path, body=None, **fields):
                    one.request(method, path, body=body, headers={name.replace("_", "-"): value for name, value in fields.items()})
                    answer = one.getresponse()
                    return answer, answer.read()
                page, content = ask("GET", "/")
                socket = one.sock
                assert page.status == 200 and b"Huddle" in content and page.getheader("Content-Type").startswith("text/html")
                tag = page.getheader("ETag")
                head, nothing = ask("HEAD", "/")
                assert (head.status, nothing, head.getheader("Content-Length")) == (200, b"", str(len(content)))
                assert ask("GET", "/", If_None_Match=tag)[0].status == 304
                part, octets = ask("GET", "/", Range="bytes=-7")
                assert (part.status, octets) == (206, content[-7:])
                health, status = ask("GET", "/health")
                assert json.loads(status) == {"status": "ready"} and health.getheader("Cache-Control") == "no-store"
                refused, sentence = ask("POST", "/", body=b"x" * 20000)
                assert (refused.status, refused.getheader("Allow")) == (405, "GET, HEAD, PROPFIND, OPTIONS")
                refused, sentence = ask("PUT", "/", body=iter([b"hello", b"x" * 30000]))
                assert refused.status == 405
                assert ask("OPTIONS", "*")[0].status == 204
                assert ask("GET", "/ws")[0].status == 426
                assert ask("GET", "/nothing")[0].status == 404
                assert one.sock is socket, "the connection was not kept"
                # More than is read away: the answer comes all the same, and then the end.
                refused, sentence = ask("POST", "/", body=b"x" * 1000000)
                assert (refused.status, refused.getheader("Connection")) == (405, "close")
                print("done")
                """
            let answer = try Self.python(script, ["\(server.port)"])
            #expect(answer.output == "done\n", "\(answer.errors)")
        }

        @Test("raw sockets: every case of Tests/Smuggling, upgrades by Origin, and addresses reported by a trusted proxy")
        func raw() throws {
            let folder = try TemporaryFolder()
            let server = try RunningServer(folder.path, options: ["--trusted-proxy", "127.0.0.0/8", "--allow-origin", "https://app.example"])
            let script = """
                import json, re, socket, sys
                def exchange(octets, most=None):
                    with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=60) as one:
                        one.sendall(octets)
                        said = b""
                        while True:
                            statuses = [int(each) for each in re.findall(rb"(?:^|\\n)HTTP/1\\.1 (\\d+) ", said)]
                            if most is not None and len(statuses) >= most and said.endswith((b"\\n",)): return statuses, False
                            try: piece = one.recv(65536)
                            except ConnectionResetError: return statuses, True
                            if not piece: return statuses, True
                            said += piece
                count = 0
                for case in json.load(open(sys.argv[2])):
                    statuses, ended = exchange(case["sent"].encode("latin-1"), None if case["ends"] else len(case["answers"]))
                    assert statuses == case["answers"] and ended == case["ends"], (case["name"], statuses, ended)
                    count += 1
                def upgrade(*fields):
                    lines = ["GET /ws HTTP/1.1", "Host: huddle.example", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: huddle.v1", *fields, "", ""]
                    return exchange("\\r\\n".join(lines).encode(), 1)[0][0]
                assert upgrade() == 101
                assert upgrade("Origin: http://huddle.example") == 101
                assert upgrade("Origin: https://app.example") == 101
                assert upgrade("Origin: https://evil.example") == 403
                assert upgrade("Origin: https://huddle.example") == 403
                assert upgrade("Origin: https://huddle.example", "X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https") == 101
                assert upgrade("Forwarded: for=192.0.2.1", "X-Forwarded-For: 192.0.2.2") == 400
                print(count)
                """
            let answer = try Self.python(script, ["\(server.port)", Programs.root + "/Tests/Smuggling/cases.json"])
            #expect(Int(answer.output.dropLast()).map { $0 > 160 } == true, "\(answer.errors)")
        }

        @Test("invalid addresses and origins end the start with a sentence", arguments: [
            (["--trusted-proxy", "proxy.example"], "--trusted-proxy"), (["--trusted-proxy", "10.0.0.0/33"], "--trusted-proxy"),
            (["--allow-origin", "app.example"], "--allow-origin"), (["--allow-origin", "*"], "--allow-origin"),
        ])
        func wrongUse(options: [String], name: String) throws {
            let folder = try TemporaryFolder()
            let answer = try Programs.run(Programs.path("huddled"), ["serve", "--data", folder.path] + options)
            #expect(answer.ending == .exited(2))
            #expect(answer.errors.contains(name), "\(answer.errors)")
        }
    }
}
