import Posix
import TestCertificates
import TestSupport

/// Certificates and keys as files that a test may replace under a server.
final class CertificateFolder {
    let folder: TemporaryFolder
    /// The server's certificate.
    let certificate: String
    let key: String
    /// The certificate that clients trust.
    let authority: String
    let selfSigned: String

    init() throws {
        folder = try TemporaryFolder()
        certificate = folder.path + "/server.pem"
        key = folder.path + "/server.key"
        authority = folder.path + "/authority.pem"
        selfSigned = folder.path + "/self-signed.pem"
        try write(PEM.authority, authority)
        try write(PEM.localhost, selfSigned)
        try replace(PEM.local, PEM.localKey)
    }

    var options: [String] { ["--tls-cert", certificate, "--tls-key", key, "--listen-tls", "127.0.0.1:0"] }

    /// Another pair in the place of the one that is there, by renaming, as those who renew certificates do.
    func replace(_ certificate: String, _ key: String) throws {
        try write(certificate, self.certificate)
        try write(key, self.key)
    }

    private func write(_ text: String, _ path: String) throws {
        try Files.write(Array(text.utf8), to: path + ".new")
        try Files.rename(path + ".new", to: path)
    }
}
