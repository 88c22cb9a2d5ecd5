import Glibc

/// A QR code as lines of half blocks for a terminal. libqrencode, which is loaded when needed, draws it; without the
/// library there is no picture.
enum QRPicture {
    /// Light modules around the code (ISO/IEC 18004 asks for four; phones read it with two, and small terminals have no more room).
    private static let margin = 2

    /// - Returns: `nil` without the library, and for a text that it cannot encode.
    static func lines(_ text: String) -> [String]? { modules(text).map(lines) }

    /// - Parameter dark: the dark modules, row by row, as many rows as columns.
    static func lines(_ dark: [[Bool]]) -> [String] {
        let side = dark.count + 2 * margin
        func isDark(_ row: Int, _ column: Int) -> Bool {
            let (row, column) = (row - margin, column - margin)
            return dark.indices.contains(row) && dark[row].indices.contains(column) && dark[row][column]
        }
        // Most terminals are dark, and phones want dark modules on a light ground: the blocks are the light ones.
        return stride(from: 0, to: side, by: 2).map { row in
            String(
                (0..<side).map { column -> Character in
                    switch (isDark(row, column), row + 1 < side ? isDark(row + 1, column) : true) {
                    case (false, false): "█"
                    case (false, true): "▀"
                    case (true, false): "▄"
                    case (true, true): " "
                    }
                })
        }
    }

    private typealias Encode = @convention(c) (UnsafePointer<CChar>, Int32, Int32, Int32, Int32) -> UnsafeMutableRawPointer?
    private typealias Free = @convention(c) (UnsafeMutableRawPointer) -> Void

    /// The dark modules of the code of a text.
    static func modules(_ text: String) -> [[Bool]]? {
        guard let library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL), let encodeSymbol = dlsym(library, "QRcode_encodeString"),
            let freeSymbol = dlsym(library, "QRcode_free")
        else { return nil }
        let encode = unsafeBitCast(encodeSymbol, to: Encode.self), free = unsafeBitCast(freeSymbol, to: Free.self)
        // The smallest version that fits, level L (7 % may be damaged; a screen is not), 8-bit characters, case-sensitive.
        guard let code = encode(text, 0, 0, 2, 1) else { return nil }
        defer { free(code) }
        // `typedef struct { int version; int width; unsigned char *data; } QRcode;`
        let width = Int(code.load(fromByteOffset: 4, as: Int32.self))
        guard width > 0, let data = code.load(fromByteOffset: 8, as: UnsafePointer<UInt8>?.self) else { return nil }
        return (0..<width).map { row in (0..<width).map { data[row * width + $0] & 1 == 1 } }
    }
}
