import Posix
package import TLS

/// How a server does TLS by itself.
package struct TLSOptions: Sendable {
    /// At least one; the first is for those who ask for no host, or another.
    package var certificates: [TLSCertificateFiles]
    package var host: String
    package var port: UInt16

    package init(certificates: [TLSCertificateFiles], host: String, port: UInt16) {
        self.certificates = certificates
        self.host = host
        self.port = port
    }
}

/// The certificates of a server, and the files that they come from: read again when those change, and on SIGHUP.
///
/// Connections that are open keep what they began with. Files that cannot be used leave the certificates that are there in force.
final class Certificates {
    /// Milliseconds between looks at the files. They are read once two looks saw the same, as whoever renews them writes the certificate
    /// and then the key.
    static let lookInterval: Int64 = 2_000
    /// A certificate with fewer days left has a line in the log each time it is read: it should have been renewed long ago.
    static let warningDays = 14

    /// For new connections.
    private(set) var context: TLSServerContext
    private let files: [TLSCertificateFiles]
    private let tickets = TLSTicketKeys()
    private let log: Log
    /// The files when they were read last, and when they were looked at last.
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

    /// Reads the files if they have changed and lie still.
    func look() {
        let now = Certificates.identities(files)
        let isStill = now == seen
        seen = now
        if isStill, now != read { reload() }
    }

    /// Whole days that are left of the certificate that ends first; negative when it has ended.
    var daysLeft: Int? { context.daysLeft.min() }

    /// To be called each `TLSTicketKeys.rotationInterval`.
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
            return "\(files.certificate) holds no certificate in PEM form (\(error.reason)). Check --tls-cert."
        case "reading the key" where error.isOfSystem:
            return "The key \(files.key) cannot be read: \(error.reason). Check --tls-key."
        case "reading the key" where error.isMismatch, "matching key and certificate":
            return "The key \(files.key) does not belong to the certificate \(files.certificate). Give them in pairs: --tls-cert F --tls-key F."
        case "reading the key":
            return "\(files.key) holds no private key in PEM form without a pass phrase (\(error.reason)). Check --tls-key."
        default:
            return "TLS cannot be set up with \(files.certificate): \(error)."
        }
    }
}

@available(*, unavailable) extension Certificates: Sendable {}
