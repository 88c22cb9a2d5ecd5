// The words of `views/confirm.js`.
export const WORDS = {
  confirmThatItIsYou: "Confirm that it is you",
  thisActNeedsYourPassword: "Type your password to continue. It counts for ten minutes.",
  password: "Password",
  oneTimePassword: "One-time password",
  ifYouHaveASecond: "If you have a second factor; or one of your recovery codes.",
  cancel: "Cancel",
  useAPasskey: "Use a passkey",
  confirm: "Confirm",
};
