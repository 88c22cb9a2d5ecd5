internal import CCurl
internal import Posix

/// Conversations with a mail server by libcurl, one at a time, each blocking until it is over. Not for concurrent use by two threads.
package final class MailClient {
    private let handle: UnsafeMutableRawPointer

    package init() throws(MailFailure) {
        guard MailClient.isReady, let handle = ccurl_init() else { throw MailFailure(.unusable, "libcurl cannot be loaded: install the package libcurl4") }
        self.handle = handle
    }

    deinit { ccurl_cleanup(handle) }

    /// Runs once per process, at the first conversation.
    private static let isReady = ccurl_load()

    /// Hands a message to a server. Returns when the server has accepted it.
    ///
    /// - Parameter isStopped: asked about once per second; true ends the conversation.
    package func send(_ message: MailMessage, to server: MailServer, isStopped: () -> Bool = { false }) throws(MailFailure) {
        guard MailServer.isAddress(message.to), MailServer.isAddress(message.from) else { throw MailFailure(.refused, "the address is not one that mail can be sent to") }
        try converse(server, message, isStopped)
    }

    /// Connects, agrees on TLS and signs in, and sends nothing.
    package func check(_ server: MailServer) throws(MailFailure) { try converse(server, nil, { false }) }

    private func converse(_ server: MailServer, _ message: MailMessage?, _ isStopped: () -> Bool) throws(MailFailure) {
        let password = try Self.password(of: server)
        ccurl_reset(handle)
        let list = message.flatMap { ccurl_append(nil, "<\($0.to)>") }
        defer { ccurl_free(list) }
        if message != nil, list == nil { throw MailFailure(.later, "out of memory") }
        let (result, exchange) = try withoutActuallyEscaping(isStopped) { isStopped throws(MailFailure) in
            let exchange = MailExchange(message?.octets() ?? [], isStopped: isStopped)
            // The callbacks of libcurl end with the call of `perform`.
            defer { exchange.isStopped = { false } }
            return try withExtendedLifetime(exchange) { () throws(MailFailure) in
                try configure(server, password, message, list, Unmanaged.passUnretained(exchange).toOpaque())
                return (ccurl_perform(handle), exchange)
            }
        }
        var code = 0
        _ = ccurl_status(handle, &code)
        guard result != CURLE_OK else { return }
        throw Self.failure(result, code: code, exchange)
    }

    private static func password(of server: MailServer) throws(MailFailure) -> String? {
        guard server.user != nil, let path = server.passwordPath else { return nil }
        do throws(Errno) {
            let text = String(decoding: try Files.read(path, limit: 4_096), as: UTF8.self)
            return String(text.unicodeScalars.prefix { $0 != "\n" && $0 != "\r" })
        } catch {
            throw MailFailure(.password, "the file of the password cannot be read: \(error.text)")
        }
    }

    private func configure(
        _ server: MailServer, _ password: String?, _ message: MailMessage?, _ list: UnsafeMutablePointer<curl_slist>?, _ context: UnsafeMutableRawPointer
    ) throws(MailFailure) {
        var results: [CURLcode] = []
        func set(_ option: CURLoption, _ value: Int) { results.append(ccurl_set_long(handle, option, value)) }
        func set(_ option: CURLoption, _ value: String) { results.append(ccurl_set_text(handle, option, value)) }
        set(CURLOPT_URL, server.url)
        set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        // None from the environment: mail goes to the server that was named.
        set(CURLOPT_PROXY, "")
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_CONNECTTIMEOUT, server.times.connect)
        set(CURLOPT_SERVER_RESPONSE_TIMEOUT, server.times.answer)
        set(CURLOPT_TIMEOUT, server.times.whole)
        // `CURLUSESSL_ALL`: without TLS nothing is sent, not even the user. The other value is `CURLUSESSL_NONE`.
        set(CURLOPT_USE_SSL, server.security == .off ? 0 : 3)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        if let authorities = server.authorities {
            set(CURLOPT_CAINFO, authorities)
            // Only those of the file.
            results.append(ccurl_set_pointer(handle, CURLOPT_CAPATH, nil))
        }
        if let user = server.user {
            set(CURLOPT_USERNAME, user)
            set(CURLOPT_PASSWORD, password ?? "")
        }
        if let message {
            set(CURLOPT_MAIL_FROM, "<\(message.from)>")
            results.append(ccurl_set_pointer(handle, CURLOPT_MAIL_RCPT, list))
            set(CURLOPT_UPLOAD, 1)
        } else {
            set(CURLOPT_CONNECT_ONLY, 1)
        }
        for option in [CURLOPT_READDATA, CURLOPT_HEADERDATA, CURLOPT_XFERINFODATA] { results.append(ccurl_set_pointer(handle, option, context)) }
        results.append(ccurl_set_transfer(handle, CURLOPT_READFUNCTION, readMail))
        results.append(ccurl_set_transfer(handle, CURLOPT_HEADERFUNCTION, takeReplyLine))
        results.append(ccurl_set_progress(handle, reportMailProgress))
        set(CURLOPT_NOPROGRESS, 0)
        if let failed = results.first(where: { $0 != CURLE_OK }) { throw MailFailure(.unusable, String(cString: ccurl_text(failed))) }
    }

    private static func failure(_ result: CURLcode, code: Int, _ exchange: MailExchange) -> MailFailure {
        let text = String(cString: ccurl_text(result))
        func failure(_ kind: MailFailure.Kind) -> MailFailure { MailFailure(kind, code: code, text, line: exchange.line) }
        if exchange.wasStopped { return failure(.stopped) }
        switch result {
        case CURLE_OPERATION_TIMEDOUT: return failure(.timedOut)
        case CURLE_USE_SSL_FAILED, CURLE_SSL_CONNECT_ERROR: return failure(.tls)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR: return failure(.certificate)
        case CURLE_LOGIN_DENIED, CURLE_AUTH_ERROR: return failure(.signIn)
        case CURLE_UNSUPPORTED_PROTOCOL: return failure(.unusable)
        // A refusal of sender, recipient or content. Before the content only these two commands end so; 53x asks for a sign-in.
        case CURLE_SEND_ERROR where (500..<600).contains(code): return failure([530, 534, 535, 538].contains(code) ? .signIn : .refused)
        case CURLE_WEIRD_SERVER_REPLY where (500..<600).contains(code) && exchange.isTaken: return failure(.refused)
        case CURLE_SEND_ERROR where code >= 400, CURLE_WEIRD_SERVER_REPLY: return failure(.later)
        default: return failure(.unreachable)
        }
    }
}

