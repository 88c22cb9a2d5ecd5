/// The path of a resource, or of all resources of one kind: `/documents/{id}/shares`, `/calendars/{path...}`.
///
/// Patterns are written in source code, never read from a peer: an invalid one ends the program at its start.
package struct PathPattern: Sendable, CustomStringConvertible {
    enum Segment: Hashable, Sendable {
        /// These characters, after decoding.
        case literal(String)
        /// Any single segment that is not empty.
        case parameter
        /// One or more segments, to the end of the path.
        case tail
    }

    let segments: [Segment]
    /// The names of the parameters and the tail, in order.
    let names: [String]
    package let description: String

    /// - Parameter text: segments after slashes; `{name}` matches one segment, `{name...}` at the end matches all that
    ///   follow. A slash at the end is part of the path: `/files/` is not `/files`.
    package init(_ text: String) {
        precondition(text.hasPrefix("/"), "\(text): a pattern begins with a slash")
        var segments: [Segment] = []
        var names: [String] = []
        for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            precondition(segments.last != .tail && segments.last != .literal(""), "\(text): nothing follows a tail or an empty segment")
            guard part.hasPrefix("{"), part.hasSuffix("}") else {
                precondition(!part.contains { "{}*%".contains($0) }, "\(text): a segment is a name, {name} or {name...}")
                segments.append(.literal(String(part)))
                continue
            }
            let inner = part.dropFirst().dropLast()
            let isTail = inner.hasSuffix("...")
            let name = String(isTail ? inner.dropLast(3) : inner)
            precondition(!name.isEmpty && !names.contains(name), "\(text): each parameter has a name of its own")
            segments.append(isTail ? .tail : .parameter)
            names.append(name)
        }
        self.segments = segments
        self.names = names
        description = text
    }
}

/// The decoded segments that match the parameters of a pattern.
package struct PathParameters: Equatable, Sendable {
    private let names: [String]
    private let values: [[String]]

    package init() { self.init(names: [], values: []) }

    init(names: [String], values: [[String]]) {
        self.names = names
        self.values = values
    }

    /// The segment of a parameter, never empty. The pattern has to declare the parameter.
    package subscript(_ name: String) -> String { self[tail: name].joined(separator: "/") }

    /// The segments of a tail, at least one. The last one is empty if the path ends with a slash.
    package subscript(tail name: String) -> [String] {
        guard let index = names.firstIndex(of: name) else { preconditionFailure("the path has no parameter \(name)") }
        return values[index]
    }
}
