// The words of reminders, in the banner above every page.
export const WORDS = {
  label: "Reminders",
  late: "Late reminder",
  missed: "Missed reminder",
  show: "Show",
  seen: "Got it",
  more: (/** @type {number} */ count) => `and ${count} more`,
};
