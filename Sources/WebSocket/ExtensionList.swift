internal import HTTP1

/// One element of `Sec-WebSocket-Extensions`: an extension's name and its parameters, in order.
struct ExtensionElement: Equatable, Sendable {
    struct Parameter: Equatable, Sendable {
        var name: String
        /// The value without quotes; `nil` if there is no `=`.
        var value: String?
    }

    var name: String
    var parameters: [Parameter] = []

    /// All elements, over all lines of the field; empty if the field is absent.
    ///
    /// White space is allowed between all parts (RFC 2616 §2.1, on which RFC 6455 §9.1 builds), empty elements are
    /// omitted.
    ///
    /// - Returns: `nil` if a line violates the grammar: then the connection fails (RFC 6455 §9.1).
    static func read(_ fields: HTTPFields) -> [ExtensionElement]? {
        var elements: [ExtensionElement] = []
        for line in fields.all("sec-websocket-extensions") {
            var reader = Reader(Array(line.utf8))
            guard let more = reader.list(), !more.isEmpty else { return nil }
            elements += more
        }
        return elements
    }

    /// The element as in the field.
    var text: String {
        ([name] + parameters.map { parameter in parameter.value.map { "\(parameter.name)=\($0)" } ?? parameter.name })
            .joined(separator: "; ")
    }

    /// Reads a line:
    ///
    ///     extension-list  = 1#extension
    ///     extension       = extension-token *( ";" extension-param )
    ///     extension-param = token [ "=" (token | quoted-string) ]
    ///
    /// A quoted value has to be a token once its quotes are gone.
    private struct Reader {
        private let octets: [UInt8]
        private var offset = 0

        init(_ octets: [UInt8]) { self.octets = octets }

        mutating func list() -> [ExtensionElement]? {
            var elements: [ExtensionElement] = []
            while true {
                skipSpace()
                if next == nil { return elements }
                if take(",") { continue }
                guard let element = element() else { return nil }
                elements.append(element)
                guard next == nil || take(",") else { return nil }
            }
        }

        private mutating func element() -> ExtensionElement? {
            guard let name = token() else { return nil }
            var element = ExtensionElement(name: name)
            while take(";") {
                guard let name = token() else { return nil }
                var parameter = Parameter(name: name)
                if take("=") {
                    guard let value = next == UInt8(ascii: "\"") ? quoted() : token() else { return nil }
                    parameter.value = value
                }
                element.parameters.append(parameter)
            }
            return element
        }

        /// A token and the white space around it.
        private mutating func token() -> String? {
            skipSpace()
            let start = offset
            while let octet = next, Grammar.isTokenOctet(octet) { offset += 1 }
            let text = String(decoding: octets[start..<offset], as: UTF8.self)
            skipSpace()
            return text.isEmpty ? nil : text
        }

        private mutating func quoted() -> String? {
            offset += 1
            var value: [UInt8] = []
            while let octet = next {
                offset += 1
                switch octet {
                case UInt8(ascii: "\""):
                    skipSpace()
                    let text = String(decoding: value, as: UTF8.self)
                    return Grammar.isToken(text) ? text : nil
                case UInt8(ascii: "\\"):
                    guard let escaped = next else { return nil }
                    offset += 1
                    value.append(escaped)
                default:
                    value.append(octet)
                }
            }
            return nil
        }

        private var next: UInt8? { offset < octets.count ? octets[offset] : nil }

        private mutating func take(_ octet: Unicode.Scalar) -> Bool {
            guard next == UInt8(ascii: octet) else { return false }
            offset += 1
            skipSpace()
            return true
        }

        private mutating func skipSpace() {
            while let octet = next, octet == 0x20 || octet == 0x09 { offset += 1 }
        }
    }
}
