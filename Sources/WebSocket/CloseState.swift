/// The closing handshake of one connection (RFC 6455 §7): what to send, when the stream may end, how it ended.
///
/// No clock of its own: whoever acts on `.sendClose` starts a timer and reports `timerFired`.
package struct CloseState: Equatable, Sendable {
    package enum Phase: Sendable {
        /// Messages flow.
        case open
        /// Our close frame is out, the peer's has not come: still reading, sending nothing more.
        case closing
        /// Both close frames are exchanged, or the connection has failed: the stream ends when what is queued is sent.
        case finishing
        /// Nothing is left.
        case closed
    }

    /// What the owner of the connection does next.
    package enum Action: Equatable, Sendable {
        case nothing
        /// Queue a close frame, keep reading for the peer's.
        case sendClose(UInt16?)
        /// Queue a close frame, read nothing more, end the stream once it is sent.
        case sendCloseAndFinish(UInt16?)
        /// End the stream once all that is queued is sent.
        case finish
        /// Close the descriptor now.
        case drop
    }

    package private(set) var phase = Phase.open
    /// How it ended for us, as an API reports it: the peer's code, 1005 when it gave none, 1006 when no close frame came;
    /// `nil` while neither has happened.
    package private(set) var peerCode: UInt16?

    package init() {}

    /// True while messages may be sent.
    package var isOpen: Bool { phase == .open }

    /// We want to end it.
    package mutating func close(_ code: UInt16?) -> Action {
        guard phase == .open else { return .nothing }
        phase = .closing
        return .sendClose(code)
    }

    /// The peer's close frame came: echo its code (§5.5.1), unless it answers ours.
    package mutating func didReceiveClose(_ code: UInt16?) -> Action {
        switch phase {
        case .open:
            phase = .finishing
            peerCode = code ?? CloseCode.absent
            return .sendCloseAndFinish(code)
        case .closing:
            phase = .finishing
            peerCode = code ?? CloseCode.absent
            return .finish
        case .finishing, .closed:
            return .nothing
        }
    }

    /// The peer broke the protocol or a limit: _Fail the WebSocket Connection_ (§7.1.7).
    package mutating func didFail(_ code: UInt16) -> Action {
        switch phase {
        case .open:
            phase = .finishing
            peerCode = CloseCode.abnormal
            return .sendCloseAndFinish(code)
        case .closing:
            phase = .finishing
            peerCode = CloseCode.abnormal
            return .finish
        case .finishing, .closed:
            return .nothing
        }
    }

    /// All that was queued is sent.
    package mutating func didFlush() -> Action {
        guard phase == .finishing else { return .nothing }
        phase = .closed
        return .drop
    }

    /// The time for closing, or for the last octets to leave, is over.
    package mutating func timerFired() -> Action {
        guard phase == .closing || phase == .finishing else { return .nothing }
        peerCode = peerCode ?? CloseCode.abnormal
        phase = .closed
        return .drop
    }

    /// The peer's stream ended, orderly or not.
    package mutating func streamEnded() -> Action {
        guard phase != .closed else { return .nothing }
        peerCode = peerCode ?? CloseCode.abnormal
        phase = .closed
        return .drop
    }
}
