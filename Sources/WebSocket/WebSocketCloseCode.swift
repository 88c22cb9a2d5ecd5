/// Close codes by name, and the codes that are allowed in a frame (RFC 6455 §7.4 and the IANA registry that it opens).
package enum WebSocketCloseCode {
    package static let normal: UInt16 = 1000
    package static let goingAway: UInt16 = 1001
    package static let protocolError: UInt16 = 1002
    package static let unsupported: UInt16 = 1003
    /// Never in a frame: means "a close frame without a code".
    package static let absent: UInt16 = 1005
    /// Never in a frame: means "the connection ended without a close frame".
    package static let abnormal: UInt16 = 1006
    package static let invalidPayload: UInt16 = 1007
    package static let policyViolation: UInt16 = 1008
    package static let tooBig: UInt16 = 1009
    package static let internalError: UInt16 = 1011
    package static let serviceRestart: UInt16 = 1012
    package static let tryAgainLater: UInt16 = 1013

    /// True for codes that an endpoint may send: 1000...1003, 1007...1014 and 3000...4999.
    ///
    /// 1004, 1005, 1006 and 1015 are reserved; the rest below 3000 belongs to future versions (RFC 6455 §7.4.2).
    /// 1012...1014 were registered after the RFC.
    package static func mayTravel(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
