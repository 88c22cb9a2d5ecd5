/// Pieces of memory in powers of two that are lent, returned and lent again, so that steady traffic never uses the
/// allocator.
package struct MemoryPieces: ~Copyable {
    /// Octets kept now for later use.
    package private(set) var held = 0
    /// Octets lent out now.
    package private(set) var lent = 0
    private let smallest: Int
    private let classes: Int
    private let maxHeld: Int
    /// The first free piece of each size; a free piece begins with the address of the next one.
    private let free: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    /// - Parameters:
    ///   - smallest: the octets of the smallest piece, a power of two of at least 16.
    ///   - classes: the number of sizes that are kept, each twice the previous one; larger pieces are released to the
    ///     system immediately.
    ///   - maxHeld: the largest number of octets kept; the excess of a burst is released to the system.
    package init(smallest: Int, classes: Int, maxHeld: Int) {
        precondition(smallest >= 16 && smallest & (smallest - 1) == 0, "the smallest piece is a power of two")
        self.smallest = smallest
        self.classes = classes
        self.maxHeld = maxHeld
        free = .allocate(capacity: classes)
        free.initialize(repeating: nil, count: classes)
    }

    deinit {
        for index in 0..<classes {
            while let piece = free[index] {
                free[index] = piece.load(as: UnsafeMutableRawPointer?.self)
                piece.deallocate()
            }
        }
        free.deallocate()
    }

    /// A piece of at least `octets` octets, uninitialised.
    package mutating func take(atLeast octets: Int) -> UnsafeMutableRawBufferPointer {
        let (size, index) = fit(octets)
        lent += size
        if index < classes, let piece = free[index] {
            free[index] = piece.load(as: UnsafeMutableRawPointer?.self)
            held -= size
            return UnsafeMutableRawBufferPointer(start: piece, count: size)
        }
        return .allocate(byteCount: size, alignment: 64)
    }

    /// Takes back a piece that `take` lent; an empty one is ignored.
    package mutating func give(_ piece: UnsafeMutableRawBufferPointer) {
        guard let base = piece.baseAddress else { return }
        let (size, index) = fit(piece.count)
        precondition(size == piece.count, "a piece comes back whole")
        lent -= size
        guard index < classes, held + size <= maxHeld else { return base.deallocate() }
        base.storeBytes(of: free[index], as: UnsafeMutableRawPointer?.self)
        free[index] = base
        held += size
    }

    private func fit(_ octets: Int) -> (size: Int, index: Int) {
        // The number of bits of octets - 1, above those of the smallest size.
        let bits = Int.bitWidth - (max(octets, smallest) - 1).leadingZeroBitCount
        return (1 << bits, bits - smallest.trailingZeroBitCount)
    }
}
