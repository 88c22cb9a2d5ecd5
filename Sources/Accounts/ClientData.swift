internal import Bytes
package import HTTP1
internal import JSON

/// The statement of a browser about a ceremony (Web Authentication Level 2, §5.8.1): JSON, of which members unknown here are skipped,
/// because browsers add some on purpose.
package struct ClientData: Equatable, Sendable {
    /// The longest accepted statement. Browsers' have some 200 octets.
    package static let maxOctets = 4_096

    package enum Ceremony: String, Sendable, CaseIterable {
        case register = "webauthn.create"
        case signIn = "webauthn.get"
    }

    package let ceremony: Ceremony
    package let challenge: [UInt8]
    package let origin: WebOrigin

    package init(_ octets: [UInt8]) throws(PasskeyRefusal) {
        guard octets.count <= Self.maxOctets else { throw .clientData }
        var type: String?
        var challenge: [UInt8]?
        var origin: String?
        var isCrossOrigin = false
        do throws(JSONError) {
            try JSONReader.read(octets) { reader throws(JSONError) in
                try reader.readObject { reader, key throws(JSONError) in
                    switch key {
                    case "type": type = try reader.readString()
                    case "challenge": challenge = Base64.decode(try reader.readString(), .urlSafe)
                    case "origin": origin = try reader.readString()
                    case "crossOrigin": isCrossOrigin = try reader.readBool()
                    default: try reader.skipValue()
                    }
                }
            }
        } catch { throw .clientData }
        guard let type, let challenge, let origin else { throw .clientData }
        guard let ceremony = Ceremony(rawValue: type) else { throw .type }
        guard !isCrossOrigin, let origin = WebOrigin(origin) else { throw .origin }
        self.ceremony = ceremony
        self.challenge = challenge
        self.origin = origin
    }
}
