package import Bytes
internal import COpenSSL
internal import Locks

/// Unpredictable octets, from libcrypto's generator (seeded by the kernel, reseeded by libcrypto).
///
/// A program that cannot have random octets must not make tokens: failure of the generator ends the process.
package enum Random {
    /// `count` new octets, generated for this call alone, for tokens and keys.
    package static func octets(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            fill(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count))
            filled = count
        }
    }

    /// 64 random bits, from a block generated in advance: a call of the generator costs far more than the lock around
    /// the block. For mask keys, identifiers and jitter; secrets use `octets`.
    package static func uint64() -> UInt64 {
        block.withLock { $0.next() }
    }

    /// A new version 7 identifier.
    ///
    /// - Parameter milliseconds: UTC, since 1970.
    package static func identifier(milliseconds: Int64) -> Identifier {
        let random = block.withLock { ($0.next(), $0.next()) }
        return .version7(milliseconds: milliseconds, random: random)
    }

    private static let block = Lock(Block())

    /// 64 words: one call of the generator for 32 identifiers; a larger block would save nothing and only keep unused
    /// secrets longer.
    private struct Block {
        private var words: [UInt64] = Array(repeating: 0, count: 64)
        private var left = 0

        mutating func next() -> UInt64 {
            if left == 0 {
                words.withUnsafeMutableBytes { Random.fill($0) }
                left = words.count
            }
            left -= 1
            let word = words[left]
            // Returned words are erased.
            words[left] = 0
            return word
        }
    }

    private static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let base = buffer.baseAddress, buffer.count > 0 else { return }
        // RAND_bytes takes an Int32 count.
        var start = 0
        while start < buffer.count {
            let count = min(buffer.count - start, 1 << 20)
            let result = RAND_bytes((base + start).assumingMemoryBound(to: UInt8.self), Int32(count))
            precondition(result == 1, "libcrypto has no random octets")
            start += count
        }
    }
}
