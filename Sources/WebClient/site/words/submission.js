// The words of `views/submission.js`.
export const WORDS = {
  sentLater: (/** @type {string} */ done) => `${done}. It is sent when the connection is back.`,
  overlaps: "It overlaps something else of the same people.",
  undo: "Undo",
  cancel: "Cancel",
  saving: "Saving...",
  show: "Show",
};
