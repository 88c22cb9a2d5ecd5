// The words of the page on which a member says when to be reminded.
import { counted } from "./dates.js";

/** @param {number} lead minutes */
function length(lead) {
  if (lead > 0 && lead % 1440 === 0) return counted(lead / 1440, "day");
  return lead > 0 && lead % 60 === 0 ? counted(lead / 60, "hour") : counted(lead, "minute");
}

export const WORDS = {
  title: "Reminders",
  back: "← Back to Settings",
  subtitle: "When Huddle reminds you, on all your devices. Others in the family have their own.",
  link: "Reminders",
  linkHint: "How long before events and trip items you are reminded, quiet hours",
  unsupported: "This server has no reminders of your own. Ask the host to upgrade it.",
  on: "Remind me",
  guest: "Guests are reminded only if they ask for it.",
  calendar: "My calendar app reminds me, Huddle does not",
  event: "Before events",
  tripItem: "Before items of trips",
  allDay: "Before events and items without a time",
  ofAthlete: (/** @type {string} */ name) => `Before events of ${name}`,
  ofAthleteAllDay: (/** @type {string} */ name) => `Before events of ${name} without a time`,
  asAll: "As for all events",
  lead: (/** @type {number} */ lead) => (lead === 0 ? "At the start" : `${length(lead)} before`),
  /** @param {number} lead minutes before the first midnight */
  day: (lead) => {
    if (lead === 0) return "00:00 of the first day";
    const days = Math.ceil(lead / 1440), minutes = days * 1440 - lead;
    const time = `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
    return days === 1 ? `${time} of the day before` : `${time}, ${days} days before`;
  },
  tooMany: (/** @type {string} */ list, /** @type {number} */ most) => `${list}: choose at most ${most}`,
  quiet: "Quiet hours",
  quietHint: "In these hours nothing reaches you by mail or push. Huddle itself still shows reminders. Leave both empty for none.",
  from: "From",
  until: "Until",
  save: "Save",
  saved: "Saved",
  usual: "Back to the usual reminders",
  usualDone: "You are reminded as usual",
};
