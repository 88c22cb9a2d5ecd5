extension JSONReader {
    /// Reads a value of any kind and forgets it, checked as strictly as one that is kept; numbers may be any of JSON's.
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

    /// Reads a value of any kind as the octets that it stands as, white space inside of it included.
    ///
    /// It is checked like all else (grammar, UTF-8, keys that stand twice), so a `JSONWriter` may write it as it is.
    ///
    /// - Parameters:
    ///   - maxOctets: the widest that is accepted.
    ///   - maxDepth: how many containers may stand inside of each other within this value, 0...512; in place of the reader's own.
    /// - Returns: octets of the text itself: valid as long as those the reader was given.
    /// - Throws: `.tooLong`, `.tooManyKeys`, `.tooDeep`, `.duplicateKey`, `.syntax`.
    package mutating func readRaw(maxOctets: Int, maxDepth: Int) throws(JSONError) -> UnsafeRawBufferPointer {
        precondition((0...Self.deepest).contains(maxDepth), "the depth of a raw value must be within 0...512")
        skipWhitespace()
        let start = position
        let outer = self.maxDepth
        let outerFurthest = furthest
        self.maxDepth = depth + maxDepth
        // It is left while it is walked: a long one costs no more than its bound.
        furthest = min(furthest, maxOctets < octets.count ? start + maxOctets : .max)
        try skipValue()
        self.maxDepth = outer
        furthest = outerFurthest
        guard position - start <= maxOctets else { throw .tooLong(at: start) }
        return UnsafeRawBufferPointer(rebasing: octets[start..<position])
    }
}
