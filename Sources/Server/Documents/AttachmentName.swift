import HTTP1

/// The name of a file for a download: the uploader's name, changed so that a header, a browser and a folder accept it.
///
/// Source: RFC 6266 (Content-Disposition), appendix D for clients that read only the plain name; RFC 8187 (ext-value).
enum AttachmentName {
    /// The largest number of octets of a name: folders accept 255, and browsers add to it.
    static let longest = 150
    /// The largest number of scalars of an extension that is kept when a name is cut.
    private static let longestExtension = 10

    /// The value of `Content-Disposition`: always a download, never shown in a page.
    static func disposition(_ name: String) -> String {
        let safe = safe(name)
        let plain = String(String.UnicodeScalarView(safe.unicodeScalars.map { $0.isASCII && $0 != "%" ? $0 : "_" }))
        // Old browsers decode names that look percent-encoded, so such a name has another form too.
        return plain == safe ? "attachment; filename=\"\(plain)\"" : "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(PercentCoding.encode(safe))"
    }

    /// The name without characters that end a line, leave the folder, hide the extension or have a meaning to the shell
    /// of some system; never empty.
    static func safe(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where !isDropped(scalar) { scalars.append(isReplaced(scalar) ? "_" : scalar) }
        let body = scalars.drop(while: isEdge)
        let end = body.lastIndex { !isEdge($0) }
        guard let end else { return "document" }
        // A name that consists only of an extension keeps it.
        let isExtension = scalars.first { !isBlank($0) } == "." && !body[...end].contains(".") && body[...end].count <= longestExtension
        return (isExtension ? "document." : "") + shortened(body[...end])
    }

    private static func shortened(_ name: Substring.UnicodeScalarView) -> String {
        guard octets(name) > longest else { return String(name) }
        var suffix = Substring.UnicodeScalarView()
        if let dot = name.lastIndex(of: "."), name[dot...].count <= longestExtension + 1, octets(name[dot...]) <= longest / 2 { suffix = name[dot...] }
        var front = String.UnicodeScalarView()
        var left = longest - octets(suffix)
        for scalar in name {
            left -= UTF8.width(scalar)
            guard left >= 0 else { break }
            front.append(scalar)
        }
        while suffix.isEmpty, let last = front.last, isEdge(last) { front.removeLast() }
        return String(front) + String(suffix)
    }

    private static func octets(_ scalars: Substring.UnicodeScalarView) -> Int { scalars.reduce(0) { $0 + UTF8.width($1) } }

    /// The first and last characters neither hide the file, nor are they ones that Windows drops.
    private static func isEdge(_ scalar: Unicode.Scalar) -> Bool { scalar == "." || isBlank(scalar) }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

    private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        // Directional marks can make `gpj.exe` look like `exe.jpg`. Joiners are part of words and of pictures.
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
        default: false
        }
    }

    private static func isReplaced(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "/", "\\", ":", "*", "?", "\"", "<", ">", "|", ";": true
        default: false
        }
    }
}
