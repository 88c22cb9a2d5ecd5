/// What a client has to ask for to get a WebSocket.
enum Upgrade {
    static let subprotocol = "huddle.v1"
}
