package import Mail
import Posix

/// `huddled doctor`: whether mail can be sent.
package enum MailCheck {
    /// Connects to the mail server, and sends a mail if an address is given.
    package static func run(_ server: MailServer, to address: String?) -> HealthCheck {
        do throws(MailFailure) {
            let client = try MailClient()
            guard let address else {
                try client.check(server)
                return HealthCheck(.mail, .ok, nil, reason: "", sentence: "The mail server \(server.description) answers\(parts(server)). (--mail ADDRESS sends a mail.)")
            }
            let now = Clock.wallMilliseconds()
            let message = MailMessage(
                from: server.from, to: address, subject: "Huddle can send mail", body: "This mail was sent by huddled doctor. If you read it, mail works.\n", name: "doctor-\(now)",
                date: now)
            try client.send(message, to: server)
            return HealthCheck(.mail, .ok, nil, reason: "", sentence: "The mail server \(server.description) has accepted a mail to \(address). Check whether it arrives.")
        } catch {
            return HealthCheck(.mail, .error, "mail_\(error.kind.rawValue)", reason: "Mail cannot be sent.", sentence: sentence(error, server))
        }
    }

    private static func parts(_ server: MailServer) -> String {
        switch (server.security, server.user) {
        case (.off, nil): " without TLS"
        case (.off, _?): " without TLS, and accepts user and password"
        case (_, nil): " with TLS"
        case (_, _?): " with TLS, and accepts user and password"
        }
    }

    private static func sentence(_ failure: MailFailure, _ server: MailServer) -> String {
        let place = server.description
        let said = failure.line.isEmpty ? "" : " It said: \(failure.line)"
        return switch failure.kind {
        case .unusable: "Mail cannot be sent: \(failure.text)."
        case .password: "Mail cannot be sent: \(failure.text). Check smtp-password."
        case .unreachable: "The mail server \(place) cannot be reached, or cut the connection: \(failure.text). Check smtp, the network and the firewall."
        case .timedOut: "The mail server \(place) did not answer in time. Check smtp: port 465 takes smtps:// and port 587 takes smtp://."
        case .tls: "The mail server \(place) offers no TLS, or TLS failed: \(failure.text). Check smtp; smtp-tls off is for a server on this machine."
        case .certificate:
            "The certificate of the mail server \(place) is not trusted, or is for another name: \(failure.text). Check the name in smtp, or give its authority with smtp-ca."
        case .signIn: "The mail server \(place) refuses user and password. Check smtp-user and smtp-password.\(said)"
        case .later: "The mail server \(place) does not accept mail now.\(said)"
        case .refused: "The mail server \(place) refuses the mail. Check mail-from and the address.\(said)"
        case .stopped: "The conversation with \(place) was ended."
        }
    }
}
