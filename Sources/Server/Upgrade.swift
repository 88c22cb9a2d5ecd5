import HTTP1
import WebSocket

/// What an HTTP request gets: the upgrade at `/ws`, a word for a person at `/`, refusals elsewhere.
enum Upgrade: Equatable {
    case needsMore
    /// The whole response, after which the connection closes.
    case refused([UInt8], status: Int)
    /// The response, how many octets of the input were the request, and how messages may be compressed from now on.
    case accepted([UInt8], length: Int, compression: CompressionTerms?)

    static let path = "/ws"
    static let subprotocol = "huddle.v1"

    /// - Parameter octets: all that came so far.
    init(_ octets: Span<UInt8>) {
        do throws(HTTPError) {
            guard let (head, length) = try RequestHead.parse(octets) else {
                self = .needsMore
                return
            }
            self = Upgrade.answer(head, length: length)
        } catch {
            self = .refused(ResponseHead.closing(error.status), status: error.status)
        }
    }

    private static func answer(_ head: RequestHead, length: Int) -> Upgrade {
        switch head.path {
        case path:
            do throws(HandshakeRefusal) {
                let handshake = try WebSocketHandshake.accept(head, subprotocols: [subprotocol], compression: .shared)
                guard handshake.subprotocol == subprotocol else {
                    return refusal(400, "This address speaks the WebSocket subprotocol \(subprotocol); name it in Sec-WebSocket-Protocol.\n")
                }
                return .accepted(handshake.response, length: length, compression: handshake.compression)
            } catch {
                return .refused(error.response, status: error.status)
            }
        case "/":
            guard head.method == "GET" else { return .refused(ResponseHead.closing(405, [Field("Allow", "GET")]), status: 405) }
            return refusal(200, "This is a Huddle server. Clients connect to \(path), for example: huddle --server ws://HOST:PORT\n")
        default:
            return refusal(404, "There is nothing here. Clients connect to \(path).\n")
        }
    }

    private static func refusal(_ status: Int, _ body: String) -> Upgrade {
        .refused(ResponseHead.closing(status, body: body), status: status)
    }
}
