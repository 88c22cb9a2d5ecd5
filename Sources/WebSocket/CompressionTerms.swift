/// What both ends agreed on about compressed messages (RFC 7692 §7.1). Either end may still send any message plain.
package struct CompressionTerms: Equatable, Sendable {
    /// Messages of the server may refer to its earlier ones, and the client has to remember those.
    package var serverKeepsContext: Bool
    /// Messages of the client may refer to its earlier ones, and the server has to remember those.
    package var clientKeepsContext: Bool
    /// How far back the server's messages refer: 2^n octets, n of 8...15.
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

    /// The client wants the server to remember nothing (§7.1.1.1).
    package var serverNoContextTakeover: Bool
    /// The client will do without, whatever the server says (§7.1.1.2).
    package var clientNoContextTakeover: Bool
    /// The largest window that the client has for the server's messages; `nil` for 15 bits (§7.1.2.1).
    package var serverMaxWindowBits: Int?
    /// The largest window that the client will use, which the server may make smaller still; `nil` when it may not (§7.1.2.2).
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
    /// - Returns: `nil` when it is to be declined: another extension, or a parameter that is not known, has a value that it may
    ///   not have, or is there twice (§7.1).
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
        // It only says that the server may choose.
        case .bare: clientMaxWindowBits = 15
        }
    }

    /// As the client writes it.
    var element: ExtensionElement {
        DeflateParameters(
            serverNoContextTakeover: serverNoContextTakeover, clientNoContextTakeover: clientNoContextTakeover,
            serverMaxWindowBits: serverMaxWindowBits.map { .bits($0) } ?? .absent,
            clientMaxWindowBits: clientMaxWindowBits.map { $0 == 15 ? .bare : .bits($0) } ?? .absent
        ).element
    }

    /// Reads the server's answer to this offer.
    ///
    /// - Returns: `nil` when the offer does not allow it: the client has to fail the connection (§7.1).
    func terms(answer element: ExtensionElement) -> CompressionTerms? {
        guard let answer = DeflateParameters(element) else { return nil }
        // What was asked of the server has to be granted.
        guard answer.serverNoContextTakeover || !serverNoContextTakeover else { return nil }
        let serverWindowBits: Int
        switch (answer.serverMaxWindowBits, serverMaxWindowBits) {
        case (.absent, nil): serverWindowBits = 15
        case (.bits(let bits), let most) where bits <= most ?? 15: serverWindowBits = bits
        default: return nil
        }
        // What was not offered to the server it may not ask for, and in an answer there is always a value.
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

/// What a server grants of the offers that it gets.
package struct CompressionPolicy: Equatable, Sendable {
    /// The server's messages may refer to its earlier ones, where the client lets them.
    package var serverKeepsContext: Bool
    /// The client's messages may refer to its earlier ones.
    package var clientKeepsContext: Bool
    /// The window for the server's messages: never larger than the upper bound; offers that want it below the lower one are declined.
    package var serverWindowBits: ClosedRange<Int>
    /// The window that the client is asked to keep to, where it lets itself be asked.
    package var clientWindowBits: Int

    package init(serverKeepsContext: Bool, clientKeepsContext: Bool, serverWindowBits: ClosedRange<Int>, clientWindowBits: Int) {
        precondition(serverWindowBits.lowerBound >= 8 && serverWindowBits.upperBound <= 15, "a window has 8 to 15 bits")
        precondition((8...15).contains(clientWindowBits), "a window has 8 to 15 bits")
        self.serverKeepsContext = serverKeepsContext
        self.clientKeepsContext = clientKeepsContext
        self.serverWindowBits = serverWindowBits
        self.clientWindowBits = clientWindowBits
    }

    /// Whatever the client wants: the best compression, and memory for each connection.
    package static let generous = CompressionPolicy(
        serverKeepsContext: true, clientKeepsContext: true, serverWindowBits: 8...15, clientWindowBits: 15)

    /// Nothing is remembered between messages, so that an idle connection costs no memory, and the octets of a broadcast are the same
    /// for everybody: its window is fixed, and who has none so large gets plain messages.
    package static let shared = CompressionPolicy(
        serverKeepsContext: false, clientKeepsContext: false,
        serverWindowBits: SharedDeflater.windowBits...SharedDeflater.windowBits, clientWindowBits: SharedDeflater.windowBits)

    /// The first offer that can be granted, and the answer; `nil` when there is none.
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
            // Said only where it was asked for: not every client takes it unasked, though it has to (§7.1.2.1).
            serverMaxWindowBits: offer.serverMaxWindowBits == nil ? .absent : .bits(terms.serverWindowBits),
            clientMaxWindowBits: clientBits < 15 ? .bits(clientBits) : .absent)
        return (terms, answer.element)
    }
}

/// The four parameters of `permessage-deflate` as they stand, in an offer or an answer.
private struct DeflateParameters {
    enum WindowBits {
        case absent
        /// Without a value.
        case bare
        case bits(Int)
    }

    var serverNoContextTakeover = false
    var clientNoContextTakeover = false
    var serverMaxWindowBits = WindowBits.absent
    var clientMaxWindowBits = WindowBits.absent
}

extension DeflateParameters {
    /// `nil` for another extension, and for a parameter that is not known, has a value that it may not have, or is there twice.
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
