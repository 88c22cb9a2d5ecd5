// What pages need of the family's records: lists by query, names, rights, today.
import { todayIn, instantOf } from "../dates/zones.js";
import { refusal } from "../family/permission.js";
import { choiceLabel, shownName } from "../family/records.js";
import { listKeys } from "../queries/keys.js";
import { select } from "../queries/query.js";
import { ownZone } from "../words/dates.js";
import { WORDS } from "../words/season.js";

/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/** @typedef {import("../queries/query.js").Query} Query */
/** @typedef {import("../queries/keys.js").ListKeys} ListKeys */
/** @typedef {import("../sessions/store.js").Store} Store */

/** Lists of a kind that are held at most. */
const MAX_LISTS = 32;

export class Season {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    /** @type {WeakMap<FamilyRecord, ListKeys>} */
    this.known = new WeakMap();
    /** @type {Map<string, FamilyRecord[]>} */
    this.living = new Map();
    /** The keys of the living records of a kind, in no order. */
    /** @type {Map<string, ListKeys[]>} */
    this.listed = new Map();
    /** Lists since the last change of a record of their kind, by kind and by what was asked. */
    /** @type {Map<string, Map<string, FamilyRecord[]>>} */
    this.lists = new Map();
    /** Today as it was found last: the question is asked for every list, and its answer changes with a minute. */
    this.day = { minute: -1, zone: "", today: 0 };
    store.listen((changed) => {
      const kinds = this.#kindsOf(changed);
      for (const held of [this.living, this.listed, this.lists]) {
        for (const kind of kinds ?? [...held.keys()]) held.delete(kind);
      }
    });
  }

  get engine() {
    return this.store.engine;
  }

  /**
   * The kinds of changed records; undefined if it may be any.
   * @param {Set<string> | undefined} ids
   * @returns {Set<string> | undefined}
   */
  #kindsOf(ids) {
    if (!ids) return undefined;
    const kinds = new Set();
    for (const id of ids) {
      const record = this.engine.record(id);
      // One that this device has no more, as a creation that was refused.
      if (!record) return undefined;
      kinds.add(record.kind);
    }
    return kinds;
  }

  /**
   * Whether a page that shows records of these kinds looks different after a change.
   * @param {Set<string> | undefined} ids of the changed records
   * @param {string[]} shown
   */
  concerns(ids, shown) {
    const kinds = this.#kindsOf(ids);
    return !kinds || shown.some((kind) => kinds.has(kind));
  }

  /** What pages show besides records: another one draws them again. */
  get setting() {
    return [this.engine.context, this.role, this.today, this.store.isLoading].join();
  }

  /** Today in the family's zone, in days since 1970-01-01. */
  get today() {
    const minute = Math.floor(Date.now() / 60_000), zone = this.engine.timeZone ?? ownZone();
    if (this.day.minute !== minute || this.day.zone !== zone) this.day = { minute, zone, today: todayIn(zone, minute * 60_000) };
    return this.day.today;
  }

  /**
   * The living records of a kind.
   * @param {string} kind
   * @returns {FamilyRecord[]}
   */
  records(kind) {
    let living = this.living.get(kind);
    if (!living) {
      living = this.engine.records(kind);
      this.living.set(kind, living);
    }
    return living;
  }

  /** @param {FamilyRecord} record */
  keys(record) {
    let keys = this.known.get(record);
    if (!keys) {
      keys = listKeys(record, instantOf);
      this.known.set(record, keys);
    }
    return keys;
  }

  /**
   * A list as the server would give it. Records that cannot be read are left out and logged (R048, R132).
   * @param {Query} query `athlete` left out: the season that is open
   * @returns {readonly FamilyRecord[]} the same array until a record changes
   */
  list(query) {
    const isOwned = query.kind === "event" || query.kind === "metric" || query.kind === "interaction" || query.kind === "document";
    const athlete = query.athlete ?? (isOwned ? this.athlete : undefined);
    const { today } = this;
    const name = JSON.stringify([today, query.kind, athlete, query.filter, query.search, query.sort, query.deleted]);
    let lists = this.lists.get(query.kind);
    // Each letter of a search is a list of its own.
    if (!lists || lists.size >= MAX_LISTS) this.lists.set(query.kind, lists = new Map());
    let list = lists.get(name);
    if (!list) {
      list = select({ ...query, athlete }, this.#allKeys(query.kind), today).map((one) => one.record);
      Object.freeze(list);
      lists.set(name, list);
    }
    return list;
  }

  /**
   * The number of records of the open season on each day that has any.
   * @param {string} kind
   * @param {number} first days since 1970-01-01
   * @param {number} last
   * @returns {{days: Map<number, number>, count: number}} `count`: of the records that are on one of these days
   */
  covered(kind, first, last) {
    /** @type {Map<number, number>} */
    const days = new Map();
    let count = 0;
    const { athlete } = this;
    for (const { record, firstDay, lastDay } of this.#allKeys(kind)) {
      if (firstDay === undefined || firstDay > last || lastDay < first) continue;
      if (athlete !== undefined && record.athlete !== undefined && record.athlete !== athlete) continue;
      count += 1;
      for (let day = Math.max(firstDay, first); day <= Math.min(lastDay, last); day += 1) days.set(day, (days.get(day) ?? 0) + 1);
    }
    return { days, count };
  }

  /**
   * The keys of the living records of a kind.
   * @param {string} kind
   * @returns {ListKeys[]}
   */
  #allKeys(kind) {
    const held = this.listed.get(kind);
    if (held) return held;
    /** @type {ListKeys[]} */
    const keys = [];
    this.listed.set(kind, keys);
    for (const record of this.engine.unordered((one) => one.kind === kind)) {
      try {
        keys.push(this.keys(record));
      } catch (error) {
        console.warn("huddle: a record cannot be shown", record.kind, record.id, error);
      }
    }
    return keys;
  }

  /** The athlete whose season is open; undefined for all. */
  get athlete() {
    const { context } = this.engine;
    return context === undefined || context === "all" ? undefined : context;
  }

  /** @returns {FamilyRecord[]} by name */
  get athletes() {
    return this.members.filter((member) => member.fields.role === "athlete");
  }

  /** @returns {readonly FamilyRecord[]} by name */
  get members() {
    return this.list({ kind: "member", sort: "name" });
  }

  /** The member who is signed in. */
  get self() {
    return this.engine.member;
  }

  get role() {
    return /** @type {"athlete" | "parent" | "guest"} */ (this.engine.role ?? "guest");
  }

  /**
   * The name of a member, also of a former one.
   * @param {string | undefined} id
   */
  nameOf(id) {
    const record = id === undefined ? undefined : this.engine.record(id);
    return record ? shownName(record) || WORDS.somebody : WORDS.aFormerMember;
  }

  /**
   * The living record with an id.
   * @param {string} kind
   * @param {string | undefined} id
   */
  find(kind, id) {
    const record = id === undefined ? undefined : this.engine.record(id);
    return record && record.kind === kind && record.deleted_at === undefined ? record : undefined;
  }

  /**
   * The name of the school of an event, a coach or a document, with the one that it had if it is gone.
   * @param {FamilyRecord} record
   * @returns {string | undefined}
   */
  schoolOf(record) {
    const school = this.find("school", record.fields.school_id);
    return school?.fields.name ?? record.fields.school_name ?? record.fields.host;
  }

  /**
   * The sentence that says why a member may not do something; undefined if they may.
   * @param {"create" | "update" | "delete" | "restore"} action
   * @param {string} kind
   * @param {{record?: FamilyRecord, owner?: string, fields?: string[]}} about
   * @returns {string | undefined}
   */
  refusal(action, kind, { record, owner = record?.athlete ?? (record ? undefined : this.athlete), fields } = {}) {
    const athlete = this.find("member", owner);
    return refusal({
      member: this.self ?? "", role: this.role, kind, action, owner, parents: athlete?.fields.parent_access ?? "edit",
      author: record?.created_by, subject: record?.id, fields,
    });
  }

  /**
   * @param {"create" | "update" | "delete" | "restore"} action
   * @param {string} kind
   * @param {{record?: FamilyRecord, owner?: string, fields?: string[]}} [about]
   */
  may(action, kind, about) {
    return this.self !== undefined && this.refusal(action, kind, about) === undefined;
  }

  /**
   * Whether a member may make a record of an athlete: of the season that is open, or of any while all are.
   * @param {string} kind
   */
  mayCreate(kind) {
    return this.athlete !== undefined ? this.may("create", kind) : this.athletes.some((athlete) => this.may("create", kind, { owner: athlete.id }));
  }

  /**
   * Whether a record differs from the server's because of changes that wait.
   * @param {string} id
   */
  isWaiting(id) {
    return this.engine.isPending(id);
  }
}

/**
 * The status of an event: its word, and its label (R018).
 * @param {FamilyRecord} event
 * @returns {{word: string, label: string}}
 */
export function eventStatus(event) {
  if (event.fields.attended) return { word: "attended", label: WORDS.attended };
  return event.fields.registered ? { word: "registered", label: WORDS.registered } : { word: "not-registered", label: WORDS.notRegistered };
}

/**
 * The name of a record for people; never empty (R049, R100).
 * @param {FamilyRecord} record
 */
export function titleOf(record) {
  return shownName(record) || (record.kind === "event" ? WORDS.unknownEvent : WORDS.unknown);
}

/**
 * @param {FamilyRecord} record
 * @param {string} field
 * @returns {string}
 */
export function labelOf(record, field) {
  return choiceLabel(record, field) ?? WORDS.unknown;
}

/**
 * The first characters of a long text, with an ellipsis (R051).
 * @param {string} text
 * @param {number} most
 */
export function shortened(text, most) {
  const characters = [...text];
  return characters.length > most ? `${characters.slice(0, most - 1).join("").trimEnd()}…` : text;
}
