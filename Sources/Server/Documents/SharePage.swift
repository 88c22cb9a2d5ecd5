import Bytes
import Crypto
import Dates
import Family
import HTTP1
import Store

/// The pages that a coach sees: without scripts, without content from other servers, accessible to every reader.
enum SharePage {
    /// The page of the document, with its download.
    static func page(_ shared: SharedDocument, token: String) -> HTTPResponse {
        let document = shared.document
        let title = document.title.isEmpty ? "A shared document" : document.title
        let school = shared.school.isEmpty ? "" : "<p>Shared with <bdi>\(escaped(shared.school))</bdi>."
        let until = CalendarDate(days: Int(shared.expiresAt / 86_400_000)).map { "<p>This link works until \(date($0))." } ?? ""
        // The address is relative, so that it is right behind any proxy.
        return html(
            200, title: title,
            """
            <h1><bdi>\(escaped(title))</bdi></h1>
            \(school)
            <p><a href="\(escaped(token))/file" download>Download <bdi>\(escaped(AttachmentName.safe(document.fileName)))</bdi> \
            (\(ByteCount.text(document.octets)))</a>
            \(until)
            """)
    }

    /// The page of a link that has ended, was revoked or never existed.
    static var missing: HTTPResponse {
        html(
            404, title: "This link does not work",
            """
            <h1>This link does not work</h1>
            <p>It may have ended, or a part of it is missing. Look at the message that you got it with, or ask whoever sent it for a new one.
            """)
    }

    static func tooMany(seconds: Int64) -> HTTPResponse {
        html(
            429, title: "Too many tries",
            """
            <h1>Too many tries</h1>
            <p>Too many links that do not work were opened from your network. Try again in \((seconds + 59) / 60) minutes.
            """, [Field("Retry-After", "\(seconds)")])
    }

    static func tooOften(seconds: Int64) -> HTTPResponse {
        html(
            429, title: "Please try again",
            """
            <h1>Please try again</h1>
            <p>There were very many requests just now. Open the link again in a moment.
            """, [Field("Retry-After", "\(seconds)")])
    }

    static var busy: HTTPResponse {
        html(
            503, title: "Please try again",
            """
            <h1>Please try again</h1>
            <p>The server is busy. Open the link again in a moment.
            """, [Field("Retry-After", "5")])
    }

    // MARK: Common parts

    private static let style = """
        :root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem;\
        overflow-wrap:anywhere}a{display:inline-block;padding:.75rem 1.25rem;border-radius:.5rem;background:#1d4ed8;color:#fff;\
        text-decoration:none}a:focus,a:hover{outline:3px solid #93c5fd;outline-offset:2px}footer{margin-top:3rem;font-size:.875rem}
        """
    private static let policy =
        "default-src 'none'; style-src 'sha256-\(Base64.encode(Digest.sha256(Array(style.utf8))))'; base-uri 'none'; form-action 'none'; "
        + "frame-ancestors 'none'"

    private static func html(_ status: Int, title: String, _ body: String, _ fields: [Field] = []) -> HTTPResponse {
        let page = """
            <!DOCTYPE html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <meta name="robots" content="noindex">
            <title>\(escaped(title))</title>
            <style>\(style)</style>
            <main>
            \(body)
            </main>
            <footer>Shared with Huddle</footer>
            </html>

            """
        return HTTPResponse(
            status,
            fields + [
                Field("Content-Type", "text/html; charset=utf-8"), Field("Cache-Control", "no-store"),
                Field("Content-Security-Policy", policy), Field("X-Robots-Tag", "noindex"),
            ], content: Array(page.utf8))
    }

    /// The text with escapes, so that it cannot contain a tag or the end of an attribute. Control characters, which
    /// HTML does not allow, are left out.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: if scalar.properties.generalCategory != .control { result.unicodeScalars.append(scalar) }
            }
        }
        return result
    }

    private static func date(_ date: CalendarDate) -> String {
        let months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
        ]
        return "\(months[(date.month - 1) % 12]) \(date.day), \(date.year)"
    }
}
