/// What a client has to ask for to get a WebSocket.
enum Upgrade {
    static let path = HTTPSite.socketPath
    static let subprotocol = "huddle.v1"
}
