import Family

/// One thing that a server needs, and its state.
package struct HealthCheck: Equatable, Sendable {
    package enum Name: String, CaseIterable, Sendable {
        case loop = "event_loop"
        case drain, writer, database, disk, folder, zones, certificate, backup, proxy
        /// Present only if `huddled doctor` has asked the mail server.
        case mail
    }

    package enum State: String, Sendable {
        case ok
        /// The server works; the operator should act.
        case warning
        /// The server should receive no new clients.
        case error
    }

    package let name: Name
    package let state: State
    /// A stable name of the problem; `nil` without one.
    package let code: String?
    /// For anybody who asks, without figures and paths.
    package let reason: String
    /// For the operator, with figures.
    package let sentence: String

    package init(_ name: Name, _ state: State, _ code: String?, reason: String, sentence: String) {
        self.name = name
        self.state = state
        self.code = code
        self.reason = reason
        self.sentence = sentence
    }

    private init(_ name: Name, ok sentence: String) { self.init(name, .ok, nil, reason: "", sentence: sentence) }

    private init(_ name: Name, error code: String, _ reason: String, _ sentence: String? = nil) {
        self.init(name, .error, code, reason: reason, sentence: sentence ?? reason)
    }

    private init(_ name: Name, warning code: String, _ sentence: String) {
        self.init(name, .warning, code, reason: sentence, sentence: sentence)
    }
}

// MARK: The checks

extension HealthCheck {
    /// Milliseconds within which the writer must answer.
    static let writerTime: Int64 = 2_000
    /// With fewer whole days left on a certificate, the server accepts no new clients: after weeks of failed renewals a
    /// person has to act.
    static let certificateDays = 3

    static let loop = HealthCheck(.loop, ok: "The event loop turns.")

    /// The server ended during the question, or its loop does not turn.
    static func silentLoop(_ problem: String) -> HealthCheck {
        HealthCheck(
            .loop, error: "loop_silent", "The server does not answer.",
            "A process holds the data folder and does not answer on its socket: \(problem) If it neither starts nor stops, end it and start it again.")
    }

    static let drain = HealthCheck(.drain, error: "draining", "The server is about to stop. Use another one, or try again in a moment.")

    /// - Parameter waiting: milliseconds since the oldest question without an answer; `nil` if every question was answered.
    static func writer(waiting: Int64?) -> HealthCheck {
        guard let waiting, waiting > writerTime else {
            return HealthCheck(.writer, ok: "The writer answers within \(writerTime / 1_000) s.")
        }
        return HealthCheck(
            .writer, error: "writer_silent", "The writer has not answered for more than 2 s. Check the disk.",
            "The writer has not answered for \(waiting / 1_000) s. Check the disk (iostat -x 1, dmesg).")
    }

    static func database(problem: String?) -> HealthCheck {
        guard let problem else { return HealthCheck(.database, ok: "The database can be opened. (huddled check reads it.)") }
        return HealthCheck(.database, error: "database_unusable", "The database cannot be used.", "The database cannot be used: \(problem).")
    }

    /// - Parameter free: octets; `nil` if the disk does not answer.
    static func disk(free: Int?, floor: Int) -> HealthCheck {
        guard let free else {
            return HealthCheck(.disk, error: "disk_silent", "The disk of the data folder does not answer. Check the disk (dmesg, smartctl).")
        }
        let room = ByteCount.text(Int64(free))
        guard floor > 0 else { return HealthCheck(.disk, ok: "The disk of the data folder has \(room) free; no floor is set (free-space-floor).") }
        let least = ByteCount.text(Int64(floor))
        guard free < floor else { return HealthCheck(.disk, ok: "The disk of the data folder has \(room) free; the floor is \(least).") }
        return HealthCheck(
            .disk, error: "disk_low", "The free space on the disk of the data folder is below its floor. Make room.",
            "The disk of the data folder has \(room) free; the floor is \(least) (free-space-floor). Make room.")
    }

    /// - Parameter mode: the folder's permission bits.
    static func folder(mode: UInt32) -> HealthCheck {
        guard mode & 0o077 != 0 else { return HealthCheck(.folder, ok: "Only its owner can enter the data folder.") }
        return HealthCheck(
            .folder, warning: "data_folder_open", "Other users of this machine can enter the data folder. Remove their permissions: chmod 700.")
    }

    static func zones(arePresent: Bool) -> HealthCheck {
        guard !arePresent else { return HealthCheck(.zones, ok: "The zone data is present.") }
        return HealthCheck(.zones, error: "zones_missing", "The zone data is missing, so times of families cannot be computed. Install the package tzdata.")
    }

    /// - Parameter days: the whole days left for the certificate that expires first; `nil` without a certificate.
    static func certificate(days: Int?) -> HealthCheck {
        guard let days else { return HealthCheck(.certificate, ok: "No certificate is configured: TLS is left to a proxy.") }
        guard days < Certificates.warningDays else { return HealthCheck(.certificate, ok: "The certificate has \(days) days left.") }
        let text = days < 0 ? "The certificate has expired." : "The certificate has less than \(days + 1) \(days == 0 ? "day" : "days") left."
        return days < certificateDays
            ? HealthCheck(.certificate, error: "certificate_ends", text + " Renew it.")
            : HealthCheck(.certificate, warning: "certificate_ends_soon", text + " Check why it was not renewed.")
    }

    /// - Parameters:
    ///   - problem: the reason why the certificates cannot be read.
    static func certificate(problem: String) -> HealthCheck {
        HealthCheck(.certificate, error: "certificate_unusable", "The certificate cannot be used.", problem)
    }

    /// - Parameters:
    ///   - age: milliseconds since the last good backup ended; `nil` if there was none.
    ///   - most: the limit in milliseconds; `nil` without a limit.
    static func backup(age: Int64?, most: Int64?) -> HealthCheck {
        let old = age.map { "The last backup ended \(Self.hours($0)) ago" }
        guard let most else {
            return HealthCheck(.backup, ok: (old ?? "No backup is recorded") + "; its age is not watched (backup-max-age).")
        }
        guard let age, let old else {
            return HealthCheck(.backup, error: "backup_missing", "There is no backup. Make one.", "No backup is recorded, and one is due every \(Self.hours(most)). Make one.")
        }
        guard age > most else { return HealthCheck(.backup, ok: "\(old); at most \(Self.hours(most)) may pass.") }
        return HealthCheck(
            .backup, error: "backup_old", "The last backup is older than configured. Make one.",
            "\(old), and at most \(Self.hours(most)) may pass (backup-max-age). Check why none was made since then.")
    }

    static func proxy(_ fault: ProxyWatch.Fault?) -> HealthCheck {
        switch fault {
        case nil: HealthCheck(.proxy, ok: "No proxy on this machine hides its clients.")
        case .notTrusted?:
            HealthCheck(
                .proxy, warning: ProxyWatch.Fault.notTrusted.rawValue,
                "A proxy on this machine passes requests on and is not trusted, so that no limit per address applies to its clients. "
                    + "Name it with --trusted-proxy.")
        case .hidesClients?:
            HealthCheck(
                .proxy, warning: ProxyWatch.Fault.hidesClients.rawValue,
                "A trusted proxy on this machine does not name its clients, so that no limit per address applies to them. Let it set X-Forwarded-For.")
        }
    }

    /// "90 s", "26 h", "3 days".
    static func hours(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1_000
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}
