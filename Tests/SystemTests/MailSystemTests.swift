import Family
import Posix
import TestCertificates
import TestSupport
import Testing

extension SystemTests {
    /// The built programs and mail servers of aiosmtpd.
    @Suite("Mail") struct MailSystemTests {
        @Test("With aiosmtpd: the doctor, an address, a recovery, invites; STARTTLS, a sign-in, 4xx, 5xx, a cut, a mail server that is away, and kill -9 around the acceptance")
        func python() throws {
            let path = Environment.value("HUDDLE_PYTHON") ?? Programs.root + "/.build/venv/bin/python"
            guard (try? Programs.run(path, ["-c", "import aiosmtpd"]))?.ending == .exited(0) else {
                print("Mail: SKIPPED, because \(path) does not have aiosmtpd (Tools/test.sh installs it)")
                if Environment.value("HUDDLE_REQUIRE_PYTHON") == "1" { Issue.record("there is no Python with aiosmtpd") }
                return
            }
            let folder = try TemporaryFolder()
            let (certificate, key) = (folder.path + "/certificate.pem", folder.path + "/key.pem")
            try Files.writeNew(Array(PEM.localhost.utf8), to: certificate)
            try Files.writeNew(Array(PEM.localhostKey.utf8), to: key)
            let answer = try Programs.run(
                path, [Programs.root + "/Tests/Python/mail.py", Programs.path("huddled"), Programs.path("huddle"), certificate, key], timeout: 600_000)
            #expect(answer.ending == .exited(0), "\(answer.errors)")
        }
    }
}
