import Bytes
import Pictures
import TestSupport
import Testing

@Suite("Pictures in JPEG")
struct JPEGPictureTests {
    /// 16 by 8 pixels: the left half red, the right half blue.
    static let picture = """
        /9j/4AAQSkZJRgABAQEABwAHAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQU\
        FBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wAARCAAIABADASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEG\
        E1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT\
        1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl\
        8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oA\
        DAMBAAIRAxEAPwD50rwKiiv3D6Mv/M4/7gf+5j+jfpDf8yr/ALjf+4j/2Q==
        """

    @Test("A picture is decoded into its pixels; a damaged one, a cut one and other octets are refused, whatever octet differs")
    func decode() throws {
        let octets = try #require(Base64.decode(Self.picture))
        let picture = try #require(JPEGPicture.decode(octets), "install libturbojpeg0 (deploy/lib.sh)")
        #expect(picture.width == 16 && picture.height == 8 && picture.pixels.count == 16 * 8 * 3)
        let (left, right) = (picture.pixels[..<3], picture.pixels.suffix(3))
        #expect(left.first ?? 0 > 200 && left.last ?? 255 < 60 && right.first ?? 255 < 60 && right.last ?? 0 > 200, "\(left) \(right)")
        for count in [0, 1, 2, 20, octets.count / 2, octets.count - 20] { #expect(JPEGPicture.decode(Array(octets.prefix(count))) == nil, "\(count)") }
        #expect(JPEGPicture.decode(Array("%PDF-1.4 not a picture".utf8)) == nil)
        // Nothing is read or written beside the picture, whatever its head says.
        var random = SplitMix64(seed: 7)
        for _ in 0..<300 {
            var other = octets
            other[Int.random(in: 0..<other.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            if let found = JPEGPicture.decode(other) { #expect(found.pixels.count == found.width * found.height * 3 && max(found.width, found.height) <= JPEGPicture.longestSide) }
        }
    }
}
