/// The user's display settings: one word each, stored on this machine for each member. A new setting is one line here.
package enum ViewSetting: String, CaseIterable, Sendable {
    /// The order of the list of events, a `Query.Sort` (R040).
    case eventsSortBy
    /// `grid` or `list` (R124).
    case documentsViewMode
    /// A `Query.Sort` (R127).
    case documentsSortBy
}
