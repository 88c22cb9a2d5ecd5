package import XML

/// The properties that a request asks for.
package enum DAVPropertyRequest: Hashable, Sendable {
    /// Those that every client wants, and these besides.
    case all(including: [XMLName])
    /// The names of all, without their values.
    case names
    case these([XMLName])

    /// The largest number of properties of one request.
    package static let most = 200

    /// Reads the content of PROPFIND; empty content asks for all.
    package init(propfind octets: [UInt8]) throws(DAVRefusal) {
        guard !octets.isEmpty else {
            self = .all(including: [])
            return
        }
        let root = try DAVContent.root(octets)
        guard root.name == DAVNames.d("propfind") else { throw DAVContent.unexpected("propfind") }
        self = try Self(in: root)
    }

    /// Reads `prop`, `allprop` or `propname`; nothing of them asks for nothing.
    init(in element: XMLElement) throws(DAVRefusal) {
        if let prop = element[DAVNames.d("prop")] {
            let names = prop.elements.map(\.name)
            guard names.count <= Self.most else { throw DAVRefusal(400, nil, "The request asks for more than \(Self.most) properties.") }
            // Each once: a response with a property twice would have to be read twice.
            var seen: Set<XMLName> = []
            self = .these(names.filter { seen.insert($0).inserted })
        } else if element[DAVNames.d("propname")] != nil {
            self = .names
        } else if element[DAVNames.d("allprop")] != nil {
            self = .all(including: element[DAVNames.d("include")]?.elements.map(\.name) ?? [])
        } else {
            self = .these([])
        }
    }
}

/// A property that PROPPATCH sets, or removes.
package struct DAVPropertyUpdate: Hashable, Sendable {
    package var name: XMLName
    /// The property with its value; `nil` removes it.
    package var value: XMLElement?

    package init(_ name: XMLName, _ value: XMLElement?) {
        self.name = name
        self.value = value
    }

    /// Reads the content of PROPPATCH, in its order.
    package static func read(_ octets: [UInt8]) throws(DAVRefusal) -> [DAVPropertyUpdate] {
        let root = try DAVContent.root(octets)
        guard root.name == DAVNames.d("propertyupdate") else { throw DAVContent.unexpected("propertyupdate") }
        var updates: [DAVPropertyUpdate] = []
        for action in root.elements {
            let isSet = action.name == DAVNames.d("set")
            guard isSet || action.name == DAVNames.d("remove") else { continue }
            for property in action[DAVNames.d("prop")]?.elements ?? [] { updates.append(DAVPropertyUpdate(property.name, isSet ? property : nil)) }
        }
        guard updates.count <= DAVPropertyRequest.most else { throw DAVRefusal(400, nil, "The request changes more than \(DAVPropertyRequest.most) properties.") }
        return updates
    }
}

/// The content of REPORT.
package enum DAVReport: Hashable, Sendable {
    /// The objects with these addresses.
    case multiget(DAVPropertyRequest, addresses: [String])
    /// The objects that a filter selects.
    case query(DAVPropertyRequest, DAVFilter)
    /// The objects that changed since a token; `nil`: all.
    case sync(DAVPropertyRequest, token: String?, limit: Int?)

    /// The largest number of addresses of a multiget.
    package static let mostAddresses = 10_000

    package static func read(_ octets: [UInt8]) throws(DAVRefusal) -> DAVReport {
        let root = try DAVContent.root(octets)
        let properties = try DAVPropertyRequest(in: root)
        switch root.name {
        case DAVNames.c("calendar-multiget"):
            let addresses = root.elements.filter { $0.name == DAVNames.d("href") }.map(\.trimmedText)
            guard addresses.count <= mostAddresses else { throw DAVRefusal(413, nil, "The request names more than \(mostAddresses) objects. Ask for fewer.") }
            return .multiget(properties, addresses: addresses)
        case DAVNames.c("calendar-query"):
            return .query(properties, try DAVFilter(root[DAVNames.c("filter")]))
        case DAVNames.d("sync-collection"):
            // Some clients name the level in the field Depth alone; there is one level here either way.
            if let level = root[DAVNames.d("sync-level")]?.trimmedText, level != "1", level != "infinite" {
                throw DAVRefusal(400, nil, "sync-level is 1 or infinite.")
            }
            let token = root[DAVNames.d("sync-token")]?.trimmedText ?? ""
            var limit: Int?
            if let text = root[DAVNames.d("limit")]?[DAVNames.d("nresults")]?.trimmedText {
                guard let number = Int(text), number > 0 else { throw DAVRefusal(400, nil, "nresults is a whole number above 0.") }
                limit = number
            }
            return .sync(properties, token: token.isEmpty ? nil : token, limit: limit)
        default:
            throw DAVRefusal(
                403, DAVNames.d("supported-report"), "This server has the reports calendar-multiget, calendar-query and sync-collection, and no others.")
        }
    }
}

enum DAVContent {
    static func root(_ octets: [UInt8]) throws(DAVRefusal) -> XMLElement {
        do throws(XMLFault) { return try XMLReader.read(octets) } catch {
            throw DAVRefusal(error == .tooLarge ? 413 : 400, nil, error.sentence + ".")
        }
    }

    static func unexpected(_ expected: String) -> DAVRefusal { DAVRefusal(400, nil, "The content of this request must be a \(expected) element.") }
}
