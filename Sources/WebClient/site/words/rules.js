// The words of `family/rules.js`.
export const WORDS = {
  aNumberSuchAs150: "a number such as 150.00",
  anObject: "an object",
  oneOf: (/** @type {string} */ list) => `one of: ${list}`,
  aDateThatExistsSuch: "a date that exists, such as 2026-04-15",
  aTimeFrom0000: "a time from 00:00 to 23:59, written like 09:30",
  aDateAndATime: "a date and a time, written like 2026-04-15T09:30",
  leads: (/** @type {number} */ most, /** @type {number} */ minutes, /** @type {number} */ athletes) =>
    `an object: event, trip_item and all_day, each a list of at most ${most} different whole minutes from 0 to ${minutes}, and athletes, with event and all_day for each of at most ${athletes} ids`,
  anotherTime: "another time than Quiet from",
  aTimeZoneSuchAs: "a time zone such as Europe/Warsaw",
};
