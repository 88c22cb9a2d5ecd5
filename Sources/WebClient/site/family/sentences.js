// Written from the catalogue in Swift (HUDDLE_WRITE_PROTO=1); not edited by hand.

/**
 * The sentences of forms; words in braces stand for the values of the case.
 * @type {{[name: string]: {code: string, template: string}}}
 */
export const SENTENCES = {
  required: { code: "required", template: "{field} is required" },
  form: { code: "invalid", template: "{field} must be {form}." },
  wrongType: { code: "invalid", template: "{field} has a value of the wrong type." },
  control: { code: "invalid", template: "{field} contains a control character that cannot be shown." },
  invisible: { code: "invalid", template: "{field} contains an invisible character. Type it again without copying it." },
  noURL: { code: "invalid", template: "Please enter a valid URL (e.g., https://...)" },
  noNumber: { code: "invalid", template: "Please enter a valid number" },
  state: { code: "invalid", template: "{field} is at most two letters." },
  tooDeep: { code: "invalid", template: "{field}: objects and lists can be nested at most {limit} deep." },
  tooLong: { code: "too_long", template: "{field} is at most {limit} characters long." },
  jsonTooLong: { code: "too_long", template: "{field}: at most {limit} octets of JSON." },
  tooMany: { code: "too_many", template: "{field}: at most {limit} entries." },
  below: { code: "out_of_range", template: "{field} must not be below {bound}." },
  range: { code: "out_of_range", template: "{field} must be from {lowest} to {highest}." },
  decimals: { code: "out_of_range", template: "{field} has at most {limit} decimals." },
  digits: { code: "out_of_range", template: "{field} has at most {limit} digits before the point." },
  endDate: { code: "end_before_start", template: "End date must be after start date" },
  endTime: { code: "end_before_start", template: "End time must be after start time" },
};
