@testable import DAV
import XML

/// XML and WebDAV: what was accepted is unchanged after writing and reading it, and a request is read or refused within its bounds.
extension FuzzTarget {
    static let documents: [FuzzTarget] = [
        FuzzTarget("xml", dictionary: "dav") { octets in try checkDocument(octets) },
        FuzzTarget("dav", dictionary: "dav") { octets in try checkCalendarRequest(octets) },
    ]
}

private func checkDocument(_ octets: [UInt8]) throws {
    let limits = XMLLimits(octets: 3_000, depth: 8, elements: 60, attributes: 6)
    guard let root = try? XMLReader.read(octets, limits) else { return }
    try hold(octets.count <= limits.octets, "more octets than the limit")
    var (elements, deepest) = (0, 0)
    func walk(_ element: XMLElement, _ depth: Int) throws {
        elements += 1
        deepest = max(deepest, depth)
        try hold(element.attributes.count <= limits.attributes, "more attributes than the limit")
        for element in element.elements { try walk(element, depth + 1) }
    }
    try walk(root, 1)
    try hold(elements <= limits.elements && deepest <= limits.depth, "more elements than the limits")
    var writer = XMLWriter(prefixes: DAVNames.prefixes)
    writer.begin(DAVNames.d("prop"))
    writer.element(root)
    writer.end(DAVNames.d("prop"))
    guard let again = try? XMLReader.read(writer.octets) else { throw Broken(description: "what was written is not read") }
    try hold(again.elements == [root], "writing and reading changes a document")
}

private func checkCalendarRequest(_ octets: [UInt8]) throws {
    if case .these(let names)? = try? DAVPropertyRequest(propfind: octets) {
        try hold(names.count <= DAVPropertyRequest.most && Set(names).count == names.count, "a property is asked for twice")
    }
    if let updates = try? DAVPropertyUpdate.read(octets) { try hold(updates.count <= DAVPropertyRequest.most, "more updates than the limit") }
    switch try? DAVReport.read(octets) {
    case .query(_, let filter):
        try hold(filter.tests.count <= DAVFilter.mostTests, "more tests than the limit")
        for test in filter.tests { _ = test.holds(for: "Camp") }
        if let range = filter.range { _ = range.overlaps(0, 1) }
    case .multiget(_, let addresses): try hold(addresses.count <= DAVReport.mostAddresses, "more addresses than the limit")
    case .sync(_, _, let limit): try hold(limit.map { $0 > 0 } ?? true, "a limit of nothing")
    case nil: break
    }
}
