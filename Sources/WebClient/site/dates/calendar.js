// Dates as numbers of days, local times as minutes: arithmetic alone, as in the Swift target Dates.

/**
 * Days since 1970-01-01 in the proleptic Gregorian calendar.
 *
 * Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil and civil_from_days.
 * @param {number} year
 * @param {number} month
 * @param {number} day
 * @returns {number}
 */
export function dayNumber(year, month, day) {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return era * 146097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719468;
}

/**
 * @param {number} year
 * @returns {boolean}
 */
export function isLeap(year) {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/**
 * The number of days of a month.
 * @param {number} month
 * @param {number} year
 * @returns {number}
 */
export function daysInMonth(month, year) {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const FIRST = dayNumber(1, 1, 1);
const LAST = dayNumber(9999, 12, 31);

/**
 * Reads the only accepted form, `YYYY-MM-DD`.
 * @param {string} text
 * @returns {number | undefined} days since 1970-01-01; undefined for any other text and for days that do not exist
 */
export function readDate(text) {
  const parts = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text);
  // A regular expression's $ would also accept a line feed at the end of some texts in other languages; here it does not.
  if (!parts) return undefined;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(month, year)) return undefined;
  return dayNumber(year, month, day);
}

/**
 * @param {number} value
 * @param {number} count
 * @returns {string}
 */
function digits(value, count) {
  return String(value).padStart(count, "0");
}

/**
 * Writes a date.
 * @param {number} date days since 1970-01-01
 * @returns {string | undefined} undefined outside of 0001-01-01 to 9999-12-31
 */
export function writeDate(date) {
  if (date < FIRST || date > LAST) return undefined;
  const shifted = date + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = shifted - era * 146097;
  const yearOfEra = Math.floor((dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1, 2)}`;
}

/**
 * Reads the only accepted form, `HH:MM`.
 * @param {string} text
 * @returns {number | undefined} minutes since midnight
 */
export function readTime(text) {
  if (!/^[0-9]{2}:[0-9]{2}$/.test(text)) return undefined;
  const [hour, minute] = [Number(text.slice(0, 2)), Number(text.slice(3))];
  return hour > 23 || minute > 59 ? undefined : hour * 60 + minute;
}

/**
 * Writes a time of day.
 * @param {number} minutes since midnight
 * @returns {string} `HH:MM`
 */
export function writeTime(minutes) {
  return `${digits(Math.floor(minutes / 60), 2)}:${digits(minutes % 60, 2)}`;
}

/**
 * Reads the only accepted form, `YYYY-MM-DDTHH:MM`.
 * @param {string} text
 * @returns {number | undefined} minutes since 1970-01-01T00:00 on the same clock
 */
export function readLocal(text) {
  if (text.length !== 16 || text[10] !== "T") return undefined;
  const [date, time] = [readDate(text.slice(0, 10)), readTime(text.slice(11))];
  return date === undefined || time === undefined ? undefined : date * 1440 + time;
}

/**
 * Writes a local date and time.
 * @param {number} minutes since 1970-01-01T00:00 on the same clock
 * @returns {string | undefined} undefined outside of the years 0001 to 9999
 */
export function writeLocal(minutes) {
  const date = Math.floor(minutes / 1440);
  const text = writeDate(date);
  return text && `${text}T${writeTime(minutes - date * 1440)}`;
}

/**
 * The first and the last day of a month.
 * @param {number} date any day of a month, in days since 1970-01-01
 * @param {number} offset months later, negative for earlier
 * @returns {[number, number] | undefined} undefined outside of the years 0001 to 9999
 */
export function monthOf(date, offset) {
  const text = writeDate(date);
  if (text === undefined) return undefined;
  const months = Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7)) - 1 + offset;
  if (months < 12 || months >= 120000) return undefined;
  const [year, month] = [Math.floor(months / 12), (months % 12) + 1];
  const first = dayNumber(year, month, 1);
  return [first, first + daysInMonth(month, year) - 1];
}
