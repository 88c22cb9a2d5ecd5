package import Bytes

/// A client's request in either protocol, in terms that both share.
package enum UploadRequest: Hashable, Sendable {
    /// Ask for the server's capabilities.
    case options
    case create(UploadCreation)
    /// Ask for the number of stored octets.
    case offset(Identifier)
    case append(Identifier, UploadAppend)
    case cancel(Identifier)

    /// The existing upload that the request is about.
    package var upload: Identifier? {
        switch self {
        case .options, .create: nil
        case .offset(let id), .append(let id, _), .cancel(let id): id
        }
    }
}

/// The condition under which an upload counts as complete.
package enum UploadCompletion: Hashable, Sendable {
    /// Its offset equals its length: tus 1.0.0.
    case whenFull
    /// A request that declares it has been received to its end; never earlier: the IETF draft, §"Completeness".
    case declared(Bool)
}

/// A new upload.
package struct UploadCreation: Hashable, Sendable {
    /// The total number of octets; `nil` while the client does not know it.
    package var length: Int?
    package var metadata: UploadMetadata
    /// Whether the request has the first octets.
    package var hasContent: Bool
    package var completion: UploadCompletion
    /// The checksum of the octets in this request.
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
    /// The offset of the first octet; it must equal the upload's offset.
    package var offset: Int
    /// The total number of octets, if this request declares it.
    package var length: Int?
    package var completion: UploadCompletion
    /// The checksum of the octets in this request.
    package var checksum: UploadChecksum?

    package init(offset: Int, length: Int? = nil, completion: UploadCompletion, checksum: UploadChecksum? = nil) {
        self.offset = offset
        self.length = length
        self.completion = completion
        self.checksum = checksum
    }
}
