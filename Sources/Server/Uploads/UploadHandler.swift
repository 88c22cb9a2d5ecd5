import HTTP1
import Uploads

/// A request to `/files` as the table sees it: who has the turn, who waits, who yields.
///
/// `UploadWork` is the only subclass.
class UploadHandler: RequestHandler {
    /// Its name in `UploadTurns`, once it has come to an upload.
    final var number: UploadTurns.Request = 0
    /// What it wants to do once it has the turn.
    var purpose: UploadTurns.Purpose { .other }

    /// How far it is while it has the turn; `nil` when it does not know yet.
    ///
    /// - Parameter now: milliseconds of the reactor's clock.
    func progress(now: Int64) -> UploadTurns.Progress? { nil }

    /// The upload was made, and this is its first request.
    func created(_ upload: OpenUpload, _ creation: UploadCreation) {}

    /// The request before it has ended.
    func takeTurn(_ upload: OpenUpload) {}

    /// A newer request has come for the same upload: what has come is written, and this one ends.
    ///
    /// - Parameter offset: where the newer one wants to go on, if it does.
    func yieldTurn(for offset: Int64?) {}

    /// Answers with what is stored, while another request continues.
    func answerMeanwhile(_ upload: OpenUpload) {}

    func refuse(_ refusal: UploadRefusal) {}
}
