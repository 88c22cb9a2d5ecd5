import Family
import HTTP1
import JSON
import QRCodes
import Store

/// Pictures of addresses, for phones: browsers have no encoder of QR codes, and the addresses that the web client shows once must not go into an address themselves.
///
/// | path | methods | purpose |
/// | --- | --- | --- |
/// | `/qr` | POST | the QR code of a text |
enum QRRoutes {
    static func all(_ services: RequestServices) -> [RouteGroup.Resource] {
        [RouteGroup("/qr", .account).resource("", .post { .handler(QRDrawing($0, services)) })]
    }
}

/// `POST /qr` with `text`. The text is stored and logged nowhere.
private final class QRDrawing: SessionHandler {
    private struct Content: JSONContent {
        static let maxOctets = 1_024
        static let members = "text"
        /// Octets of the text. The longest address of a feed has about 300.
        static let longest = 512

        var text = ""

        mutating func read(_ member: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            guard member == "text" else { return false }
            text = try reader.readString()
            return true
        }

        func check() throws(Rejection) {
            guard (1...Self.longest).contains(text.utf8.count), !text.utf8.contains(0) else {
                throw Rejection(.invalid, "text must be 1 to \(Self.longest) octets without an octet 0", field: "text")
            }
        }
    }

    override func begin() {
        acceptJSON(Content.self) { [self] content in
            let text = content.text
            // A reader draws it: the library is loaded from the disk, and the reactor waits for none.
            services.read(for: self) { _ throws(StoreFailure) in QRCode.modules(text) } then: { [self] modules in
                guard let modules else {
                    return respond(HTTPResponse(501, code: "qr_unavailable", sentence: "This server draws no QR codes. Ask the host to install libqrencode4."))
                }
                respond(200) { writer in
                    writer.key("rows")
                    writer.beginArray()
                    for row in modules { writer.string(String(row.map { $0 ? "1" : "0" })) }
                    writer.endArray()
                }
            }
        }
    }
}
