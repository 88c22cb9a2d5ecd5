import Posix
package import TLS

/// The server's own TLS settings.
package struct TLSOptions: Sendable {
    /// At least one; the server sends the first to a client that asks for no host name, or for an unknown one.
    package var certificates: [TLSCertificateFiles]
    package var host: String
    package var port: UInt16

    package init(certificates: [TLSCertificateFiles], host: String, port: UInt16) {
        self.certificates = certificates
        self.host = host
        self.port = port
    }
}

/// The certificates of a server, and their files: read again when the files change, and on SIGHUP.
///
/// Open connections keep the certificates with which they began. If the files cannot be used, the former certificates
/// stay in force.
final class Certificates {
    /// Milliseconds between two looks at the files. The files are read once two looks saw the same, because a renewal
    /// writes the certificate and then the key.
    static let lookInterval: Int64 = 2_000
    /// A certificate with fewer days left is logged each time it is read: it should have been renewed long ago.
    static let warningDays = 14

    /// The context of new connections.
    private(set) var context: TLSServerContext
    private let files: [TLSCertificateFiles]
    private let tickets = TLSTicketKeys()
    private let log: Log
    /// The identities of the files at the last read, and at the last look.
    private var read: [Files.Identity?]
    private var seen: [Files.Identity?]

    /// - Throws: a sentence about the first file that cannot be used.
    init(_ files: [TLSCertificateFiles], log: Log) throws(ServerError) {
        self.files = files
        self.log = log
        read = Certificates.identities(files)
        seen = read
        do throws(TLSCertificateError) {
            context = try TLSServerContext(files, tickets: tickets)
        } catch {
            throw ServerError(Certificates.sentence(error))
        }
        warn()
    }

    /// Reads the files now.
    func reload() {
        read = Certificates.identities(files)
        seen = read
        do throws(TLSCertificateError) {
            context = try TLSServerContext(files, tickets: tickets)
            log(.info, "tls_reloaded", [.init("certificates", context.count)])
            warn()
        } catch {
            log(.error, "tls_reload_failed", [.init("problem", Certificates.sentence(error))])
        }
    }

    /// Reads the files if they have changed and no longer change.
    func look() {
        let now = Certificates.identities(files)
        let isStill = now == seen
        seen = now
        if isStill, now != read { reload() }
    }

    /// The whole days left for the certificate that expires first; negative if it has expired.
    var daysLeft: Int? { context.daysLeft.min() }

    /// Call this once per `TLSTicketKeys.rotationInterval`.
    func rotateTickets() { tickets.rotate() }

    private func warn() {
        for (pair, days) in zip(files, context.daysLeft) where days < Certificates.warningDays {
            log(.warning, "tls_certificate_ends", [.init("file", pair.certificate), .init("days", days)])
        }
        for pair in files where (try? Files.status(pair.key)).flatMap(\.self).map({ $0.mode & 0o004 != 0 }) ?? false {
            log(.warning, "tls_key_readable", [.init("file", pair.key), .init("advice", "anybody on this machine can read it: chmod 600")])
        }
    }

    private static func identities(_ files: [TLSCertificateFiles]) -> [Files.Identity?] {
        files.flatMap { [try? Files.identity($0.certificate), try? Files.identity($0.key)] }
    }

    private static func sentence(_ problem: TLSCertificateError) -> String {
        let (files, error) = (problem.files, problem.error)
        switch error.what {
        case "reading the certificate" where error.isOfSystem:
            return "The certificate \(files.certificate) cannot be read: \(error.reason). Check --tls-cert."
        case "reading the certificate":
            return "\(files.certificate) contains no certificate in PEM form (\(error.reason)). Check --tls-cert."
        case "reading the key" where error.isOfSystem:
            return "The key \(files.key) cannot be read: \(error.reason). Check --tls-key."
        case "reading the key" where error.isMismatch, "matching key and certificate":
            return "The key \(files.key) does not belong to the certificate \(files.certificate). Give them in pairs: --tls-cert F --tls-key F."
        case "reading the key":
            return "\(files.key) contains no private key in PEM form without a pass phrase (\(error.reason)). Check --tls-key."
        default:
            return "TLS cannot be set up with \(files.certificate): \(error)."
        }
    }
}

@available(*, unavailable) extension Certificates: Sendable {}
