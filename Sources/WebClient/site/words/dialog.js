// The words of `screen/dialog.js`.
export const WORDS = {
  cancel: "Cancel",
  closeThisMessage: "Close this message",
};
