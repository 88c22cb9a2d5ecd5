// The words of `sync/engine.js`.
export const WORDS = {
  theServerWasPutBack: "The server was restored from an earlier backup, so nothing was undone. Look at the current values, then undo.",
  thereIsNothingToDo: "There is nothing to do in this change.",
  tooManyChangesWait: "Too many changes wait already. Go online, or drop drafts, then try again.",
  thisDraftIsGoneAlready: "This draft no longer exists.",
  sayWhetherYoursOrTheirs: "Choose yours or theirs.",
  atMostRecordsCanBe: (/** @type {number} */ operationsPerMutation) => `At most ${operationsPerMutation} records can be changed in one step.`,
  thisChangeIsTooLarge: "This change is too large to send. Shorten the longest text, then try again.",
  theServerEndedThe: (/** @type {number} */ code) => `The server ended the connection twice over this change (${code}). It is kept as a draft.`,
};
