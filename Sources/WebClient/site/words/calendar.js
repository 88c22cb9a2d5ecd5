// The words of `views/calendar.js`.
export const WORDS = {
  previousMonth: "Previous month",
  nextMonth: "Next month",
  today: "Today",
  wholeMonth: "Whole month",
  calendar: "Calendar",
  oneWeek: "One week",
  calendarShowingThisMonth: (/** @type {string} */ title, /** @type {string} */ count) => `Calendar showing ${title}. ${count} this month.`,
  no: (/** @type {string} */ noun) => `No ${noun}`,
  has: (/** @type {string} */ part) => `Has ${part}`,
};
