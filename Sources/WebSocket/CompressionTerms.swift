/// The agreed terms for compressed messages (RFC 7692 §7.1). Either end may still send any message uncompressed.
package struct CompressionTerms: Equatable, Sendable {
    /// Whether messages of the server may refer to its earlier ones, which the client then has to remember.
    package var serverKeepsContext: Bool
    /// Whether messages of the client may refer to its earlier ones, which the server then has to remember.
    package var clientKeepsContext: Bool
    /// The window of the server's messages: 2^n octets, n of 8...15.
    package var serverWindowBits: Int
    package var clientWindowBits: Int

    package init(serverKeepsContext: Bool, clientKeepsContext: Bool, serverWindowBits: Int, clientWindowBits: Int) {
        self.serverKeepsContext = serverKeepsContext
        self.clientKeepsContext = clientKeepsContext
        self.serverWindowBits = serverWindowBits
        self.clientWindowBits = clientWindowBits
    }

    func keepsContext(sender: WebSocketRole) -> Bool { sender == .server ? serverKeepsContext : clientKeepsContext }

    func windowBits(sender: WebSocketRole) -> Int { sender == .server ? serverWindowBits : clientWindowBits }
}

/// One element `permessage-deflate` of a client's offer (RFC 7692 §7.1).
package struct CompressionOffer: Equatable, Sendable {
    static let name = "permessage-deflate"

    /// The client requests that the server keeps no context (§7.1.1.1).
    package var serverNoContextTakeover: Bool
    /// The client will keep no context, regardless of the server's reply (§7.1.1.2).
    package var clientNoContextTakeover: Bool
    /// The largest window that the client supports for the server's messages; `nil` for 15 bits (§7.1.2.1).
    package var serverMaxWindowBits: Int?
    /// The largest window that the client will use, which the server may reduce; `nil` if it may not (§7.1.2.2).
    package var clientMaxWindowBits: Int?

    package init(
        serverNoContextTakeover: Bool = false, clientNoContextTakeover: Bool = false, serverMaxWindowBits: Int? = nil,
        clientMaxWindowBits: Int? = 15
    ) {
        self.serverNoContextTakeover = serverNoContextTakeover
        self.clientNoContextTakeover = clientNoContextTakeover
        self.serverMaxWindowBits = serverMaxWindowBits
        self.clientMaxWindowBits = clientMaxWindowBits
    }

    /// Reads an element of an offer.
    ///
    /// - Returns: `nil` to decline the element: another extension, or a parameter that is unknown, invalid, or repeated
    ///   (§7.1).
    init?(_ element: ExtensionElement) {
        guard let parameters = DeflateParameters(element) else { return nil }
        serverNoContextTakeover = parameters.serverNoContextTakeover
        clientNoContextTakeover = parameters.clientNoContextTakeover
        switch parameters.serverMaxWindowBits {
        case .absent: serverMaxWindowBits = nil
        case .bits(let bits): serverMaxWindowBits = bits
        case .bare: return nil
        }
        switch parameters.clientMaxWindowBits {
        case .absent: clientMaxWindowBits = nil
        case .bits(let bits): clientMaxWindowBits = bits
        // Without a value, the parameter only allows the server to choose.
        case .bare: clientMaxWindowBits = 15
        }
    }

    /// The element as the client writes it.
    var element: ExtensionElement {
        DeflateParameters(
            serverNoContextTakeover: serverNoContextTakeover, clientNoContextTakeover: clientNoContextTakeover,
            serverMaxWindowBits: serverMaxWindowBits.map { .bits($0) } ?? .absent,
            clientMaxWindowBits: clientMaxWindowBits.map { $0 == 15 ? .bare : .bits($0) } ?? .absent
        ).element
    }

    /// Reads the server's reply to this offer.
    ///
    /// - Returns: `nil` if the offer does not allow it: the client has to fail the connection (§7.1).
    func terms(answer element: ExtensionElement) -> CompressionTerms? {
        guard let answer = DeflateParameters(element) else { return nil }
        // The server must grant the client's requests.
        guard answer.serverNoContextTakeover || !serverNoContextTakeover else { return nil }
        let serverWindowBits: Int
        switch (answer.serverMaxWindowBits, serverMaxWindowBits) {
        case (.absent, nil): serverWindowBits = 15
        case (.bits(let bits), let most) where bits <= most ?? 15: serverWindowBits = bits
        default: return nil
        }
        // The server may only request what the client offered, and in a reply there is always a value.
        let clientWindowBits: Int
        switch (answer.clientMaxWindowBits, clientMaxWindowBits) {
        case (.absent, let most): clientWindowBits = most ?? 15
        case (.bits(let bits), let most?): clientWindowBits = min(bits, most)
        default: return nil
        }
        return CompressionTerms(
            serverKeepsContext: !answer.serverNoContextTakeover,
            clientKeepsContext: !answer.clientNoContextTakeover && !clientNoContextTakeover,
            serverWindowBits: serverWindowBits, clientWindowBits: clientWindowBits)
    }
}

