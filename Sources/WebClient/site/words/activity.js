// The words of `views/activity.js`.
export const WORDS = {
  severalPeopleAre: (/** @type {string} */ act) => `Several people are ${act}`,
  and: (/** @type {string} */ list, /** @type {string} */ text) => `${list} and ${text}`,
  is: "is",
  are: "are",
  editingThis: "editing this",
  writingAComment: "writing a comment …",
  lookingAtThisToo: "looking at this, too",
};
