// The words of `documents/uploads.js`.
export const WORDS = {
  invalidFileTypeRequires: (/** @type {string} */ label, /** @type {string} */ list) => `Invalid file type. ${label} requires ${list}.`,
  fileExceeds100MbLimit: "File exceeds 100MB limit. Please compress or choose a smaller file.",
  theFileIsEmptyChoose: "The file is empty. Choose another one.",
  theFileCannotBeRead: "The file cannot be read any more: it was moved, changed or deleted. Choose it again.",
  thisIsAnotherFileChoose: (/** @type {string} */ name) => `This is another file. Choose ${name} again, as it was.`,
  youAreSignedOutThe: "You are signed out. The upload continues when you have signed in again.",
  theServerAnswered: (/** @type {number} */ status) => `the server answered ${status}`,
  uploadFailed: (/** @type {string} */ sentence) => `Upload failed: ${sentence}`,
  theConnectionWasLostThe: "The connection was lost; the upload continues by itself.",
};