/// The server's policy for granting offers.
package struct CompressionPolicy: Equatable, Sendable {
    /// Whether the server's messages may refer to its earlier ones, if the client allows it.
    package var serverKeepsContext: Bool
    /// Whether the client's messages may refer to its earlier ones.
    package var clientKeepsContext: Bool
    /// The window for the server's messages: never larger than the upper bound; offers below the lower bound are
    /// declined.
    package var serverWindowBits: ClosedRange<Int>
    /// The window that the server requests of the client, if the client allows that.
    package var clientWindowBits: Int

    package init(serverKeepsContext: Bool, clientKeepsContext: Bool, serverWindowBits: ClosedRange<Int>, clientWindowBits: Int) {
        precondition(serverWindowBits.lowerBound >= 8 && serverWindowBits.upperBound <= 15, "a window has 8 to 15 bits")
        precondition((8...15).contains(clientWindowBits), "a window has 8 to 15 bits")
        self.serverKeepsContext = serverKeepsContext
        self.clientKeepsContext = clientKeepsContext
        self.serverWindowBits = serverWindowBits
        self.clientWindowBits = clientWindowBits
    }

    /// Grants everything the client requests: the best compression, at the cost of memory for each connection.
    package static let generous = CompressionPolicy(
        serverKeepsContext: true, clientKeepsContext: true, serverWindowBits: 8...15, clientWindowBits: 15)

    /// Keeps no context between messages, so that an idle connection uses no memory and all recipients of a broadcast
    /// get the same octets. The window is fixed, so a client without a window of that size gets uncompressed messages.
    package static let shared = CompressionPolicy(
        serverKeepsContext: false, clientKeepsContext: false,
        serverWindowBits: SharedDeflater.windowBits...SharedDeflater.windowBits, clientWindowBits: SharedDeflater.windowBits)

    /// The first offer that can be granted, with the reply; `nil` if there is none.
    func choose(_ elements: [ExtensionElement]) -> (terms: CompressionTerms, answer: ExtensionElement)? {
        for element in elements {
            if let offer = CompressionOffer(element), let granted = grant(offer) { return granted }
        }
        return nil
    }

    private func grant(_ offer: CompressionOffer) -> (terms: CompressionTerms, answer: ExtensionElement)? {
        let serverMost = offer.serverMaxWindowBits ?? 15
        guard serverMost >= serverWindowBits.lowerBound else { return nil }
        let clientBits = offer.clientMaxWindowBits.map { min($0, clientWindowBits) } ?? 15
        let terms = CompressionTerms(
            serverKeepsContext: serverKeepsContext && !offer.serverNoContextTakeover,
            clientKeepsContext: clientKeepsContext && !offer.clientNoContextTakeover,
            serverWindowBits: min(serverMost, serverWindowBits.upperBound), clientWindowBits: clientBits)
        let answer = DeflateParameters(
            serverNoContextTakeover: !terms.serverKeepsContext, clientNoContextTakeover: !terms.clientKeepsContext,
            // Sent only if the client asked for it: not every client accepts it otherwise, although it must (§7.1.2.1).
            serverMaxWindowBits: offer.serverMaxWindowBits == nil ? .absent : .bits(terms.serverWindowBits),
            clientMaxWindowBits: clientBits < 15 ? .bits(clientBits) : .absent)
        return (terms, answer.element)
    }
}

/// The four parameters of `permessage-deflate` as written, in an offer or a reply.
private struct DeflateParameters {
    enum WindowBits {
        case absent
        /// Present without a value.
        case bare
        case bits(Int)
    }

    var serverNoContextTakeover = false
    var clientNoContextTakeover = false
    var serverMaxWindowBits = WindowBits.absent
    var clientMaxWindowBits = WindowBits.absent
}

extension DeflateParameters {
    /// Fails for another extension, and for a parameter that is unknown, invalid, or repeated.
    init?(_ element: ExtensionElement) {
        guard element.name == CompressionOffer.name else { return nil }
        self.init()
        var seen: Set<String> = []
        for parameter in element.parameters {
            guard seen.insert(parameter.name).inserted else { return nil }
            switch (parameter.name, parameter.value) {
            case ("server_no_context_takeover", nil): serverNoContextTakeover = true
            case ("client_no_context_takeover", nil): clientNoContextTakeover = true
            case ("server_max_window_bits", let value):
                guard let bits = Self.windowBits(value) else { return nil }
                serverMaxWindowBits = bits
            case ("client_max_window_bits", let value):
                guard let bits = Self.windowBits(value) else { return nil }
                clientMaxWindowBits = bits
            default: return nil
            }
        }
    }

    /// Decimal, 8...15, no leading zero (§7.1.2).
    private static func windowBits(_ value: String?) -> WindowBits? {
        guard let value else { return .bare }
        return (8...15).first { String($0) == value }.map { .bits($0) }
    }

    var element: ExtensionElement {
        var element = ExtensionElement(name: CompressionOffer.name)
        func add(_ name: String, _ value: String? = nil) { element.parameters.append(.init(name: name, value: value)) }
        func add(_ name: String, _ value: WindowBits) {
            switch value {
            case .absent: break
            case .bare: add(name)
            case .bits(let bits): add(name, String(bits))
            }
        }
        if serverNoContextTakeover { add("server_no_context_takeover") }
        if clientNoContextTakeover { add("client_no_context_takeover") }
        add("server_max_window_bits", serverMaxWindowBits)
        add("client_max_window_bits", clientMaxWindowBits)
        return element
    }
}
