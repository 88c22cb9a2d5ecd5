import Bytes
import Crypto
import HTTP1
import Store

/// `GET /dav/account.mobileconfig`: a profile with which Apple's programs set up the calendars. It has the name of the
/// server and of the person, and never the token: the phone asks for it.
final class AccountProfileHandler: RequestHandler {
    override func begin() {
        guard let authority = context.source?.authority, case .calendar(let access) = context.identity else {
            return respond(HTTPResponse(400, "The request does not name this server. Name it in the field Host."))
        }
        let isSecure = context.source?.isSecure ?? false
        let port = authority.port.map { Int($0) } ?? (isSecure ? 443 : 80)
        // The same account replaces itself when it is installed again.
        let name = Self.uuid("\(authority.host):\(port) \(access.session)")
        let profile = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>
            <key>PayloadContent</key><array><dict>
            <key>CalDAVAccountDescription</key><string>Huddle</string>
            <key>CalDAVHostName</key><string>\(Self.escaped(authority.host))</string>
            <key>CalDAVPort</key><integer>\(port)</integer>
            <key>CalDAVPrincipalURL</key><string>\(CalendarDiscovery.root)</string>
            <key>CalDAVUseSSL</key><\(isSecure ? "true" : "false")/>
            <key>CalDAVUsername</key><string>huddle</string>
            <key>PayloadDisplayName</key><string>Huddle calendars</string>
            <key>PayloadIdentifier</key><string>huddle.\(name).caldav</string>
            <key>PayloadType</key><string>com.apple.caldav.account</string>
            <key>PayloadUUID</key><string>\(Self.uuid(name))</string>
            <key>PayloadVersion</key><integer>1</integer>
            </dict></array>
            <key>PayloadDescription</key><string>Calendars of your family in Huddle. The password is your calendar token.</string>
            <key>PayloadDisplayName</key><string>Huddle</string>
            <key>PayloadIdentifier</key><string>huddle.\(name)</string>
            <key>PayloadType</key><string>Configuration</string>
            <key>PayloadUUID</key><string>\(name)</string>
            <key>PayloadVersion</key><integer>1</integer>
            </dict></plist>

            """
        respond(
            HTTPResponse(
                200,
                [
                    Field("Content-Type", "application/x-apple-aspen-config; charset=utf-8"), Field("Cache-Control", "private, no-store"),
                    Field("Content-Disposition", "attachment; filename=\"huddle.mobileconfig\""),
                ], content: Array(profile.utf8)))
    }

    /// An id that follows from a text.
    private static func uuid(_ text: String) -> String {
        let digest = Digest.sha256(Array("huddle calendar profile\n\(text)".utf8))
        func half(_ start: Int) -> UInt64 { digest[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        return Identifier(high: half(0), low: half(8)).description.uppercased()
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
