/// Finds the handler of a request by its path and method.
///
/// A value without I/O. If several patterns match a path, the first segment in which they differ decides: a name takes
/// precedence over a parameter, a parameter over a tail. The order of declaration therefore never matters. A look-up
/// visits no node twice.
package struct RouteTable<Handler> {
    /// One resource, or all resources of one kind.
    package struct Resource {
        let pattern: PathPattern
        let methods: [(name: String, handler: Handler)]
        let other: Handler?
        let overridesMethod: Bool

        /// - Parameters:
        ///   - methods: each once, in the order of `Allow`. `GET` implies `HEAD`, unless that is listed. The table
        ///     responds to `OPTIONS` with `Allow` unless that is listed.
        ///   - other: handles all other known methods, in the terms of its own protocol; without it the response is
        ///     405.
        ///   - overridesMethod: whether `X-HTTP-Method-Override` of a POST counts (tus 1.0.0), for clients that cannot
        ///     send PATCH.
        package init(
            _ pattern: PathPattern, _ methods: [(name: String, handler: Handler)], other: Handler? = nil, overridesMethod: Bool = false
        ) {
            self.pattern = pattern
            self.other = other
            self.overridesMethod = overridesMethod
            var all: [(name: String, handler: Handler)] = []
            for (name, handler) in methods {
                precondition(!all.contains { $0.name == name }, "\(pattern): \(name) is declared twice")
                all.append((name, handler))
                if name == "GET", !methods.contains(where: { $0.name == "HEAD" }) { all.append(("HEAD", handler)) }
            }
            self.methods = all
        }

        /// The value of `Allow`.
        var allow: String {
            let names = methods.map(\.name)
            return (names.contains("OPTIONS") ? names : names + ["OPTIONS"]).joined(separator: ", ")
        }

        /// Whether all its methods only read.
        var isReadOnly: Bool { methods.allSatisfy { ["GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT"].contains($0.name) } }
    }

    /// The result of a look-up.
    package enum Resolution {
        /// - Parameter method: the effective method, which `X-HTTP-Method-Override` may have changed.
        case handler(Handler, PathParameters, method: String, allow: String)
        /// `OPTIONS` for a resource that does not handle it itself, or for the whole server: 204.
        case options(allow: String)
        /// 405.
        case notAllowed(allow: String, isReadOnly: Bool)
        /// 404.
        case nothing
        /// 501.
        case unknownMethod
    }

    private final class Node {
        var names: [String: Node] = [:]
        var parameter: Node?
        var tail: Resource?
        var resource: Resource?
    }

    private let root = Node()
    /// Every method that some resource has, in the order of declaration.
    private var methods: [String] = []

    /// The methods of RFC 9110 and RFC 5789 that a resource could allow; a method that is neither one of them nor
    /// declared is unknown.
    private static var standard: [String] { ["GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH"] }

    package init() {}

    /// Adds a resource whose path has no resource yet.
    package mutating func add(_ resource: Resource) {
        var node = root
        for segment in resource.pattern.segments {
            switch segment {
            case .literal(let name):
                let next = node.names[name] ?? Node()
                node.names[name] = next
                node = next
            case .parameter:
                let next = node.parameter ?? Node()
                node.parameter = next
                node = next
            case .tail:
                precondition(node.tail == nil, "\(resource.pattern) is declared twice")
                node.tail = resource
            }
        }
        if resource.pattern.segments.last != .tail {
            precondition(node.resource == nil, "\(resource.pattern) is declared twice")
            node.resource = resource
        }
        for (name, _) in resource.methods where !methods.contains(name) { methods.append(name) }
    }

    /// Finds the handler of a request.
    package func resolve(_ head: RequestHead) -> Resolution {
        guard Self.standard.contains(head.method) || methods.contains(head.method) else { return .unknownMethod }
        if head.method == "OPTIONS", head.target == "*" {
            return .options(allow: (methods.filter { $0 != "OPTIONS" } + ["OPTIONS"]).joined(separator: ", "))
        }
        guard let path = RequestPath(head.path) else { return .nothing }
        var values: [[String]] = []
        guard let resource = Self.find(path.segments[...], root, &values) else { return .nothing }
        var method = head.method
        if resource.overridesMethod, method == "POST", let other = head.fields.only("x-http-method-override") { method = other }
        let parameters = PathParameters(names: resource.pattern.names, values: values)
        if let handler = resource.methods.first(where: { $0.name == method })?.handler {
            return .handler(handler, parameters, method: method, allow: resource.allow)
        }
        if method == "OPTIONS" { return .options(allow: resource.allow) }
        if let other = resource.other { return .handler(other, parameters, method: method, allow: resource.allow) }
        return .notAllowed(allow: resource.allow, isReadOnly: resource.isReadOnly)
    }

    /// - Parameter values: the segments that match parameters are appended in order; unchanged if nothing is found.
    private static func find(_ segments: ArraySlice<String>, _ node: Node, _ values: inout [[String]]) -> Resource? {
        guard let first = segments.first else { return node.resource }
        let rest = segments.dropFirst()
        if let next = node.names[first], let found = find(rest, next, &values) { return found }
        guard !first.isEmpty else { return nil }
        if let next = node.parameter {
            values.append([first])
            if let found = find(rest, next, &values) { return found }
            values.removeLast()
        }
        guard let tail = node.tail else { return nil }
        values.append(Array(segments))
        return tail
    }
}

@available(*, unavailable) extension RouteTable: Sendable {}
