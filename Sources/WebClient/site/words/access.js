// The words of `views/access.js`.
export const WORDS = {
  accessLog: "Access log",
  noOneHasViewedIt: "No one has viewed it yet.",
  openedADocumentOf: (/** @type {string} */ whose) => `opened a document of ${whose}`,
  exportedWhatIsS: (/** @type {string} */ whose) => `exported what is ${whose}'s`,
  lookedAtSSeason: (/** @type {string} */ whose) => `looked at ${whose}'s season`,
  theHost: "The host",
  backToSettings: "← Back to Settings",
  whoOpenedAnAthletes: "Views of an athlete's season and documents by others. Athletes see their own; parents see those of athletes whose records they may edit.",
};
