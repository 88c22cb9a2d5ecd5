/// Content that the server can send: a page in memory, a file.
package struct Representation: Equatable, Sendable {
    /// The length in octets.
    package var length: Int
    package var contentType: String
    package var validators: Validators
    /// The fields of every response about it, including 304: `Cache-Control`, `Vary`.
    package var fields: [Field]

    package init(length: Int, contentType: String, validators: Validators, fields: [Field] = []) {
        self.length = length
        self.contentType = contentType
        self.validators = validators
        self.fields = fields
    }
}

/// The response to a GET or HEAD for a representation: the whole, parts of it, or 304 (RFC 9110 §13, §14, §15.3.7).
package struct ContentSelection: Equatable, Sendable {
    package enum Piece: Equatable, Sendable {
        /// Octets created here: the separators of the parts.
        case octets([UInt8])
        /// A range of the representation, wherever it is stored.
        case part(Range<Int>)
    }

    /// 200, 206, 304, 412 or 416.
    package let status: Int
    package let fields: [Field]
    /// The content, in order.
    package let pieces: [Piece]

    /// The octets of content.
    package var length: Int {
        pieces.reduce(0) { sum, piece in
            switch piece {
            case .octets(let octets): sum + octets.count
            case .part(let range): sum + range.count
            }
        }
    }

    /// - Parameters:
    ///   - head: a GET or HEAD; its fields decide.
    ///   - now: seconds since 1970.
    ///   - boundary: the separator of several parts; up to 70 letters and digits that do not occur in the content:
    ///     random ones.
    package init(_ head: RequestHead, _ representation: Representation, now: Int64, boundary: @autoclosure () -> String) {
        let validators = representation.validators
        var common = representation.fields
        if let tag = validators.tag { common.append(Field("ETag", tag.text)) }
        if let modified = validators.lastModified { common.append(Field("Last-Modified", HTTPDate.text(modified))) }
        let length = representation.length
        func type(_ type: String) -> [Field] { common + [Field("Accept-Ranges", "bytes"), Field("Content-Type", type)] }

        switch Preconditions.evaluate(head.method, head.fields, validators, now: now) {
        case .notModified: self.init(304, common, [])
        case .failed: self.init(412, common, [])
        case .proceed:
            // Ranges are defined only for GET (§14.2).
            var ranges = ByteRanges.whole
            if head.method == "GET", let text = head.fields.only("range"), Preconditions.allowsRange(head.fields, validators, now: now) {
                ranges = ByteRanges(text, length: length)
            }
            switch ranges {
            case .whole: self.init(200, type(representation.contentType), [.part(0..<length)])
            case .unsatisfiable: self.init(416, common + [Field("Content-Range", "bytes */\(length)")], [])
            case .ranges(let list) where list.count == 1:
                self.init(206, type(representation.contentType) + [Self.contentRange(list[0], length)], [.part(list[0])])
            case .ranges(let list):
                let boundary = boundary()
                var pieces: [Piece] = []
                for range in list {
                    var octets = Array((pieces.isEmpty ? "--\(boundary)\r\n" : "\r\n--\(boundary)\r\n").utf8)
                    HeadWriter.append(HTTPFields([Field("Content-Type", representation.contentType), Self.contentRange(range, length)]),
                        to: &octets)
                    pieces += [.octets(octets), .part(range)]
                }
                pieces.append(.octets(Array("\r\n--\(boundary)--\r\n".utf8)))
                self.init(206, type("multipart/byteranges; boundary=\(boundary)"), pieces)
            }
        }
    }

    private init(_ status: Int, _ fields: [Field], _ pieces: [Piece]) {
        self.status = status
        self.fields = fields
        self.pieces = pieces
    }

    private static func contentRange(_ range: Range<Int>, _ length: Int) -> Field {
        Field("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)")
    }
}
