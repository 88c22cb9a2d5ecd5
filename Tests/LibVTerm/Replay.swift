package import PseudoTerminal

extension PseudoTerminal {
    /// The differences between libvterm and `VirtualTerminal` after all output so far, in at most ten lines.
    ///
    /// Looks between frames, at most `looks` times; at the end of what was written only after the program's end, because half a frame may be on its way.
    /// After the window got another size, terminals show different things until the program has drawn all of it, so that only the first size is replayed.
    package func differencesFromLibVTerm(looks: Int = 40, hasEnded: Bool = false) -> [String] {
        let first = sizes[0]
        guard let theirs = ReferenceTerminal(columns: first.columns, rows: first.rows) else { return ["libvterm could not be started"] }
        var ours = VirtualTerminal(columns: first.columns, rows: first.rows)
        var rest = written[..<(sizes.count > 1 ? sizes[1].offset : written.count)]
        var frames: [ArraySlice<UInt8>] = []
        while let next = rest.dropFirst().firstRange(of: Self.frameStart)?.lowerBound {
            frames.append(rest[..<next])
            rest = rest[next...]
        }
        if hasEnded, sizes.count == 1 { frames.append(rest) }
        let stride = max(frames.count / looks, 1)
        for (number, frame) in frames.enumerated() {
            ours.feed(frame)
            theirs.feed(frame)
            guard number % stride == 0 || number == frames.count - 1 else { continue }
            let differences = theirs.differences(from: ours)
            if !differences.isEmpty { return ["after frame \(number) of \(frames.count):"] + differences }
        }
        return frames.isEmpty ? ["nothing was written"] : []
    }
}
