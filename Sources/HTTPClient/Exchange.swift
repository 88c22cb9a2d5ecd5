internal import CCurl
internal import Posix

/// The state of one request in libcurl, which its callbacks read and write.
final class Exchange {
    private let source: HTTPRequest.Content
    private let file: (HTTPReplyHead) -> (raw: Int32, offset: Int64)?
    private let progress: (HTTPProgress) -> Bool
    /// The octets of the request's content that libcurl has taken.
    private var taken: Int64 = 0
    private(set) var head = HTTPReplyHead(status: 0)
    private(set) var content: [UInt8] = []
    private var target: (raw: Int32, offset: Int64)?
    private var isTargetKnown = false
    /// Whether the head of the final response is complete.
    private(set) var isAnswered = false
    private(set) var isCancelled = false
    /// The error of a local file.
    private(set) var failure: String?

    /// The largest number of fields of a head: a server that sends more is not ours.
    private static let maxFields = 200

    init(
        _ source: HTTPRequest.Content, file: @escaping (HTTPReplyHead) -> (raw: Int32, offset: Int64)?,
        progress: @escaping (HTTPProgress) -> Bool
    ) {
        self.source = source
        self.file = file
        self.progress = progress
    }

    /// - Returns: the number of octets put into `buffer`, 0 at the end; `nil` if they cannot be read.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        switch source {
        case .none: return 0
        case .octets(let octets):
            let portion = octets.dropFirst(Int(taken)).prefix(buffer.count)
            buffer.copyBytes(from: portion)
            taken += Int64(portion.count)
            return portion.count
        case .file(let raw, let offset, let count):
            let wanted = min(Int64(buffer.count), count - taken)
            guard wanted > 0 else { return 0 }
            do throws(Errno) {
                let octets = try Files.read(raw, at: Int(offset + taken), count: Int(wanted))
                guard !octets.isEmpty else {
                    failure = "the file became shorter while it was sent"
                    return nil
                }
                buffer.copyBytes(from: octets)
                taken += Int64(octets.count)
                return octets.count
            } catch {
                failure = "the file cannot be read: \(error.text)"
                return nil
            }
        }
    }

    func takeHeadLine(_ line: UnsafeRawBufferPointer) {
        let text = String(decoding: line, as: UTF8.self).trimmed
        if text.hasPrefix("HTTP/") {
            // The status line of an interim or a final response: each starts a new head.
            let words = text.split(separator: " ", maxSplits: 2)
            head = HTTPReplyHead(status: words.count > 1 ? Int(words[1]) ?? 0 : 0)
            isAnswered = false
        } else if text.isEmpty {
            isAnswered = head.status >= 200
        } else if let colon = text.firstIndex(of: ":"), head.fields.count < Exchange.maxFields {
            head.fields.append((text[..<colon].lowercased(), String(text[text.index(after: colon)...]).trimmed))
        }
    }

    /// - Returns: false to end the request.
    func write(_ octets: UnsafeRawBufferPointer) -> Bool {
        if !isTargetKnown {
            isTargetKnown = true
            target = file(head)
        }
        guard let (raw, offset) = target else {
            content.append(contentsOf: octets.prefix(max(0, CurlClient.maxContent - content.count)))
            return true
        }
        do throws(Errno) {
            try Files.overwrite(raw, Array(octets), at: Int(offset))
            target = (raw, offset + Int64(octets.count))
            return true
        } catch {
            failure = "the file cannot be written: \(error.text)"
            return false
        }
    }

    /// - Returns: false to end the request.
    func report(sent: Int64, received: Int64) -> Bool {
        guard !progress(HTTPProgress(sent: sent, received: received)) else { return true }
        isCancelled = true
        return false
    }
}

@available(*, unavailable)
extension Exchange: Sendable {}

extension String {
    fileprivate var trimmed: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r\n" || $0 == "\r" || $0 == "\n" }
        let start = drop(while: isSpace)
        guard let last = start.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(start[...last])
    }
}

// MARK: Callbacks of libcurl

private func exchange(_ context: UnsafeMutableRawPointer?) -> Exchange? {
    context.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
}

let readContent: ccurl_transfer = { octets, size, count, context in
    guard let octets, let exchange = exchange(context) else { return Int(CURL_READFUNC_ABORT) }
    return exchange.read(into: UnsafeMutableRawBufferPointer(start: octets, count: size * count)) ?? Int(CURL_READFUNC_ABORT)
}

let writeContent: ccurl_transfer = { octets, size, count, context in
    guard let exchange = exchange(context) else { return 0 }
    let taken = exchange.write(UnsafeRawBufferPointer(start: octets, count: size * count))
    // Fewer than given end the request.
    return taken ? size * count : 0
}

let takeHeadLine: ccurl_transfer = { octets, size, count, context in
    exchange(context)?.takeHeadLine(UnsafeRawBufferPointer(start: octets, count: size * count))
    return size * count
}

let reportProgress: curl_xferinfo_callback = { context, _, received, _, sent in
    exchange(context)?.report(sent: Int64(sent), received: Int64(received)) ?? false ? 0 : 1
}
