import Posix
import TLS
import TestCertificates

/// A self-signed certificate for `localhost` and 127.0.0.1 with its key, valid for a hundred years and only for these
/// tests.
struct Certificate {
    let certificate: String
    let key: String
    /// Another key, which does not belong to the certificate.
    let otherKey: String
    /// The authority of the certificates below.
    let authority: String
    let local: TLSCertificateFiles
    let club: TLSCertificateFiles
    let families: TLSCertificateFiles
    private let folder: Folder

    init() throws {
        folder = try Folder()
        certificate = folder.path + "/certificate.pem"
        key = folder.path + "/key.pem"
        otherKey = folder.path + "/other.pem"
        try Files.write(Array(PEM.localhost.utf8), to: certificate)
        try Files.write(Array(PEM.localhostKey.utf8), to: key)
        try Files.write(Array(PEM.otherKey.utf8), to: otherKey)
        authority = folder.path + "/authority.pem"
        try Files.write(Array(PEM.authority.utf8), to: authority)
        let root = folder.path
        func pair(_ name: String, _ certificate: String, _ key: String) throws -> TLSCertificateFiles {
            let files = TLSCertificateFiles(certificate: "\(root)/\(name).pem", key: "\(root)/\(name).key")
            try Files.write(Array(certificate.utf8), to: files.certificate)
            try Files.write(Array(key.utf8), to: files.key)
            return files
        }
        local = try pair("local", PEM.local, PEM.localKey)
        club = try pair("club", PEM.club, PEM.clubKey)
        families = try pair("families", PEM.families, PEM.familiesKey)
    }

    /// A new folder that is removed when the test ends.
    private final class Folder {
        let path: String

        init() throws { path = try Files.makeTemporaryFolder() }

        deinit { try? Files.removeTree(path) }
    }
}
