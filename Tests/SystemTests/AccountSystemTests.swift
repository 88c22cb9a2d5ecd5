import Family
import Posix
import TestSupport
import Testing

extension SystemTests {
    /// Signing in by name, with the built programs: what somebody does who loses the password, the second factor or all devices.
    @Suite("Signing in by name and coming back") struct AccountSystemTests {
        @Test("Over HTTP with pyotp: a second factor, recovery codes, the host's code; the times of known and unknown names do not differ")
        func python() throws {
            let path = Environment.value("HUDDLE_PYTHON") ?? Programs.root + "/.build/venv/bin/python"
            guard (try? Programs.run(path, ["-c", "import pyotp"]))?.ending == .exited(0) else {
                print("Accounts over HTTP: SKIPPED, because \(path) does not have pyotp (Tools/test.sh installs it)")
                if Environment.value("HUDDLE_REQUIRE_PYTHON") == "1" { Issue.record("there is no Python with pyotp") }
                return
            }
            let tries = Environment.value("HUDDLE_SIGN_INS") ?? "12"
            let answer = try Programs.run(path, [Programs.root + "/Tests/Python/accounts.py", Programs.path("huddled"), tries], timeout: 600_000)
            #expect(answer.ending == .exited(0), "\(answer.errors)")
        }

        @Test("Over HTTP with soft-webauthn: a passkey is made, signs in before and after a restart, and is refused without UV, from elsewhere and copied")
        func passkeys() throws {
            let path = Environment.value("HUDDLE_PYTHON") ?? Programs.root + "/.build/venv/bin/python"
            guard (try? Programs.run(path, ["-c", "import soft_webauthn"]))?.ending == .exited(0) else {
                print("Passkeys over HTTP: SKIPPED, because \(path) does not have soft-webauthn (Tools/test.sh installs it)")
                if Environment.value("HUDDLE_REQUIRE_PYTHON") == "1" { Issue.record("there is no Python with soft-webauthn") }
                return
            }
            let answer = try Programs.run(path, [Programs.root + "/Tests/Python/passkeys.py", Programs.path("huddled"), Programs.path("huddle")], timeout: 600_000)
            #expect(answer.ending == .exited(0), "\(answer.errors)")
        }

        @Test("huddle: a password from standard input, another device by name, a wrong password, recovery codes, and a profile that keeps no password")
        func client() throws {
            let (_, demo, server) = try Demo.served()
            let mine = HuddleProgram(server, token: demo.parents[0].token)
            #expect(try mine.run("account").output.contains("no password"))
            let short = try mine.run(["password", "set", "anna"], input: "short\n")
            #expect(short.ending != .exited(0) && short.errors.contains("10 to 256"), "\(short.errors)")
            let set = try mine.run(["password", "set", "anna m"], input: "correct horse\n")
            #expect(set.ending == .exited(0) && set.output.contains("anna m"), "\(set.errors)")
            let codes = try mine.run("recovery", "codes", "--json").json()["codes"]?.elements.compactMap(\.string) ?? []
            #expect(codes.count == 10)

            let other = HuddleProgram(server)
            let wrong = try other.run(["sign-in", "--server", server.url, "--name", "anna m"], input: "wrong horse\n")
            #expect(wrong.ending != .exited(0) && wrong.errors.contains("is wrong"), "\(wrong.errors)")
            let signedIn = try other.run(["sign-in", "--server", server.url, "--name", "ANNA M"], input: "correct horse\n")
            #expect(signedIn.ending == .exited(0), "\(signedIn.errors)")
            let profile = try String(decoding: Files.read(other.profile), as: UTF8.self)
            #expect(profile.contains("\"device\"") && !profile.contains("correct horse"))
            #expect(try Files.status(other.profile)?.mode == 0o600)
            #expect(try other.run(["confirm"], input: "correct horse\n").ending == .exited(0))
            #expect(try other.run(["confirm"], input: "wrong horse\n").errors.contains("is wrong"))

            let third = HuddleProgram(server)
            let recovered = try third.run(["sign-in", "--server", server.url, "--name", "anna m", "--recovery"], input: codes[0] + "\n")
            #expect(recovered.ending == .exited(0), "\(recovered.errors)")
            #expect(try third.run("account").output.contains("9 recovery codes"))
            // The recovery counts as a check, so the password can be set without the old one; the other devices are out.
            #expect(try third.run(["password", "set", "anna m"], input: "battery staple\n").ending == .exited(0))
            #expect(try mine.run("account").ending != .exited(0))
            #expect(try other.run("account").ending != .exited(0))
        }

        @Test("A parent's code and the host's code bring a member back by huddle join")
        func recovers() throws {
            let (_, demo, server) = try Demo.served()
            let member = demo.parents[1]
            let anna = HuddleProgram(server, token: demo.parents[0].token), ben = HuddleProgram(server, token: member.token)
            let back = HuddleProgram(server), again = HuddleProgram(server)
            let made = try anna.run("recovery", "member", member.name, "--json")
            let first = try #require(try made.json()["code"]?.string, "\(made.errors)")
            #expect(try back.run("join", first, "--server", server.url).ending == .exited(0))
            #expect(try ben.run("account").ending == .exited(0), "the device that was there stays")
            let host = try Programs.run(
                Programs.path("huddled"), ["recover", "--data", server.folder, "--member", "\(member.id)", "--json"])
            let second = try #require(try host.json()["code"]?.string, "\(host.errors)")
            #expect(try again.run("join", second, "--server", server.url).ending == .exited(0))
            #expect(try again.run("join", second, "--new", "--server", server.url).ending != .exited(0), "once")
            let audit = try anna.run("audit").output
            #expect(audit.contains("can come back") && audit.contains("recovered"), "\(audit)")
        }
    }
}
