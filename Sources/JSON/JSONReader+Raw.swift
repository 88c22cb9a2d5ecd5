extension JSONReader {
    /// Reads a value of any kind and drops it; it is validated as strictly as any other, but its numbers may be any of
    /// JSON's.
    package mutating func skipValue() throws(JSONError) {
        switch try peekKind() {
        case .object:
            try readObject { reader, _ throws(JSONError) in try reader.skipValue() }
        case .array:
            try readArray { reader throws(JSONError) in try reader.skipValue() }
        case .string:
            _ = try scanText()
        case .integer:
            _ = try skipNumber()
        case .boolean:
            _ = try readBool()
        case .null:
            try readNull()
        }
    }

    /// Reads a value of any kind as its raw octets, including white space inside it.
    ///
    /// It is validated like all other values (grammar, UTF-8, duplicate keys), so a `JSONWriter` may write it
    /// unchanged.
    ///
    /// - Parameters:
    ///   - maxOctets: the longest accepted value.
    ///   - maxDepth: the deepest nesting of containers within this value, 0...512; replaces the reader's own limit.
    /// - Returns: octets of the text itself: valid as long as the reader's octets.
    /// - Throws: `.tooLong`, `.tooManyKeys`, `.tooDeep`, `.duplicateKey`, `.syntax`.
    package mutating func readRaw(maxOctets: Int, maxDepth: Int) throws(JSONError) -> UnsafeRawBufferPointer {
        precondition((0...Self.deepest).contains(maxDepth), "the depth of a raw value must be within 0...512")
        skipWhitespace()
        let start = position
        let outer = self.maxDepth
        let outerFurthest = furthest
        self.maxDepth = depth + maxDepth
        // The walk ends at the limit, so a long value costs no more than its limit.
        furthest = min(furthest, maxOctets < octets.count ? start + maxOctets : .max)
        try skipValue()
        self.maxDepth = outer
        furthest = outerFurthest
        guard position - start <= maxOctets else { throw .tooLong(at: start) }
        return UnsafeRawBufferPointer(rebasing: octets[start..<position])
    }
}
