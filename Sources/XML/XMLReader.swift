internal import CExpat

/// The reason why octets are not accepted as a document.
package enum XMLFault: Error, Hashable, Sendable {
    /// Not well-formed, or in an encoding that is not known.
    case malformed(line: Int)
    /// A document type declaration, and with it every entity that a document could declare.
    case documentType
    /// Elements inside each other deeper than `XMLLimits.depth`.
    case tooDeep
    /// More octets than `XMLLimits.octets`.
    case tooLarge
    /// More elements or attributes than the limits.
    case tooMany

    /// For people.
    package var sentence: String {
        switch self {
        case .malformed(let line): "The XML of this request is not well-formed in line \(line)"
        case .documentType: "The XML of this request has a document type declaration, which is not accepted"
        case .tooDeep: "The elements of this request are nested too deeply"
        case .tooLarge: "The XML of this request is too large"
        case .tooMany: "The XML of this request has too many elements or attributes"
        }
    }
}

/// The limits of a document that is read.
package struct XMLLimits: Sendable {
    package var octets: Int
    package var depth: Int
    package var elements: Int
    /// Of one element.
    package var attributes: Int

    package init(octets: Int = 1_048_576, depth: Int = 32, elements: Int = 50_000, attributes: Int = 32) {
        self.octets = octets
        self.depth = depth
        self.elements = elements
        self.attributes = attributes
    }
}

/// Reads a document into its root element.
///
/// libexpat checks the grammar. Document types are refused at their beginning, so that no entity is ever declared;
/// comments and processing instructions are dropped. The tree costs about ten times the octets.
package enum XMLReader {
    package static func read(_ octets: [UInt8], _ limits: XMLLimits = XMLLimits()) throws(XMLFault) -> XMLElement {
        guard octets.count <= limits.octets else { throw .tooLarge }
        guard let parser = XML_ParserCreateNS(nil, TreeBuilder.separator) else { throw .tooLarge }
        defer { XML_ParserFree(parser) }
        let builder = TreeBuilder(parser, limits)
        XML_SetUserData(parser, Unmanaged.passUnretained(builder).toOpaque())
        XML_SetElementHandler(parser, { TreeBuilder.of($0)?.begin($1, $2) }, { data, _ in TreeBuilder.of(data)?.end() })
        XML_SetCharacterDataHandler(parser) { TreeBuilder.of($0)?.add($1, Int($2)) }
        XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in TreeBuilder.of(data)?.stop(.documentType) }
        let status = withExtendedLifetime(builder) {
            octets.withUnsafeBytes { octets in
                XML_Parse(parser, octets.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(octets.count), 1)
            }
        }
        if let fault = builder.fault { throw fault }
        guard status == XML_STATUS_OK, let root = builder.root else { throw .malformed(line: Int(XML_GetCurrentLineNumber(parser))) }
        return root
    }
}

/// Builds the tree from the events of the parser.
private final class TreeBuilder {
    /// Between the namespace and the local name. libexpat refuses namespaces that have it.
    static let separator = XML_Char(0x0A)

    private let parser: XML_Parser
    private let limits: XMLLimits
    private var open: [XMLElement] = []
    private var text: [UInt8] = []
    private var elements = 0
    private(set) var root: XMLElement?
    private(set) var fault: XMLFault?

    init(_ parser: XML_Parser, _ limits: XMLLimits) {
        self.parser = parser
        self.limits = limits
    }

    static func of(_ data: UnsafeMutableRawPointer?) -> TreeBuilder? {
        data.map { Unmanaged<TreeBuilder>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Ends the reading. The parser may still report the events of the current construct.
    func stop(_ fault: XMLFault) {
        guard self.fault == nil else { return }
        self.fault = fault
        XML_StopParser(parser, XML_Bool(0))
    }

    func begin(_ name: UnsafePointer<XML_Char>?, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?) {
        guard fault == nil, let name else { return }
        endText()
        elements += 1
        guard open.count < limits.depth else { return stop(.tooDeep) }
        guard elements <= limits.elements else { return stop(.tooMany) }
        var element = XMLElement(Self.name(name))
        var next = attributes
        while let pair = next, let key = pair[0], let value = pair[1] {
            guard element.attributes.count < limits.attributes else { return stop(.tooMany) }
            element.attributes[Self.name(key)] = String(cString: value)
            next = pair + 2
        }
        open.append(element)
    }

    func end() {
        guard fault == nil else { return }
        endText()
        guard let element = open.popLast() else { return }
        if open.isEmpty { root = element } else { open[open.count - 1].content.append(.element(element)) }
    }

    func add(_ octets: UnsafePointer<XML_Char>?, _ count: Int) {
        guard fault == nil, let octets else { return }
        octets.withMemoryRebound(to: UInt8.self, capacity: count) { text += UnsafeBufferPointer(start: $0, count: count) }
    }

    private func endText() {
        guard !text.isEmpty else { return }
        if !open.isEmpty { open[open.count - 1].content.append(.text(String(decoding: text, as: UTF8.self))) }
        text.removeAll(keepingCapacity: true)
    }

    private static func name(_ text: UnsafePointer<XML_Char>) -> XMLName {
        let whole = String(cString: text)
        guard let cut = whole.utf8.lastIndex(of: 0x0A) else { return XMLName(whole) }
        return XMLName(String(whole[whole.utf8.index(after: cut)...]), in: String(whole[..<cut]))
    }
}
