package import XML

/// Writes a `multistatus` (RFC 4918 §13), response by response.
package struct MultiStatus: Sendable {
    private var writer = XMLWriter(prefixes: DAVNames.prefixes)

    package init() { writer.begin(DAVNames.d("multistatus")) }

    /// The octets so far.
    package var count: Int { writer.octets.count }

    /// Adds the properties of a resource.
    ///
    /// - Parameters:
    ///   - address: of the resource, with the escapes of an address.
    ///   - missing: the names of properties that it does not have: 404.
    ///   - refused: the names of properties that must not be changed: 403.
    package mutating func add(_ address: String, found: [XMLElement], missing: [XMLName] = [], refused: [XMLName] = []) {
        begin(address)
        // A response has at least one propstat.
        if !found.isEmpty || missing.isEmpty && refused.isEmpty { propstat(found, 200) }
        if !missing.isEmpty { propstat(missing.map { XMLElement($0, [XMLElement.Node]()) }, 404) }
        if !refused.isEmpty { propstat(refused.map { XMLElement($0, [XMLElement.Node]()) }, 403, DAVNames.d("cannot-modify-protected-property")) }
        writer.end(DAVNames.d("response"))
    }

    /// Adds the status of a resource.
    package mutating func add(_ address: String, status: Int, condition: XMLName? = nil) {
        begin(address)
        self.status(status)
        if let condition { writer.element(XMLElement(DAVNames.d("error"), [XMLElement(condition, [XMLElement.Node]())])) }
        writer.end(DAVNames.d("response"))
    }

    package mutating func setSyncToken(_ token: String) { writer.element(DAVNames.d("sync-token"), text: token) }

    /// Ends the document.
    package consuming func end() -> [UInt8] {
        writer.end(DAVNames.d("multistatus"))
        return writer.octets
    }

    private mutating func begin(_ address: String) {
        writer.begin(DAVNames.d("response"))
        writer.element(DAVNames.d("href"), text: address)
    }

    private mutating func propstat(_ properties: [XMLElement], _ status: Int, _ condition: XMLName? = nil) {
        writer.begin(DAVNames.d("propstat"))
        writer.element(XMLElement(DAVNames.d("prop"), properties))
        self.status(status)
        if let condition { writer.element(XMLElement(DAVNames.d("error"), [XMLElement(condition, [XMLElement.Node]())])) }
        writer.end(DAVNames.d("propstat"))
    }

    private mutating func status(_ status: Int) {
        let reason = [200: "OK", 403: "Forbidden", 404: "Not Found", 507: "Insufficient Storage"][status] ?? "Status"
        writer.element(DAVNames.d("status"), text: "HTTP/1.1 \(status) \(reason)")
    }
}
