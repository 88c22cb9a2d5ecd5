import Glibc

/// Pictures in JPEG (ISO/IEC 10918-1), decoded by libturbojpeg, which is loaded when needed. Without the library there
/// is no picture.
package enum JPEGPicture {
    /// The largest side of a picture in pixels: more than a small picture has, and little enough to decode in a moment.
    package static let longestSide = 1_024

    private typealias Make = @convention(c) () -> UnsafeMutableRawPointer?
    private typealias ReadHead = @convention(c) (
        UnsafeMutableRawPointer, UnsafePointer<UInt8>?, UInt, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>,
        UnsafeMutablePointer<Int32>
    ) -> Int32
    private typealias Decode = @convention(c) (
        UnsafeMutableRawPointer, UnsafePointer<UInt8>?, UInt, UnsafeMutablePointer<UInt8>?, Int32, Int32, Int32, Int32, Int32
    ) -> Int32
    private typealias End = @convention(c) (UnsafeMutableRawPointer) -> Int32

    /// The pixels of a picture, row by row, three octets each: red, green, blue.
    ///
    /// - Returns: `nil` without the library, for octets that are not a whole JPEG, and for a picture with a longer side.
    package static func decode(_ octets: [UInt8]) -> (width: Int, height: Int, pixels: [UInt8])? {
        guard !octets.isEmpty, let library = dlopen("libturbojpeg.so.0", RTLD_NOW | RTLD_LOCAL), let make = dlsym(library, "tjInitDecompress"),
            let readHead = dlsym(library, "tjDecompressHeader3"), let decode = dlsym(library, "tjDecompress2"), let end = dlsym(library, "tjDestroy"),
            let decoder = unsafeBitCast(make, to: Make.self)()
        else { return nil }
        defer { _ = unsafeBitCast(end, to: End.self)(decoder) }
        var (width, height, sampling, space) = (Int32(0), Int32(0), Int32(0), Int32(0))
        let count = UInt(octets.count)
        let head = octets.withUnsafeBufferPointer { unsafeBitCast(readHead, to: ReadHead.self)(decoder, $0.baseAddress, count, &width, &height, &sampling, &space) }
        guard head == 0, (1...longestSide).contains(Int(width)), (1...longestSide).contains(Int(height)) else { return nil }
        var pixels = [UInt8](repeating: 0, count: Int(width) * Int(height) * 3)
        // TJPF_RGB is 0; a damaged picture fails (TJFLAG_STOPONWARNING is 8192).
        let result = octets.withUnsafeBufferPointer { from in
            pixels.withUnsafeMutableBufferPointer { to in
                unsafeBitCast(decode, to: Decode.self)(decoder, from.baseAddress, count, to.baseAddress, width, 0, height, 0, 8_192)
            }
        }
        return result == 0 ? (Int(width), Int(height), pixels) : nil
    }
}
