/// The closing handshake of one connection (RFC 6455 §7): the frames to send, the end of the stream, and the resulting
/// code.
///
/// It has no clock of its own: the caller that carries out `.sendClose` starts a timer and reports `timerFired`.
package struct CloseState: Equatable, Sendable {
    package enum Phase: Sendable {
        /// Messages flow in both directions.
        case open
        /// Our close frame is sent, the peer's has not arrived: still reading, sending nothing more.
        case closing
        /// Both close frames are exchanged, or the connection has failed: the stream ends when the queue is sent.
        case finishing
        /// The connection has ended.
        case closed
    }

    /// The next action of the connection's owner.
    package enum Action: Equatable, Sendable {
        case nothing
        /// Queue a close frame, keep reading for the peer's.
        case sendClose(UInt16?)
        /// Queue a close frame, read nothing more, end the stream once it is sent.
        case sendCloseAndFinish(UInt16?)
        /// End the stream once the queue is sent.
        case finish
        /// Close the descriptor now.
        case drop
    }

    package private(set) var phase = Phase.open
    /// The close code that an API reports: the peer's code, 1005 if it sent none, 1006 if no close frame came; `nil`
    /// while none of these has happened.
    package private(set) var peerCode: UInt16?

    package init() {}

    /// True while messages may be sent.
    package var isOpen: Bool { phase == .open }

    /// Starts the closing handshake from this end.
    package mutating func close(_ code: UInt16?) -> Action {
        guard phase == .open else { return .nothing }
        phase = .closing
        return .sendClose(code)
    }

    /// Handles the peer's close frame: echoes its code (§5.5.1), unless it is the reply to ours.
    package mutating func didReceiveClose(_ code: UInt16?) -> Action {
        switch phase {
        case .open:
            phase = .finishing
            peerCode = code ?? WebSocketCloseCode.absent
            return .sendCloseAndFinish(code)
        case .closing:
            phase = .finishing
            peerCode = code ?? WebSocketCloseCode.absent
            return .finish
        case .finishing, .closed:
            return .nothing
        }
    }

    /// Handles a violation of the protocol or a limit: _Fail the WebSocket Connection_ (§7.1.7).
    package mutating func didFail(_ code: UInt16) -> Action {
        switch phase {
        case .open:
            phase = .finishing
            peerCode = WebSocketCloseCode.abnormal
            return .sendCloseAndFinish(code)
        case .closing:
            phase = .finishing
            peerCode = WebSocketCloseCode.abnormal
            return .finish
        case .finishing, .closed:
            return .nothing
        }
    }

    /// Called when the queue is sent.
    package mutating func didFlush() -> Action {
        guard phase == .finishing else { return .nothing }
        phase = .closed
        return .drop
    }

    /// Called when the time for closing, or for sending the last octets, is over.
    package mutating func timerFired() -> Action {
        guard phase == .closing || phase == .finishing else { return .nothing }
        peerCode = peerCode ?? WebSocketCloseCode.abnormal
        phase = .closed
        return .drop
    }

    /// The peer's stream ended, orderly or not.
    package mutating func streamEnded() -> Action {
        guard phase != .closed else { return .nothing }
        peerCode = peerCode ?? WebSocketCloseCode.abnormal
        phase = .closed
        return .drop
    }
}
