package import Bytes

/// What a client of either protocol asks for, in words that both share.
package enum UploadRequest: Hashable, Sendable {
    /// What this server can do.
    case options
    case create(UploadCreation)
    /// How much of it is stored.
    case offset(Identifier)
    case append(Identifier, UploadAppend)
    case cancel(Identifier)

    /// The upload that exists already and is asked about.
    package var upload: Identifier? {
        switch self {
        case .options, .create: nil
        case .offset(let id), .append(let id, _), .cancel(let id): id
        }
    }
}

/// When an upload counts as whole.
package enum UploadCompletion: Hashable, Sendable {
    /// As soon as its offset is its length: tus 1.0.0.
    case whenFull
    /// When the content of a request that says so was taken to its end, and never before: the IETF draft, §"Completeness".
    case declared(Bool)
}

/// A new upload.
package struct UploadCreation: Hashable, Sendable {
    /// Octets of the whole; `nil` while the client does not know.
    package var length: Int?
    package var metadata: UploadMetadata
    /// The request carries the first octets.
    package var hasContent: Bool
    package var completion: UploadCompletion
    /// Of the octets in this request.
    package var checksum: UploadChecksum?

    package init(
        length: Int?, metadata: UploadMetadata, hasContent: Bool, completion: UploadCompletion, checksum: UploadChecksum? = nil
    ) {
        self.length = length
        self.metadata = metadata
        self.hasContent = hasContent
        self.completion = completion
        self.checksum = checksum
    }
}

/// Octets that continue an upload.
package struct UploadAppend: Hashable, Sendable {
    /// Where they begin; has to be where the upload stands.
    package var offset: Int
    /// Octets of the whole, when this request says it.
    package var length: Int?
    package var completion: UploadCompletion
    /// Of the octets in this request.
    package var checksum: UploadChecksum?

    package init(offset: Int, length: Int? = nil, completion: UploadCompletion, checksum: UploadChecksum? = nil) {
        self.offset = offset
        self.length = length
        self.completion = completion
        self.checksum = checksum
    }
}
