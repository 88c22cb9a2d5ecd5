// Who may write what, as in the Swift target Family: a client disables what the server would refuse, with its sentence.
import { KINDS } from "./kinds.js";
import { WORDS } from "../words/permission.js";

/**
 * Everything that decides whether a write is allowed.
 * @typedef {object} Access
 * @property {string} member who acts
 * @property {"athlete" | "parent" | "guest"} role
 * @property {string} kind
 * @property {"create" | "update" | "delete" | "restore"} action
 * @property {string} [owner] the athlete of the record
 * @property {"edit" | "view"} [parents] what that athlete lets parents do; edit without an owner
 * @property {string} [author] the creator of the record
 * @property {string} [subject] the record's own id
 * @property {string[]} [fields] the fields that an update assigns or edits
 * @property {number} [age] whole years of the actor, if known
 */

/** From this age an athlete decides what parents may do with their records. */
export const OWN_ACCESS_AGE = 16;

/**
 * The id of the record that holds how far a member has read.
 * @param {string} member
 * @returns {string}
 */
export function readingPositionOf(member) {
  return member.slice(0, 14) + (15 - parseInt(member[14], 16)).toString(16) + member.slice(15);
}

/**
 * The id of the record that says when a member is reminded: as `readingPositionOf`, with the last twelve digits turned
 * around as well.
 * @param {string} member
 * @returns {string}
 */
export function reminderRuleOf(member) {
  const digits = [...member.slice(24)].map((digit) => (15 - parseInt(digit, 16)).toString(16));
  return readingPositionOf(member).slice(0, 24) + digits.join("");
}

/**
 * @param {Access} access
 * @returns {boolean}
 */
function allowsMember({ member, role, action, subject, fields = [], age }) {
  const isSelf = subject === member;
  if (action === "delete") return role === "parent" || isSelf;
  if (action !== "update") return role === "parent";
  if (!isSelf && role !== "parent") return false;
  return fields.every((field) => {
    if (field === "name") return true;
    if (field === "role") return role === "parent";
    return field === "parent_access" && isSelf && role === "athlete" && age !== undefined && age >= OWN_ACCESS_AGE;
  });
}

/**
 * @param {Access} access
 * @returns {boolean}
 */
function allows(access) {
  const { member, role, kind, action, owner, author, subject } = access;
  if (kind === "message") {
    if (action === "create") return role !== "guest";
    if (action !== "update" && role === "parent") return true;
    return role !== "guest" && author === member;
  }
  if (kind === "member") return allowsMember(access);
  if (kind === "family") return role === "parent" && action === "update";
  const { scope } = KINDS[kind];
  // Guests too keep their own position and their own reminder rule.
  if (kind === "reminder_rule") return subject === reminderRuleOf(member);
  if (scope === "member") return subject === readingPositionOf(member) && (action === "create" || action === "update");
  if (role === "guest") return false;
  if (scope === "family") return true;
  return role === "athlete" ? owner === member : owner !== undefined && (access.parents ?? "edit") === "edit";
}

/**
 * The server's refusal of a write.
 * @param {Access} access
 * @returns {string | undefined} the sentence; undefined if the write is allowed
 */
export function refusal(access) {
  if (allows(access)) return undefined;
  const { kind, role } = access;
  if (kind === "member") {
    if (access.action === "update" && access.fields?.includes("parent_access")) {
      return WORDS.whatParentsMayDoIs(OWN_ACCESS_AGE);
    }
    return WORDS.onlyParentsManageMembers;
  }
  if (kind === "reading_position") return WORDS.howFarSomebodyHasRead;
  if (kind === "reminder_rule") return WORDS.onlyMembersSetTheirReminders;
  if (role === "guest") return WORDS.guestsCanReadButNot;
  if (kind === "family") return WORDS.onlyParentsChangeThe;
  if (kind === "message") return WORDS.aMessageIsEditedBy;
  if (role === "parent") return WORDS.thisAthleteHasSetThe;
  return WORDS.youCanViewAnother;
}
