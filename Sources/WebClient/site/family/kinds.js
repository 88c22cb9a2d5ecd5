// Written from the declarations in Swift (HUDDLE_WRITE_PROTO=1); not edited by hand.

/**
 * One field of a kind. `type` is the shape of its values; the other members are those that the type has.
 * @typedef {object} FieldDeclaration
 * @property {string} name
 * @property {string} label
 * @property {string} type
 * @property {boolean} [required]
 * @property {boolean} [server_only]
 * @property {boolean} [only_grows]
 * @property {any} [default]
 * @property {boolean} [filled_in] whether a create without it gets a value by a rule of its kind
 * @property {number} [max] characters of a text, or elements of a set
 * @property {number} [min]
 * @property {number} [digits]
 * @property {number} [scale]
 * @property {string} [of] the kind of the records that it names
 * @property {string[]} [words]
 * @property {string[]} [labels]
 */
/**
 * @typedef {object} KindDeclaration
 * @property {string} label
 * @property {"athlete" | "family" | "member"} scope
 * @property {boolean} created by mutations
 * @property {boolean} deleted by mutations
 * @property {boolean} shifts
 * @property {boolean} copied
 * @property {FieldDeclaration[]} fields
 */

/**
 * All kinds, with their fields in the order of frames.
 * @type {{[kind: string]: KindDeclaration}}
 */
