/// The conditions of a request for a WebSocket.
enum Upgrade {
    static let subprotocol = "huddle.v1"
}
