import Glibc

/// QR codes (ISO/IEC 18004), drawn by libqrencode, which is loaded when needed. Without the library there is no code.
package enum QRCode {
    private typealias Encode = @convention(c) (UnsafePointer<CChar>, Int32, Int32, Int32, Int32) -> UnsafeMutableRawPointer?
    private typealias Free = @convention(c) (UnsafeMutableRawPointer) -> Void

    /// The dark modules of the code of a text, row by row, as many rows as columns.
    ///
    /// - Returns: `nil` without the library, and for a text that it cannot encode.
    package static func modules(_ text: String) -> [[Bool]]? {
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
