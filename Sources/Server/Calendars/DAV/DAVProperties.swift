import Calendar
import DAV
import Family
import HTTP1
import Store
import XML

/// The properties of one resource below `/dav/`.
struct DAVProperties {
    /// Those of `allprop`.
    private let usual: [XMLName]
    private let value: (XMLName) -> [XMLElement.Node]?

    private init(_ usual: [XMLName], _ value: @escaping (XMLName) -> [XMLElement.Node]?) {
        self.usual = usual
        self.value = value
    }

    /// Adds the response about the resource.
    func add(_ request: DAVPropertyRequest, _ address: String, to answer: inout MultiStatus) {
        switch request {
        case .names: answer.add(address, found: usual.filter { value($0) != nil }.map { XMLElement($0, [XMLElement.Node]()) })
        case .all(let more):
            let found = (usual + more.filter { !usual.contains($0) }).compactMap { name in value(name).map { XMLElement(name, $0) } }
            answer.add(address, found: found)
        case .these(let names):
            var found: [XMLElement] = []
            var missing: [XMLName] = []
            for name in names { if let value = value(name) { found.append(XMLElement(name, value)) } else { missing.append(name) } }
            answer.add(address, found: found, missing: missing)
        }
    }

    // MARK: Resources

    static var principal: DAVProperties {
        let usual = [
            DAVNames.d("resourcetype"), DAVNames.d("displayname"), DAVNames.d("current-user-principal"), DAVNames.d("principal-URL"),
            DAVNames.c("calendar-home-set"),
        ]
        return DAVProperties(usual) { name in
            switch name {
            case DAVNames.d("resourcetype"): return empty(DAVNames.d("collection"), DAVNames.d("principal"))
            case DAVNames.d("displayname"): return text("Huddle")
            case DAVNames.c("calendar-home-set"): return href(.home)
            case DAVNames.c("calendar-user-address-set"), DAVNames.d("principal-URL"): return href(.principal)
            case DAVNames.d("supported-report-set"): return []
            default: return common(name, isWritable: false)
            }
        }
    }

    static var home: DAVProperties {
        DAVProperties([DAVNames.d("resourcetype"), DAVNames.d("displayname"), DAVNames.d("current-user-principal")]) { name in
            switch name {
            case DAVNames.d("resourcetype"): empty(DAVNames.d("collection"))
            case DAVNames.d("displayname"): text("Huddle")
            case DAVNames.d("supported-report-set"): []
            default: common(name, isWritable: false)
            }
        }
    }

    static func calendar(_ collection: CalendarCollection, order: Int? = nil) -> DAVProperties {
        let usual = [
            DAVNames.d("resourcetype"), DAVNames.d("displayname"), DAVNames.d("current-user-principal"), DAVNames.d("sync-token"), DAVNames.cs("getctag"),
            DAVNames.c("supported-calendar-component-set"), DAVNames.c("max-resource-size"), DAVNames.i("calendar-color"), DAVNames.d("owner"),
        ]
        return DAVProperties(usual) { name in
            switch name {
            case DAVNames.d("resourcetype"): return empty(DAVNames.d("collection"), DAVNames.c("calendar"))
            case DAVNames.d("displayname"): return text(collection.title)
            case DAVNames.d("sync-token"), DAVNames.cs("getctag"): return text(collection.token.text)
            case DAVNames.d("supported-report-set"):
                return [DAVNames.c("calendar-multiget"), DAVNames.c("calendar-query"), DAVNames.d("sync-collection")].map { report in
                    .element(XMLElement(DAVNames.d("supported-report"), [XMLElement(DAVNames.d("report"), empty(report))]))
                }
            case DAVNames.c("supported-calendar-component-set"):
                return [.element(XMLElement(DAVNames.c("comp"), attributes: [XMLName("name"): "VEVENT"]))]
            case DAVNames.c("supported-calendar-data"):
                return [
                    .element(
                        XMLElement(DAVNames.c("calendar-data"), attributes: [XMLName("content-type"): "text/calendar", XMLName("version"): "2.0"]))
                ]
            case DAVNames.c("supported-collation-set"):
                return ["i;ascii-casemap", "i;octet"].map { .element(XMLElement(DAVNames.c("supported-collation"), text: $0)) }
            case DAVNames.c("max-resource-size"): return text("65536")
            case DAVNames.i("calendar-color"):
                return text(collection.name.content == .season ? "#FF8C00FF" : "#2E8B57FF")
            case DAVNames.i("calendar-order"): return order.flatMap { text(String($0)) }
            default: return common(name, isWritable: collection.isWritable)
            }
        }
    }

    /// - Parameter isWritable: whether the member may change it.
    static func object(_ object: CalendarObject, isWritable: Bool) -> DAVProperties {
        let usual = [
            DAVNames.d("resourcetype"), DAVNames.d("getetag"), DAVNames.d("getcontenttype"), DAVNames.d("getcontentlength"), DAVNames.d("getlastmodified"),
        ]
        return DAVProperties(usual) { name in
            switch name {
            case DAVNames.d("resourcetype"): []
            case DAVNames.d("getetag"): text("\"\(object.tag)\"")
            case DAVNames.d("getcontenttype"): text("text/calendar; charset=utf-8; component=VEVENT")
            case DAVNames.d("getcontentlength"): text(String(object.octets.count))
            case DAVNames.d("getlastmodified"): text(HTTPDate.text(object.entry.changedAt / 1_000))
            case DAVNames.c("calendar-data"): text(String(decoding: object.octets, as: UTF8.self))
            default: common(name, isWritable: isWritable)
            }
        }
    }

    private static func common(_ name: XMLName, isWritable: Bool) -> [XMLElement.Node]? {
        switch name {
        case DAVNames.d("current-user-principal"), DAVNames.d("owner"): href(.principal)
        case DAVNames.d("principal-collection-set"): href(.principal)
        case DAVNames.d("current-user-privilege-set"): privileges(isWritable).map { .element(XMLElement(DAVNames.d("privilege"), empty(DAVNames.d($0)))) }
        default: nil
        }
    }

    private static func privileges(_ isWritable: Bool) -> [String] {
        ["read", "read-current-user-privilege-set"] + (isWritable ? ["write", "write-content", "bind", "unbind"] : [])
    }

    // MARK: Values

    private static func text(_ text: String) -> [XMLElement.Node] { [.text(text)] }

    private static func empty(_ names: XMLName...) -> [XMLElement.Node] { names.map { .element(XMLElement($0, [XMLElement.Node]())) } }

    private static func href(_ resource: DAVResource) -> [XMLElement.Node] { [.element(XMLElement(DAVNames.d("href"), text: resource.address))] }
}
