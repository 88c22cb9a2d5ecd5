import HTTP1
import Uploads

/// A request to `/files` in the form that the table uses: it has the turn, waits for it, or yields it.
///
/// `UploadRequestHandler` is the only subclass.
class UploadHandler: RequestHandler {
    /// Its name in `UploadTurns`, once it has reached an upload.
    final var number: UploadTurns.Request = 0
    /// Its purpose once it has the turn.
    var purpose: UploadTurns.Purpose { .other }

    /// Its progress while it has the turn; `nil` if it is not known yet.
    ///
    /// - Parameter now: milliseconds of the reactor's clock.
    func progress(now: Int64) -> UploadTurns.Progress? { nil }

    /// The upload was created, and this is its first request.
    func created(_ upload: OpenUpload, _ creation: UploadCreation) {}

    /// The request before it has ended.
    func takeTurn(_ upload: OpenUpload) {}

    /// A newer request has come for the same upload: this one writes its received octets and ends.
    ///
    /// - Parameter offset: the offset at which the newer one wants to continue, if it does.
    func yieldTurn(for offset: Int64?) {}

    /// Answers with the stored offset while another request continues.
    func answerMeanwhile(_ upload: OpenUpload) {}

    func refuse(_ refusal: UploadRefusal) {}
}
