import Family
import Locks
import Mail
import Posix
import EventLoop
import Store
import Synchronization

/// Sends the waiting mails, one after the other, on a thread of its own: an SMTP conversation takes up to two minutes,
/// and neither the reactor nor the writer waits for it.
///
/// The writer claims a mail, this thread sends it, and the writer marks it. If the process ends in between, the next
/// one sends the mail again with the same message id.
final class Mailer: Sendable {
    /// Milliseconds without an attempt after the mail server could not be reached or refused the client: its other
    /// mails would fail as well.
    static let pause: Int64 = 10_000

    let counts = MailCounts()
    private let server: MailServer
    private let writer: WriterThread
    private let log: Log
    private let answers = BlockingQueue<MailStepAnswer>(limit: 1)
    private let isStopping = Atomic<Bool>(false)
    /// The time at which the next mail is due, UTC milliseconds.
    private let due = Atomic<Int64>(.max)
    private let waitingMails = Atomic<Int>(0)
    private let thread = Lock<Thread?>(nil)

    init(server: MailServer, writer: WriterThread, log: Log) {
        self.server = server
        self.writer = writer
        self.log = log
    }

    /// The number of waiting mails at the last claim.
    var waiting: Int { waitingMails.load(ordering: .relaxed) }

    func start() {
        let thread = Thread.start(name: "mailer", nice: FilePool.nice) { [self] in run() }
        self.thread.withLock { $0 = thread }
        _ = writer.newMail.put(true)
    }

    /// Wakes the thread if a mail is due. Call it about once per second.
    func look() {
        if due.load(ordering: .relaxed) <= Clock.wallMilliseconds() { _ = writer.newMail.put(true) }
    }

    /// Ends the current conversation, within about a second, and waits for the thread.
    func stop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        writer.newMail.close()
        answers.close()
        let thread = thread.withLock { $0.take() }
        thread?.join()
    }

    private var isStopped: Bool { isStopping.load(ordering: .sequentiallyConsistent) }

    private func run() {
        var isFirst = true
        var notBefore: Int64 = 0
        while !writer.newMail.take().isEmpty, !isStopped {
            while !isStopped {
                let now = Clock.wallMilliseconds()
                guard now >= notBefore || notBefore - now > Self.pause else {
                    due.store(notBefore, ordering: .relaxed)
                    break
                }
                guard case .claim(let claim) = ask(.claim(isFirst: isFirst)) else {
                    due.store(now + Self.pause, ordering: .relaxed)
                    break
                }
                isFirst = false
                waitingMails.store(claim.waiting, ordering: .relaxed)
                due.store(claim.next ?? .max, ordering: .relaxed)
                guard let mail = claim.mail else { break }
                if send(mail) { notBefore = Clock.wallMilliseconds() + Self.pause }
            }
        }
    }

    private func ask(_ step: MailStep) -> MailStepAnswer {
        guard writer.submit(.mail(step, answer: answers)) else { return .refused }
        return answers.take(maximum: 1).first ?? .refused
    }

    /// - Returns: whether the server would refuse other mails as well.
    private func send(_ mail: OutgoingMail) -> Bool {
        let message = MailMessage(
            from: server.from, to: mail.address, subject: mail.subject, body: mail.body, name: mail.name, date: mail.createdAt)
        do throws(MailFailure) {
            try MailClient().send(message, to: server, isStopped: { self.isStopped })
        } catch {
            return didFail(mail, error)
        }
        // This comes before the mark, because the mail is sent whatever the writer answers.
        counts.sent.add()
        _ = ask(.settle(mail.key, .sent))
        return false
    }

    private func didFail(_ mail: OutgoingMail, _ failure: MailFailure) -> Bool {
        counts.failed.add(failure.kind)
        let outcome: MailOutcome = failure.kind == .stopped ? .stopped : failure.isFinal ? .refused : .later
        var problem: MailProblem?
        if case .settled(let found) = ask(.settle(mail.key, outcome)) { problem = found }
        if let problem { counts.givenUp.add(problem) }
        // The text is libcurl's; it contains no address.
        log(
            .warning, "mail_failed",
            [
                .init("kind", mail.kind.rawValue), .init("mail", mail.name), .init("tries", mail.tries), .init("reason", failure.kind.rawValue), .init("code", failure.code),
                .init("given_up", problem?.rawValue ?? "no"), .init("problem", failure.text),
            ])
        return switch failure.kind {
        case .refused, .later, .stopped: false
        case .unusable, .password, .unreachable, .timedOut, .tls, .certificate, .signIn: true
        }
    }
}
