// XML (namespaces in XML 1.0) as values: elements with their attributes and content, and the octets of both; no files.

/// The name of an element or an attribute.
package struct XMLName: Hashable, Sendable {
    /// The URI of its namespace; empty for none.
    package var namespace: String
    package var local: String

    package init(_ local: String, in namespace: String = "") {
        self.namespace = namespace
        self.local = local
    }
}

/// An element with all that is in it.
package struct XMLElement: Hashable, Sendable {
    package enum Node: Hashable, Sendable {
        case element(XMLElement)
        /// Characters, without escapes.
        case text(String)
    }

    package var name: XMLName
    package var attributes: [XMLName: String]
    /// In the order of the document. Neighbouring texts are one.
    package var content: [Node]

    package init(_ name: XMLName, attributes: [XMLName: String] = [:], _ content: [Node] = []) {
        self.name = name
        self.attributes = attributes
        self.content = content
    }

    /// An element that holds a text alone.
    package init(_ name: XMLName, text: String) { self.init(name, text.isEmpty ? [] : [.text(text)]) }

    /// An element that holds elements alone.
    package init(_ name: XMLName, _ elements: [XMLElement]) { self.init(name, elements.map { .element($0) }) }

    /// The elements directly in it.
    package var elements: [XMLElement] {
        content.compactMap { node in
            if case .element(let element) = node { return element }
            return nil
        }
    }

    /// The first element directly in it with a name.
    package subscript(name: XMLName) -> XMLElement? { elements.first { $0.name == name } }

    /// The texts directly in it.
    package var text: String {
        var text = ""
        for case .text(let more) in content { text += more }
        return text
    }

    /// The texts directly in it, without white space at both ends.
    package var trimmedText: String {
        let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        let octets = Array(text.utf8)
        guard let first = octets.firstIndex(where: { !space.contains($0) }), let last = octets.lastIndex(where: { !space.contains($0) }) else { return "" }
        return String(decoding: octets[first...last], as: UTF8.self)
    }
}
