/// What a document is for, and which files that takes (R119, R120).
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

    /// In the order in which people are told.
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

/// The files that are taken, by the end of their name.
package enum FileExtension: String, CaseIterable, Sendable {
    case mp4, mov, avi, pdf, txt, doc, docx, csv, xls, xlsx

    /// What follows the last dot of a name, in any case; `nil` when it is none of these, or there is no dot.
    package init?(fileName: String) {
        guard let dot = fileName.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        self.init(rawValue: fileName[fileName.utf8.index(after: dot)...].lowercased())
    }

    /// The media type under which a document is given out.
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
