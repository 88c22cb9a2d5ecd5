/// The purpose of a document, with the accepted file formats (R119, R120).
///
/// The names and labels are those of the kind `document`; a test compares them.
package enum DocumentType: String, CaseIterable, Sendable {
    case highlightVideo = "highlight_video"
    case transcript
    case resume
    case recommendationLetter = "rec_letter"
    case questionnaire
    case statsSheet = "stats_sheet"

    package var label: String {
        switch self {
        case .highlightVideo: "Highlight Video"
        case .transcript: "Transcript"
        case .resume: "Resume"
        case .recommendationLetter: "Recommendation Letter"
        case .questionnaire: "Questionnaire"
        case .statsSheet: "Stats Sheet"
        }
    }

    /// The accepted extensions, in display order.
    package var extensions: [FileExtension] {
        switch self {
        case .highlightVideo: [.mp4, .mov, .avi]
        case .transcript: [.pdf, .txt]
        case .resume: [.pdf, .doc, .docx]
        case .recommendationLetter: [.pdf]
        case .questionnaire: [.pdf, .doc, .docx]
        case .statsSheet: [.csv, .xls, .xlsx]
        }
    }
}

/// The accepted file formats, by file extension.
package enum FileExtension: String, CaseIterable, Sendable {
    case mp4, mov, avi, pdf, txt, doc, docx, csv, xls, xlsx

    /// The format for the text after the last dot of a name, in any case; `nil` if that is not one of these, or there
    /// is no dot.
    package init?(fileName: String) {
        guard let dot = fileName.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        self.init(rawValue: fileName[fileName.utf8.index(after: dot)...].lowercased())
    }

    /// The media type with which the server sends a document.
    package var mediaType: String {
        switch self {
        case .mp4: "video/mp4"
        case .mov: "video/quicktime"
        case .avi: "video/x-msvideo"
        case .pdf: "application/pdf"
        case .txt: "text/plain"
        case .doc: "application/msword"
        case .docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
        case .csv: "text/csv"
        case .xls: "application/vnd.ms-excel"
        case .xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        }
    }
}
