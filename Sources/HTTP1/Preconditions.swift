/// The validators of the current state of a resource.
package struct Validators: Equatable, Sendable {
    package var tag: EntityTag?
    /// Seconds since 1970.
    package var lastModified: Int64?

    package init(tag: EntityTag? = nil, lastModified: Int64? = nil) {
        self.tag = tag
        self.lastModified = lastModified
    }
}

/// The decision whether to carry out a request, given its sender's assumptions about the resource (RFC 9110 §13).
package enum Preconditions {
    package enum Outcome: Equatable, Sendable {
        case proceed
        /// 304: the client has it already.
        case notModified
        /// 412: another client changed it.
        case failed
    }

    /// Evaluates the conditions in their order of precedence (§13.2.2). Only for requests that would succeed without
    /// them.
    ///
    /// An unreadable condition counts as not met if that is the safe side: nothing is overwritten because of it.
    /// - Parameters:
    ///   - current: `nil` if the resource does not exist.
    ///   - now: seconds since 1970.
    package static func evaluate(_ method: String, _ fields: HTTPFields, _ current: Validators?, now: Int64) -> Outcome {
        let isRead = method == "GET" || method == "HEAD"
        if let text = joined(fields, "if-match") {
            switch EntityTagList(text) {
            case .any?: if current == nil { return .failed }
            case .tags(let tags)?:
                guard let tag = current?.tag, tags.contains(where: { $0.isStronglyEqual(to: tag) }) else { return .failed }
            case nil: return .failed
            }
        } else if let date = date(fields, "if-unmodified-since", now), let modified = current?.lastModified, modified > date {
            return .failed
        }
        if let text = joined(fields, "if-none-match") {
            let isMet: Bool
            switch EntityTagList(text) {
            case .any?: isMet = current == nil
            case .tags(let tags)?: isMet = current?.tag.map { tag in !tags.contains { $0.isWeaklyEqual(to: tag) } } ?? true
            case nil: isMet = isRead
            }
            if !isMet { return isRead ? .notModified : .failed }
        } else if isRead, let date = date(fields, "if-modified-since", now), let modified = current?.lastModified, modified <= date {
            return .notModified
        }
        return .proceed
    }

    /// Whether `Range` counts (§13.1.5): without `If-Range`, or if that names exactly this state of the resource.
    static func allowsRange(_ fields: HTTPFields, _ current: Validators, now: Int64) -> Bool {
        guard fields.contains("if-range") else { return true }
        guard let text = fields.only("if-range") else { return false }
        if let tag = EntityTag.only(text) { return current.tag.map { tag.isStronglyEqual(to: $0) } ?? false }
        // Within its own second a date is a weak validator (§8.8.2.2): the resource may have changed twice in it.
        guard let date = HTTPDate.seconds(text, now: now), let modified = current.lastModified else { return false }
        return date == modified && modified < now
    }

    private static func joined(_ fields: HTTPFields, _ name: String) -> String? {
        let lines = fields.all(name)
        return lines.isEmpty ? nil : lines.joined(separator: ",")
    }

    private static func date(_ fields: HTTPFields, _ name: String, _ now: Int64) -> Int64? {
        fields.only(name).flatMap { HTTPDate.seconds($0, now: now) }
    }
}
