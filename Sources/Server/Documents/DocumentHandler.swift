import Bytes
import HTTP1
import Store

/// A request about one document, by a client that may see it.
class DocumentHandler: RequestHandler {
    let services: RequestServices

    init(_ context: RequestContext, _ services: RequestServices) {
        self.services = services
        super.init(context)
    }

    /// Finds the document, and the member who asks for it; answers 404 itself.
    final func find(_ then: @escaping (StoredDocument, _ member: Identifier) -> Void) {
        if case .link(let document, let member) = context.identity { return then(document, member) }
        guard let signIn = context.signIn, let id = Identifier(context.path["id"]) else { return respond(.noDocument) }
        services.read(for: self) { reader throws(StoreFailure) in
            try reader.document(id, by: signIn)
        } then: { [self] found in
            guard let found else { return respond(.noDocument) }
            then(found.document, found.member)
        }
    }
}
