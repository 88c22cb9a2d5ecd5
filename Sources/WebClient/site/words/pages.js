// The words of `views/app.js`.
export const WORDS = {
  itIsSentWhenThe: (/** @type {string} */ done) => `${done}. It is sent when the connection is back.`,
  show: "Show",
  undo: "Undo",
  undone: "Undone",
  thereIsNothingOfYours: "There is nothing of yours to undo in this tab. The history of a record can undo more.",
  thereIsNothingToDo: "There is nothing to do again.",
  doneAgain: "Done again",
  somethingWentWrongOnThis: "Something went wrong on this page. Load it again, then try once more.",
  youCanUndoThisFor: "You can undo this for 30 days.",
  delete: "Delete",
  whoseIsIt: (/** @type {string} */ what) => `Whose ${what} is it?`,
  thereIsNoAthleteWhose: "There is no athlete whose season you may change.",
  cancel: "Cancel",
};
