internal import CCurl
internal import Posix

/// HTTP requests with libcurl, one at a time, each blocking until it is over: for the thread of a transfer, not for one
/// that draws.
///
/// Redirects are not followed (a token belongs to one server), and no proxy is taken from the environment for a server
/// on this machine. Not for concurrent use by two threads.
package final class CurlClient {
    /// The largest content, in octets, that is kept of a response without a target file: an error's sentence is far
    /// below.
    package static let maxContent = 262_144
    /// The seconds to connect, including TLS.
    static let connectTime = 15
    /// The seconds with less than one octet per second in either direction after which the server counts as gone.
    /// Longer than a server takes to write 100 MB to its disk.
    static let stallTime = 60

    private let handle: UnsafeMutableRawPointer
    private let authorities: String?

    /// - Parameter authorities: a PEM file with the certificates to trust; `nil` for the system's.
    package init(authorities: String? = nil) throws(HTTPClientError) {
        guard CurlClient.isReady, let handle = ccurl_init() else {
            throw .unreachable("libcurl cannot be loaded: install the package libcurl4")
        }
        self.handle = handle
        self.authorities = authorities
    }

    deinit { ccurl_cleanup(handle) }

    /// Runs once per process, at the first request: libcurl's own set-up is not safe for concurrent calls.
    private static let isReady = ccurl_load()

    /// - Parameters:
    ///   - request: sent once, never repeated automatically.
    ///   - file: called with the head of the final response: returns an open file, and the offset in it for the
    ///     content; `nil` keeps the content in memory.
    ///   - progress: called several times per second; false ends the request.
    package func perform(
        _ request: HTTPRequest, file: @escaping (HTTPReplyHead) -> (raw: Int32, offset: Int64)? = { _ in nil },
        progress: @escaping (HTTPProgress) -> Bool = { _ in true }
    ) throws(HTTPClientError) -> HTTPReply {
        let exchange = Exchange(request.content, file: file, progress: progress)
        ccurl_reset(handle)
        var list: UnsafeMutablePointer<curl_slist>?
        defer { ccurl_free(list) }
        // libcurl would wait a second for a 100 that not every server sends; ours can refuse without it.
        for (name, value) in request.fields + [("Expect", "")] {
            guard !"\(name)\(value)".utf8.contains(where: { $0 < 0x20 }) else { throw .file("a field holds a control character") }
            // An empty value is written with a semicolon; `Expect:` alone removes the field.
            let line = value.isEmpty && name != "Expect" ? "\(name);" : "\(name): \(value)"
            guard let longer = ccurl_append(list, line) else { throw .unreachable("out of memory") }
            list = longer
        }
        let result = try withExtendedLifetime(exchange) { () throws(HTTPClientError) in
            try configure(request, list, Unmanaged.passUnretained(exchange).toOpaque())
            return ccurl_perform(handle)
        }
        if let failure = exchange.failure { throw .file(failure) }
        if exchange.isCancelled { throw .cancelled }
        var status = 0
        _ = ccurl_status(handle, &status)
        // The server may respond and end before it has read all of the content: its response counts.
        if result == CURLE_OK || (result == CURLE_SEND_ERROR && exchange.isAnswered) {
            return HTTPReply(head: exchange.head, content: exchange.content)
        }
        if result == CURLE_OPERATION_TIMEDOUT { throw .timedOut }
        throw .unreachable(String(cString: ccurl_text(result)))
    }

    private func configure(
        _ request: HTTPRequest, _ list: UnsafeMutablePointer<curl_slist>?, _ context: UnsafeMutableRawPointer
    ) throws(HTTPClientError) {
        var results: [CURLcode] = []
        func set(_ option: CURLoption, _ value: Int) { results.append(ccurl_set_long(handle, option, value)) }
        func set(_ option: CURLoption, _ value: String) { results.append(ccurl_set_text(handle, option, value)) }
        set(CURLOPT_URL, request.url)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_NOPROXY, "localhost,127.0.0.1,::1")
        set(CURLOPT_CONNECTTIMEOUT, CurlClient.connectTime)
        set(CURLOPT_LOW_SPEED_LIMIT, 1)
        set(CURLOPT_LOW_SPEED_TIME, request.stallSeconds ?? CurlClient.stallTime)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        // Half a mebibyte per read: fewer calls for large files.
        set(CURLOPT_UPLOAD_BUFFERSIZE, 524_288)
        set(CURLOPT_BUFFERSIZE, 262_144)
        if let authorities { set(CURLOPT_CAINFO, authorities) }
        switch request.content {
        case .none:
            if request.method == "HEAD" { set(CURLOPT_NOBODY, 1) }
            if request.method == "POST" {
                set(CURLOPT_POST, 1)
                results.append(ccurl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, 0))
            }
        case .octets, .file:
            set(CURLOPT_UPLOAD, 1)
            results.append(ccurl_set_size(handle, CURLOPT_INFILESIZE_LARGE, Int(request.content.count)))
        }
        if request.method != "HEAD" { set(CURLOPT_CUSTOMREQUEST, request.method) }
        results.append(ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, list))
        for option in [CURLOPT_READDATA, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_XFERINFODATA] {
            results.append(ccurl_set_pointer(handle, option, context))
        }
        results.append(ccurl_set_transfer(handle, CURLOPT_READFUNCTION, readContent))
        results.append(ccurl_set_transfer(handle, CURLOPT_WRITEFUNCTION, writeContent))
        results.append(ccurl_set_transfer(handle, CURLOPT_HEADERFUNCTION, takeHeadLine))
        results.append(ccurl_set_progress(handle, reportProgress))
        set(CURLOPT_NOPROGRESS, 0)
        if let failed = results.first(where: { $0 != CURLE_OK }) { throw .unreachable(String(cString: ccurl_text(failed))) }
    }
}

@available(*, unavailable)
extension CurlClient: Sendable {}
