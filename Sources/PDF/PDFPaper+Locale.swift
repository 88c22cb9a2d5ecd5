internal import CPango

extension PDFPaper {
    /// The sheets that are used where the person is (`LC_PAPER`): Letter in America, else A4.
    package static var ofLocale: PDFPaper {
        var (width, height): (Int32, Int32) = (0, 0)
        cpango_paper(&width, &height)
        // 216 by 279 mm.
        return width == 216 && height == 279 ? .letter : .a4
    }
}
