// The words of `family/rules.js`.
export const WORDS = {
  aNumberSuchAs150: "a number such as 150.00",
  anObject: "an object",
  oneOf: (/** @type {string} */ list) => `one of: ${list}`,
  aDateThatExistsSuch: "a date that exists, such as 2026-04-15",
  aTimeFrom0000: "a time from 00:00 to 23:59, written like 09:30",
  aDateAndATime: "a date and a time, written like 2026-04-15T09:30",
  aTimeZoneSuchAs: "a time zone such as Europe/Warsaw",
};
