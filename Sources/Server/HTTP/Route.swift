import HTTP1
import WebSocket

/// What a request gets.
enum HTTPAnswer {
    /// A final response, whole.
    case response(HTTPResponse)
    /// The WebSocket begins, and where the client is.
    case upgrade(WebSocketHandshake, from: RequestSource)
    /// An answer that comes later, or content that is wanted.
    case work(HTTPWork)
}

/// A resource, or all of one kind: where it is, what can be done with it, and who does it.
struct Route {
    /// Segments of the path; `nil` stands for any one that is not empty, which is the request's `name`.
    private let segments: [Substring?]
    /// For `Allow`, in order; `OPTIONS` is added.
    let methods: [String]
    /// It answers `OPTIONS` itself; `Allow` is added to its answer.
    let answersOptions: Bool
    /// `X-HTTP-Method-Override` of a POST counts (tus 1.0.0), for clients that can send no PATCH.
    let overridesMethod: Bool
    /// It answers other methods itself, too, in the words of its own protocol.
    let answersOthers: Bool
    let answer: (HTTPRequest) -> HTTPAnswer

    /// - Parameter path: such as `/files`, or `/files/*`: at most one segment is a `*`.
    init(
        _ path: String, _ methods: [String], answersOptions: Bool = false, overridesMethod: Bool = false, answersOthers: Bool = false,
        answer: @escaping (HTTPRequest) -> HTTPAnswer
    ) {
        segments = Route.segments(path).map { $0 == "*" ? nil : $0 }
        self.methods = methods
        self.answersOptions = answersOptions
        self.overridesMethod = overridesMethod
        self.answersOthers = answersOthers
        self.answer = answer
    }

    var allow: Field { Field("Allow", (methods + ["OPTIONS"]).joined(separator: ", ")) }

    /// Whether its methods only look.
    var isReadOnly: Bool { methods.allSatisfy { $0 == "GET" || $0 == "HEAD" } }

    /// What stands for the segment that varies, empty where none does; `nil` when this is not the path.
    func name(in path: [Substring]) -> String? {
        guard path.count == segments.count else { return nil }
        var name = ""
        for (segment, expected) in zip(path, segments) {
            if let expected {
                guard segment == expected else { return nil }
            } else {
                guard !segment.isEmpty else { return nil }
                name = String(segment)
            }
        }
        return name
    }

    /// `/a/b` as two segments; a slash at the end makes an empty one more.
    static func segments(_ path: String) -> [Substring] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    }
}
