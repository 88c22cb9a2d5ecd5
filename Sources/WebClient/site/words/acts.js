// The sentences of the audit log.

/** @typedef {{at: number, act: string, origin: "member" | "host" | "server", member?: string, about?: string, detail?: string, count?: number}} Entry */

/**
 * The sentences by act, as the terminal client has them. `author`, `whom` ("the family" without a member), `whose`, `detail`,
 * and `named`: the detail in parentheses, or nothing.
 * @type {{[act: string]: (words: {author: string, whom: string, whose: string, detail: string, named: string, count: number, about: string}) => string}}
 */
export const ACTS = {
  family_created: ({ author, whom }) => `${author} made the family; its first parent is ${whom}`,
  family_imported: ({ author }) => `${author} imported the family from an archive`,
  deletion_requested: ({ author, detail }) => `${author} asked for the deletion of the family on ${detail}`,
  deletion_withdrawn: ({ author }) => `${author} withdrew the request to delete the family`,
  invited: ({ author, whom, named }) => `${author} invited ${whom}${named}`,
  invite_withdrawn: ({ author, whom }) => `${author} withdrew the invite of ${whom}`,
  invite_accepted: ({ author }) => `${author} accepted an invite`,
  role_changed: ({ author, whom, detail }) => `${author} changed the role of ${whom} to ${detail}`,
  parent_access_changed: ({ author, whose, detail }) => `${author} changed what parents may do with ${whose} records to ${detail}`,
  member_removed: ({ author, whom }) => `${author} removed ${whom}`,
  member_left: ({ author }) => `${author} left the family`,
  member_restored: ({ author, whom }) => `${author} brought ${whom} back`,
  birth_date_corrected: ({ author, whose }) => `${author} corrected ${whose} birth date`,
  guest_end_set: ({ author, whom, detail }) => (detail === "" ? `${author} let ${whom} stay without an end` : `${author} set the last day of ${whom} to ${detail}`),
  guest_ended: ({ author, whom, detail }) => `${author} ended the access of ${whom}: the last day was ${detail}`,
  consent_given: ({ author, whom, named }) => `${author} consented to a sign-in for ${whom}${named}`,
  consent_withdrawn: ({ author, whom, named }) => `${author} withdrew the consent for ${whom}${named}`,
  signed_in: ({ author, named }) => `${author} signed in${named}`,
  sign_in_failed: ({ count, about }) => `${count} failed ${count === 1 ? "attempt" : "attempts"} to sign in as ${about || "a member"}`,
  token_by_host: ({ author, whom }) => `${author} made a session for ${whom}`,
  password_set: ({ author, whose }) => `${author} set ${whose} password`,
  password_removed: ({ author, whose }) => `${author} removed ${whose} password`,
  factor_added: ({ author, whose, named }) => `${author} added a second factor to ${whose} sign-in${named}`,
  factor_removed: ({ author, whose, named }) => `${author} removed a second factor from ${whose} sign-in${named}`,
  recovery_codes_made: ({ author, whose }) => `${author} made ${whose} recovery codes`,
  recovery_offered: ({ author, whom }) => `${author} made a code by which ${whom} can come back`,
  recovery_used: ({ author, whose, named }) => `${author} recovered ${whose} sign-in${named}`,
  passkey_added: ({ author, whose, named }) => `${author} added a passkey to ${whose} sign-in${named}`,
  passkey_removed: ({ author, whose, named }) => `${author} removed a passkey from ${whose} sign-in${named}`,
  passkey_refused: ({ whom, named }) => `A passkey was refused for ${whom}${named}`,
  device_added: ({ author, named }) => `${author} signed in on another device${named}`,
  sessions_ended: ({ author, whose, count }) => `${author} ended ${count === 1 ? "one" : count} of ${whose} sessions`,
  token_created: ({ author, named }) => `${author} made a token for a program${named}`,
  token_revoked: ({ author, named }) => `${author} revoked a token of a program${named}`,
  exported: ({ author, named }) => `${author} exported the family${named}`,
  shared: ({ author, whom }) => `${author} shared a document of ${whom}`,
  share_ended: ({ author, whom }) => `${author} ended a share link of a document of ${whom}`,
  mail_confirmed: ({ author, whose }) => `${author} confirmed an e-mail address for ${whose} sign-in`,
  mail_removed: ({ author, whose }) => `${author} removed the e-mail address of ${whose} sign-in`,
  calendar_added: ({ author, named }) => `${author} made a calendar feed${named}`,
  calendar_changed: ({ author, named }) => `${author} changed a calendar feed${named}`,
  calendar_removed: ({ author, named }) => `${author} removed a calendar feed${named}`,
  quota_set: ({ author, named }) => `${author} set a quota${named}`,
};

/**
 * An entry as a sentence.
 * @param {Entry} entry
 * @param {(id: string) => string} name
 */
export function auditText({ act, origin, member, about: subject, detail = "", count = 1 }, name) {
  const author = origin === "member" && member !== undefined ? name(member) : origin === "host" ? "The host" : "The server";
  const isOwn = subject !== undefined && subject === member;
  const about = subject === undefined ? "" : name(subject);
  const words = {
    author, about, detail, count, named: detail === "" ? "" : ` (${detail})`,
    whom: isOwn ? "themselves" : about || "the family", whose: isOwn ? "their own" : about === "" ? "the family's" : `${about}'s`,
  };
  // A later server has further acts: they are shown as they are.
  const text = Object.hasOwn(ACTS, act) ? ACTS[act] : undefined;
  return text ? text(words) : `${author}: ${act}, about ${words.whom}${words.named}`;
}
