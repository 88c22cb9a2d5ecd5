/// A way to notify the person that somebody wrote.
enum NotificationWay: String, CaseIterable {
    /// The terminal's bell.
    case bell
    /// The terminal's own notification, while the person looks elsewhere.
    case osc9
    /// The command of `set notify-command`.
    case hook
}
