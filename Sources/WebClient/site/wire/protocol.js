// Written from the declarations in Swift (HUDDLE_WRITE_PROTO=1); not edited by hand.

/** Every code of a rejection. */
export const ERROR_CODES = new Set([
  "required",
  "invalid",
  "too_long",
  "too_many",
  "out_of_range",
  "end_before_start",
  "unknown_kind",
  "unknown_field",
  "unknown_operation",
  "unknown_reference",
  "not_allowed",
  "not_found",
  "already_exists",
  "conflict",
  "last_parent",
  "overlap",
  "contradicted",
  "purged",
  "not_undoable",
  "mutation_reused",
  "mutation_expired",
  "rate_limited",
  "too_many_pending",
  "storage_full",
  "family_full",
  "quota_exceeded",
  "busy",
  "bad_frame",
  "not_signed_in",
  "already_signed_in",
  "not_joined",
  "already_joined",
  "token_unknown",
  "code_unknown",
  "confirm_first",
  "sign_in_failed",
  "factor_required",
  "passkey_refused",
  "cursor_ahead",
]);

/** The codes with which sending the same thing again later can succeed. */
export const RETRYABLE = new Set(["rate_limited", "too_many_pending", "storage_full", "busy", "not_joined"]);

/** The shortest wait before a retry, and the wait if nothing says how long, in milliseconds. */
export const SHORTEST_RETRY = 50;
export const USUAL_RETRY = 1000;

/** The features that this client knows. */
export const FEATURES = new Set(["kinds", "quiet", "lists", "statistics", "history", "digest", "access_log", "undo", "plans", "overlaps", "uploads", "requests", "drain", "checksum", "invites", "audit", "consent", "sessions", "families", "tokens", "devices", "passwords", "mail", "web", "ping", "activity", "calendars", "deletion", "reminders"]);

/**
 * The default limits of a server.
 * @type {{[name: string]: number}}
 */
export const LIMITS = {
  message_octets: 262144,
  sign_in_octets: 4096,
  json_depth: 16,
  object_keys: 256,
  operations_per_mutation: 100,
  overlap_pairs: 100,
  related_records: 320,
  related_octets: 786432,
  change_octets: 524288,
  pending_mutations: 128,
  pending_octets: 67108864,
  mutations_per_second: 200,
  mutation_burst: 1000,
  member_time: 100,
  family_time: 200,
  family_mutations_per_second: 200,
  family_mutation_burst: 2000,
  family_lists_per_second: 50,
  refusals: 2000,
  outbox_octets: 1048576,
  outbox_age: 30000,
  sign_in_time: 10000,
  ping_interval: 25000,
  pong_time: 10000,
  message_time: 10000,
  records_per_family: 100000,
  snapshot_messages: 500,
  page_records: 200,
  document_octets: 104857600,
  family_storage: 5368709120,
  family_history: 1073741824,
  history_age: 31536000000,
  clients_per_member: 256,
  invites_pending: 20,
  invites_per_day: 50,
  uploads_per_member: 20,
  uploads_per_family: 100,
  upload_life: 86400000,
  connections: 19000,
  connections_per_address: 512,
  connections_per_member: 32,
  connections_per_family: 256,
};
