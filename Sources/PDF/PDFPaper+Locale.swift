internal import CPango

extension PDFPaper {
    /// The paper of the user's locale (`LC_PAPER`): Letter in America, otherwise A4.
    package static var ofLocale: PDFPaper {
        var (width, height): (Int32, Int32) = (0, 0)
        cpango_paper(&width, &height)
        // 216 by 279 mm.
        return width == 216 && height == 279 ? .letter : .a4
    }
}
