// The words of `views/notices.js`.
export const WORDS = {
  recovered: (/** @type {string} */ way, /** @type {string} */ time) => `Your sign-in was recovered with ${way} (${time}). If that was not you, end your other sessions and set a new password.`,
  aRecoveryCode: "a recovery code",
  aCodeOfAParent: "a code of a parent",
  aMailedCode: "a code that was mailed",
  aCodeOfTheHost: "a code of the person who runs the server",
  mail: (/** @type {string} */ address, /** @type {string} */ reason) => `The mail to ${address} ${reason}. Check your e-mail address.`,
  inviteMail: (/** @type {string} */ address, /** @type {string} */ reason) => `The mail with the invite to ${address} ${reason}. Hand the code over yourself, or invite again.`,
  wasRefused: "was refused",
  wasTooLate: "could not be sent in time",
  oldEnough: (/** @type {string} */ names) => `Old enough for a sign-in: ${names}.`,
  between: ", ",
  act: "What you can do",
  hide: "Hide",
};
