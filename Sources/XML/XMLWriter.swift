/// Writes documents: elements with prefixes that the root declares, and texts with escapes.
package struct XMLWriter: Sendable {
    /// All that was written so far.
    package private(set) var octets: [UInt8]
    private let prefixes: [String: String]
    private var isRootOpen = false

    /// - Parameter prefixes: a prefix for each namespace that is used often. Other namespaces are declared where they
    ///   are used.
    package init(prefixes: [String: String]) {
        self.prefixes = prefixes
        octets = Array("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n".utf8)
    }

    /// Begins an element; `end` has to follow. The first one declares the prefixes.
    package mutating func begin(_ name: XMLName) {
        put("<")
        let tag = tag(name)
        put(tag.text)
        if let declared = tag.declared { attribute("xmlns:x", declared) }
        if !isRootOpen {
            isRootOpen = true
            for (namespace, prefix) in prefixes.sorted(by: { $0.value < $1.value }) { attribute("xmlns:\(prefix)", namespace) }
        }
        put(">")
    }

    package mutating func end(_ name: XMLName) {
        put("</")
        put(tag(name).text)
        put(">")
    }

    /// Writes an element that holds a text alone.
    package mutating func element(_ name: XMLName, text: String) {
        begin(name)
        self.text(text)
        end(name)
    }

    /// Writes an element with all that is in it.
    package mutating func element(_ element: XMLElement) {
        put("<")
        let tag = tag(element.name)
        put(tag.text)
        if let declared = tag.declared { attribute("xmlns:x", declared) }
        var numbered = 0
        for (name, value) in element.attributes.sorted(by: { ($0.key.namespace, $0.key.local) < ($1.key.namespace, $1.key.local) }) {
            if name.namespace.isEmpty {
                attribute(name.local, value)
            } else if name.namespace == Self.xml {
                attribute("xml:\(name.local)", value)
            } else if let prefix = prefixes[name.namespace] {
                attribute("\(prefix):\(name.local)", value)
            } else {
                numbered += 1
                attribute("xmlns:a\(numbered)", name.namespace)
                attribute("a\(numbered):\(name.local)", value)
            }
        }
        guard !element.content.isEmpty else { return put("/>") }
        put(">")
        for node in element.content {
            switch node {
            case .element(let inner): self.element(inner)
            case .text(let text): self.text(text)
            }
        }
        end(element.name)
    }

    /// Writes a text. Characters that XML does not allow are left out.
    package mutating func text(_ text: String) { put(escaped: text.utf8, isAttribute: false) }

    /// Writes octets of UTF-8 as a text, as `text` does.
    package mutating func text(_ octets: [UInt8]) { put(escaped: octets, isAttribute: false) }

    private static let xml = "http://www.w3.org/XML/1998/namespace"

    /// The name as it is written, and the namespace that it has to declare for the prefix `x`.
    private func tag(_ name: XMLName) -> (text: String, declared: String?) {
        if name.namespace.isEmpty { return (name.local, nil) }
        if let prefix = prefixes[name.namespace] { return ("\(prefix):\(name.local)", nil) }
        // Its prefix is declared everywhere, and no other prefix may be.
        if name.namespace == Self.xml { return ("xml:\(name.local)", nil) }
        return ("x:\(name.local)", name.namespace)
    }

    private mutating func attribute(_ name: String, _ value: String) {
        put(" \(name)=\"")
        put(escaped: value.utf8, isAttribute: true)
        put("\"")
    }

    private mutating func put(_ text: String) { octets += text.utf8 }

    private mutating func put(escaped text: some Collection<UInt8>, isAttribute: Bool) {
        // U+FFFE and U+FFFF, which XML does not allow, have these first octets.
        var before: (UInt8, UInt8) = (0, 0)
        for octet in text {
            switch octet {
            case UInt8(ascii: "&"): put("&amp;")
            case UInt8(ascii: "<"): put("&lt;")
            case UInt8(ascii: ">"): put("&gt;")
            case UInt8(ascii: "\"") where isAttribute: put("&quot;")
            // A reader changes these characters unless they are references.
            case 0x0D: put("&#13;")
            case 0x0A where isAttribute: put("&#10;")
            case 0x09 where isAttribute: put("&#9;")
            case 0x00..<0x09, 0x0B, 0x0C, 0x0E..<0x20: break
            case 0xBE, 0xBF:
                if before == (0xEF, 0xBF) { octets.removeLast(2) } else { octets.append(octet) }
            default: octets.append(octet)
            }
            before = (before.1, octet)
        }
    }
}