export const KINDS = {
  family: {
    label: "Family", scope: "family", created: false, deleted: false, shifts: false, copied: false,
    fields: [
      { name: "name", label: "Family name", type: "line", max: 100, required: true },
      { name: "time_zone", label: "Time zone", type: "zone", required: true },
      { name: "deletion_date", label: "Will be deleted on", type: "date", server_only: true },
    ],
  },
  member: {
    label: "Member", scope: "member", created: false, deleted: true, shifts: false, copied: false,
    fields: [
      { name: "name", label: "Name", type: "line", max: 100, required: true },
      { name: "role", label: "Role", type: "choice", words: ["athlete", "parent", "guest"], labels: ["Athlete", "Parent", "Guest"], required: true },
      { name: "parent_access", label: "What parents may do", type: "choice", words: ["edit", "view"], labels: ["Parents edit", "Parents view"] },
    ],
  },
  school: {
    label: "School", scope: "family", created: true, deleted: true, shifts: false, copied: false,
    fields: [
      { name: "name", label: "School name", type: "line", max: 255, required: true },
      { name: "location", label: "Location", type: "line", max: 255 },
      { name: "url", label: "Website", type: "url" },
      { name: "notes", label: "Notes", type: "text", max: 10000 },
    ],
  },
  coach: {
    label: "Coach", scope: "family", created: true, deleted: true, shifts: false, copied: false,
    fields: [
      { name: "first_name", label: "First name", type: "line", max: 100, required: true },
      { name: "last_name", label: "Last name", type: "line", max: 100, required: true },
      { name: "school_id", label: "School", type: "reference", of: "school" },
      { name: "school_name", label: "School as it was named", type: "line", max: 255, server_only: true },
      { name: "role", label: "Role", type: "line", max: 100 },
      { name: "email", label: "E-mail", type: "line", max: 254 },
      { name: "phone", label: "Phone", type: "line", max: 50 },
      { name: "notes", label: "Notes", type: "text", max: 10000 },
    ],
  },
  event: {
    label: "Event", scope: "athlete", created: true, deleted: true, shifts: true, copied: true,
    fields: [
      { name: "type", label: "Event type", type: "choice", words: ["camp", "showcase", "official_visit", "unofficial_visit", "game"], labels: ["Camp", "Showcase", "Official Visit", "Unofficial Visit", "Game"], required: true },
      { name: "name", label: "Event name", type: "line", max: 255, required: true },
      { name: "school_id", label: "School", type: "reference", of: "school" },
      { name: "school_name", label: "School as it was named", type: "line", max: 255, server_only: true },
      { name: "host", label: "Host (school not listed)", type: "line", max: 255 },
      { name: "event_source", label: "Source", type: "choice", words: ["email", "flyer", "web_search", "recommendation", "friend", "other"], labels: ["Email", "Flyer", "Web Search", "Recommendation", "Friend", "Other"] },
      { name: "cost", label: "Cost", type: "decimal", digits: 9, scale: 2, min: 0 },
      { name: "url", label: "Event link", type: "url" },
      { name: "start_date", label: "Start date", type: "date", required: true },
      { name: "end_date", label: "End date", type: "date", filled_in: true },
      { name: "start_time", label: "Start time", type: "time" },
      { name: "end_time", label: "End time", type: "time", filled_in: true },
      { name: "checkin_time", label: "Check-in time", type: "time" },
      { name: "time_zone", label: "Time zone", type: "zone" },
      { name: "location", label: "Location", type: "line", max: 255 },
      { name: "address", label: "Street address", type: "line", max: 255 },
      { name: "city", label: "City", type: "line", max: 100 },
      { name: "state", label: "State", type: "state" },
      { name: "description", label: "Description", type: "text", max: 10000 },
      { name: "registered", label: "Registered", type: "flag", default: false },
      { name: "attended", label: "Attended", type: "flag", default: false },
      { name: "coaches_present", label: "Coaches present", type: "set", of: "coach", max: 100 },
      { name: "performance_notes", label: "Performance notes", type: "text", max: 10000 },
      { name: "stats_recorded", label: "Statistics", type: "json", max: 16384, digits: 8 },
    ],
  },
  message: {
    label: "Message", scope: "family", created: true, deleted: true, shifts: false, copied: false,
    fields: [
      { name: "text", label: "Message", type: "text", max: 4000, required: true },
      { name: "about", label: "About", type: "link" },
      { name: "mentions", label: "Mentions", type: "set", of: "member", max: 50 },
    ],
  },
  metric: {
    label: "Metric", scope: "athlete", created: true, deleted: true, shifts: false, copied: false,
    fields: [
      { name: "event_id", label: "Event", type: "reference", of: "event" },
      { name: "metric_type", label: "Metric type", type: "choice", words: ["velocity", "exit_velo", "sixty_time", "pop_time", "batting_avg", "era", "strikeouts", "other"], labels: ["Fastball Velocity", "Exit Velocity", "60-Yard Dash", "Pop Time", "Batting Average", "ERA", "Strikeouts", "Other"], required: true },
      { name: "label", label: "Label", type: "line", max: 100 },
      { name: "value", label: "Value", type: "measure", digits: 9, scale: 4, min: -999999999, required: true },
      { name: "unit", label: "Unit", type: "line", max: 20, required: true, filled_in: true },
      { name: "recorded_date", label: "Date", type: "date", required: true, filled_in: true },
      { name: "notes", label: "Notes", type: "text", max: 10000 },
      { name: "verified", label: "Verified", type: "flag", default: false },
    ],
  },
  interaction: {
    label: "Interaction", scope: "athlete", created: true, deleted: true, shifts: false, copied: false,
    fields: [
      { name: "event_id", label: "Event", type: "reference", of: "event" },
      { name: "school_id", label: "School", type: "reference", of: "school", filled_in: true },
      { name: "school_name", label: "School as it was named", type: "line", max: 255, server_only: true },
      { name: "coach_id", label: "Coach", type: "reference", of: "coach" },
      { name: "coach_name", label: "Coach as they were named", type: "line", max: 255, server_only: true },
      { name: "interaction_type", label: "Interaction type", type: "choice", words: ["in_person_visit", "phone_call", "email", "game"], labels: ["In-Person", "Phone", "Email", "Game"], required: true },
      { name: "direction", label: "Direction", type: "choice", words: ["inbound", "outbound"], labels: ["Coach contacted us", "We contacted coach"], required: true },
      { name: "subject", label: "Subject", type: "line", max: 300, filled_in: true },
      { name: "content", label: "Content", type: "text", max: 10000, required: true },
      { name: "sentiment", label: "Sentiment", type: "choice", words: ["very_positive", "positive", "neutral", "negative"], labels: ["Very Positive", "Positive", "Neutral", "Negative"] },
      { name: "occurred_at", label: "Date and time", type: "local_date_time", required: true, filled_in: true },
      { name: "time_zone", label: "Time zone", type: "zone", required: true, filled_in: true },
      { name: "logged_by", label: "Logged by", type: "reference", of: "member", server_only: true },
    ],
  },
  trip: {
    label: "Trip", scope: "family", created: true, deleted: true, shifts: true, copied: true,
    fields: [
      { name: "name", label: "Trip name", type: "line", max: 255, required: true },
      { name: "start_date", label: "Start date", type: "date", required: true },
      { name: "end_date", label: "End date", type: "date" },
      { name: "time_zone", label: "Time zone", type: "zone", required: true, filled_in: true },
      { name: "participants", label: "Participants", type: "set", of: "member", max: 50 },
      { name: "location", label: "Location", type: "line", max: 255 },
      { name: "notes", label: "Notes", type: "text", max: 10000 },
    ],
  },
  trip_item: {
    label: "Trip item", scope: "family", created: true, deleted: true, shifts: true, copied: false,
    fields: [
      { name: "trip_id", label: "Trip", type: "reference", of: "trip", required: true },
      { name: "title", label: "Title", type: "line", max: 255, required: true },
      { name: "description", label: "Description", type: "text", max: 10000 },
      { name: "location", label: "Location", type: "line", max: 255 },
      { name: "start_time", label: "Start time", type: "local_date_time", required: true },
      { name: "start_zone", label: "Time zone of the start", type: "zone", required: true, filled_in: true },
      { name: "end_time", label: "End time", type: "local_date_time" },
      { name: "end_zone", label: "Time zone of the end", type: "zone", filled_in: true },
      { name: "category", label: "Category", type: "choice", words: ["accommodation", "food", "transportation", "activity", "entertainment", "other"], labels: ["Accommodation", "Food", "Transportation", "Activity", "Entertainment", "Other"], required: true, default: "activity" },
      { name: "participants", label: "Participants", type: "set", of: "member", max: 50 },
      { name: "include_in_itinerary", label: "In the itinerary", type: "flag", default: true },
      { name: "source_type", label: "Source", type: "choice", words: ["manual", "ai_extracted", "places_tab"], labels: ["Manual", "Read from a text", "From a place"], required: true, default: "manual" },
      { name: "source_data", label: "Source data", type: "json", max: 16384, digits: 8 },
    ],
  },
  document: {
    label: "Document", scope: "athlete", created: false, deleted: true, shifts: false, copied: false,
    fields: [
      { name: "type", label: "Document type", type: "choice", words: ["highlight_video", "transcript", "resume", "rec_letter", "questionnaire", "stats_sheet"], labels: ["Highlight Video", "Transcript", "Resume", "Recommendation Letter", "Questionnaire", "Stats Sheet"], required: true },
      { name: "title", label: "Title", type: "line", max: 255, required: true },
      { name: "description", label: "Description", type: "text", max: 10000 },
      { name: "school_id", label: "School", type: "reference", of: "school" },
      { name: "school_name", label: "School as it was named", type: "line", max: 255, server_only: true },
      { name: "version", label: "Version", type: "integer", min: 1, max: 1000000, server_only: true },
      { name: "is_current", label: "Current version", type: "flag", server_only: true },
      { name: "replaces", label: "Replaces", type: "reference", of: "document", server_only: true },
      { name: "file_name", label: "File name", type: "line", max: 255, server_only: true },
      { name: "file_type", label: "File type", type: "line", max: 100, server_only: true },
      { name: "octets", label: "Size", type: "integer", min: 0, max: 9007199254740991, server_only: true },
      { name: "sha256", label: "SHA-256", type: "line", max: 64, server_only: true },
      { name: "shared_with_schools", label: "Shared with", type: "set", of: "school", max: 100 },
      { name: "uploaded_by", label: "Uploaded by", type: "reference", of: "member", server_only: true },
    ],
  },
  reading_position: {
    label: "Reading position", scope: "member", created: true, deleted: false, shifts: false, copied: false,
    fields: [
      { name: "sequence", label: "Read up to", type: "integer", min: 0, max: 9007199254740991, required: true, only_grows: true },
    ],
  },
  reminder_rule: {
    label: "Reminder rule", scope: "member", created: true, deleted: true, shifts: false, copied: false,
    fields: [
      { name: "muted", label: "No reminders", type: "flag" },
      { name: "calendar_reminds", label: "My calendar app reminds me", type: "flag" },
      { name: "leads", label: "Lead times", type: "json", max: 8192, digits: 4 },
      { name: "quiet_from", label: "Quiet from", type: "time" },
      { name: "quiet_until", label: "Quiet until", type: "time" },
      { name: "time_zone", label: "Time zone of the quiet hours", type: "zone" },
    ],
  },
};