@available(*, unavailable)
extension MailClient: Sendable {}

/// The state of one conversation in libcurl, which its callbacks read and write.
final class MailExchange {
    private let octets: [UInt8]
    private var taken = 0
    var isStopped: () -> Bool
    private(set) var wasStopped = false
    /// The last refusal.
    private(set) var line = ""

    /// Octets of a reply line that are kept.
    private static let maxLine = 200

    init(_ octets: [UInt8], isStopped: @escaping () -> Bool) {
        self.octets = octets
        self.isStopped = isStopped
    }

    /// The server has been given all of the message.
    var isTaken: Bool { taken == octets.count && !octets.isEmpty }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let portion = octets.dropFirst(taken).prefix(buffer.count)
        buffer.copyBytes(from: portion)
        taken += portion.count
        return portion.count
    }

    func take(_ reply: UnsafeRawBufferPointer) {
        // Not the goodbye after it.
        guard let first = reply.first, first == UInt8(ascii: "4") || first == UInt8(ascii: "5") else { return }
        line = String(decoding: reply.prefix(Self.maxLine).map { (0x20..<0x7F).contains($0) ? $0 : 0x20 }, as: UTF8.self)
        while line.last == " " { line.removeLast() }
    }

    func goesOn() -> Bool {
        if isStopped() { wasStopped = true }
        return !wasStopped
    }
}

@available(*, unavailable)
extension MailExchange: Sendable {}

// MARK: Callbacks of libcurl

private func exchange(_ context: UnsafeMutableRawPointer?) -> MailExchange? {
    context.map { Unmanaged<MailExchange>.fromOpaque($0).takeUnretainedValue() }
}

private let readMail: ccurl_transfer = { octets, size, count, context in
    guard let octets, let exchange = exchange(context) else { return Int(CURL_READFUNC_ABORT) }
    return exchange.read(into: UnsafeMutableRawBufferPointer(start: octets, count: size * count))
}

private let takeReplyLine: ccurl_transfer = { octets, size, count, context in
    exchange(context)?.take(UnsafeRawBufferPointer(start: octets, count: size * count))
    return size * count
}

private let reportMailProgress: curl_xferinfo_callback = { context, _, _, _, _ in exchange(context)?.goesOn() ?? false ? 0 : 1 }
