// The copy on this device: the family's records with their cursor, the changes that wait, and what is being typed.
//
// A tab has a slot of its own under its client id, because mutation ids count under it: whatever two tabs do at the same
// time, neither sends the other's changes under another id, and nothing takes effect twice. The slot of a tab that ended
// is taken by the next one, with all that waits in it. Records are rows of about 250 with their cursor in one transaction;
// each waiting change is a row of its own, on stable storage before it is sent.

/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/**
 * @typedef {object} Slot
 * @property {string} client
 * @property {string} family
 * @property {string} member
 * @property {number} chunks the number of rows of records
 * @property {number} used milliseconds of UTC
 * @property {any} state as `SyncEngine.savedState`, without records, pending mutations and drafts
 */
/** @typedef {{kind: "pending" | "draft", id: number, row: any}} Waiting */

const NAME = "huddle";
const VERSION = 1;
const CHUNK = 250;

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function answer(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * @param {IDBTransaction} transaction
 * @returns {Promise<void>}
 */
function end(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error ?? new Error("the transaction was aborted"));
  });
}

/**
 * Runs a transaction whole or not at all, also if a request cannot even be made.
 * @param {IDBTransaction} transaction
 * @param {() => void} act
 */
async function whole(transaction, act) {
  const ended = end(transaction);
  try {
    act();
  } catch (error) {
    ended.catch(() => undefined);
    transaction.abort();
    throw error;
  }
  await ended;
}

/**
 * The row of a record.
 * @param {string} id
 * @param {number} chunks
 */
function chunkOf(id, chunks) {
  let sum = 0;
  for (let place = 0; place < id.length; place += 1) sum = (Math.imul(sum, 31) + id.charCodeAt(place)) >>> 0;
  return sum % chunks;
}

/**
 * All rows of one client.
 * @param {string} client
 */
function rowsOf(client) {
  return IDBKeyRange.bound([client], [client, []]);
}

/**
 * @param {IDBTransaction} transaction
 * @param {string} client
 * @returns {Promise<FamilyRecord[]>}
 */
async function recordsIn(transaction, client) {
  const chunks = await answer(transaction.objectStore("chunks").getAll(rowsOf(client)));
  return chunks.flatMap((/** @type {string} */ text) => JSON.parse(text));
}

export class Cache {
  /** @param {IDBDatabase} database */
  constructor(database) {
    this.database = database;
    /** What `readAhead` has read: the row of a slot as text, and its records. */
    /** @type {{slot: string, records: FamilyRecord[]} | undefined} */
    this.ahead = undefined;
    // Another tab with a newer program needs the database.
    database.onversionchange = () => database.close();
  }

  /**
   * Opens the database of this origin.
   * @returns {Promise<Cache>}
   * @throws if this browser keeps none, or it is damaged or newer
   */
  static async open() {
    const request = indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = () => {
      const database = request.result;
      database.createObjectStore("slots", { keyPath: "client" });
      database.createObjectStore("chunks");
      database.createObjectStore("waiting");
      database.createObjectStore("typing");
    };
    // A database that another tab holds in an older version answers nothing.
    const late = new Promise((_, reject) => setTimeout(() => reject(new Error("the database does not open")), 5_000));
    return new Cache(/** @type {IDBDatabase} */ (await Promise.race([answer(request), late])));
  }

  /**
   * @param {string[]} names
   * @param {IDBTransactionMode} mode
   * @param {boolean} [isStrict] whether the rows are on stable storage when it ends
   */
  #transaction(names, mode, isStrict = false) {
    return /** @type {any} */ (this.database).transaction(names, mode, { durability: isStrict ? "strict" : "relaxed" });
  }

  /** @returns {Promise<Slot[]>} the last used one first */
  async slots() {
    const slots = await answer(this.#transaction(["slots"], "readonly").objectStore("slots").getAll());
    return slots.sort((/** @type {Slot} */ one, /** @type {Slot} */ other) => other.used - one.used);
  }

  /**
   * What a client left: its state, its records, and what waits. Records that cannot be read are left out with their cursor: the server has them.
   * @param {string} client
   * @returns {Promise<{slot: Slot | undefined, records: FamilyRecord[], waiting: Waiting[]}>}
   */
  async load(client) {
    try {
      const transaction = this.#transaction(["slots", "chunks", "waiting"], "readonly");
      const [slot, waiting] = await Promise.all([answer(transaction.objectStore("slots").get(client)), answer(transaction.objectStore("waiting").getAll(rowsOf(client)))]);
      const { ahead } = this;
      this.ahead = undefined;
      // The row of a slot is written with its records.
      if (ahead && ahead.slot === JSON.stringify(slot)) return { slot, records: ahead.records, waiting };
      return { slot, records: await recordsIn(transaction, client), waiting };
    } catch (error) {
      console.warn("huddle: the records on this device cannot be read", error);
      const transaction = this.#transaction(["slots", "waiting"], "readonly");
      const [slot, waiting] = await Promise.all([answer(transaction.objectStore("slots").get(client)), answer(transaction.objectStore("waiting").getAll(rowsOf(client)))]);
      if (slot) slot.state = { ...slot.state, cursor: null, unsent: null };
      return { slot, records: [], waiting };
    }
  }

  /**
   * Reads the records of the slot that was used last, for a `load` that may follow.
   * @param {string[]} families
   */
  async readAhead(families) {
    const transaction = this.#transaction(["slots", "chunks"], "readonly");
    const slots = /** @type {Slot[]} */ (await answer(transaction.objectStore("slots").getAll()));
    const slot = slots.filter((one) => families.includes(one.family)).sort((one, other) => other.used - one.used)[0];
    if (slot) this.ahead = { slot: JSON.stringify(slot), records: await recordsIn(transaction, slot.client) };
  }

  /**
   * The number of changes that wait in a slot.
   * @param {string} client
   * @returns {Promise<number>}
   */
  async waitingIn(client) {
    return answer(this.#transaction(["waiting"], "readonly").objectStore("waiting").count(rowsOf(client)));
  }

  /**
   * Stores all records.
   * @param {Slot} slot
   * @param {Iterable<FamilyRecord>} records
   */
  async replace(slot, records) {
    const all = [...records];
    slot.chunks = Math.max(1, Math.ceil(all.length / CHUNK));
    /** @type {FamilyRecord[][]} */
    const chunks = Array.from({ length: slot.chunks }, () => []);
    for (const record of all) chunks[chunkOf(record.id, slot.chunks)].push(record);
    const transaction = this.#transaction(["slots", "chunks"], "readwrite");
    await whole(transaction, () => {
      const store = transaction.objectStore("chunks");
      store.delete(rowsOf(slot.client));
      chunks.forEach((chunk, place) => store.put(JSON.stringify(chunk), [slot.client, place]));
      transaction.objectStore("slots").put(slot);
    });
  }

  /**
   * Stores the rows of changed records, with the cursor that belongs to them.
   * @param {Slot} slot
   * @param {Set<string>} ids
   * @param {ReadonlyMap<string, FamilyRecord>} records all of the family
   */
  async update(slot, ids, records) {
    const places = new Set([...ids].map((id) => chunkOf(id, slot.chunks)));
    /** @type {Map<number, FamilyRecord[]>} */
    const chunks = new Map([...places].map((place) => [place, []]));
    if (places.size > 0) for (const record of records.values()) chunks.get(chunkOf(record.id, slot.chunks))?.push(record);
    const transaction = this.#transaction(["slots", "chunks"], "readwrite");
    await whole(transaction, () => {
      for (const [place, chunk] of chunks) transaction.objectStore("chunks").put(JSON.stringify(chunk), [slot.client, place]);
      transaction.objectStore("slots").put(slot);
    });
  }

  /**
   * Stores and removes waiting changes; when it returns, they are on stable storage.
   * @param {Slot} slot
   * @param {Waiting[]} put
   * @param {Waiting[]} remove
   */
  async keep(slot, put, remove) {
    const transaction = this.#transaction(["slots", "waiting"], "readwrite", true);
    await whole(transaction, () => {
      const store = transaction.objectStore("waiting");
      for (const one of remove) store.delete([slot.client, one.kind, one.id]);
      for (const one of put) store.put(one, [slot.client, one.kind, one.id]);
      transaction.objectStore("slots").put(slot);
    });
  }

  /**
   * Removes a client's slot.
   * @param {string} client
   */
  async remove(client) {
    const transaction = this.#transaction(["slots", "chunks", "waiting"], "readwrite");
    transaction.objectStore("slots").delete(client);
    transaction.objectStore("chunks").delete(rowsOf(client));
    transaction.objectStore("waiting").delete(rowsOf(client));
    await end(transaction);
  }

  /**
   * Removes the records of a client and keeps what it wrote itself.
   * @param {Slot} slot
   */
  async removeRecords(slot) {
    const transaction = this.#transaction(["slots", "chunks"], "readwrite");
    transaction.objectStore("chunks").delete(rowsOf(slot.client));
    transaction.objectStore("slots").put({ ...slot, chunks: 1, state: { ...slot.state, cursor: null, unsent: null } });
    await end(transaction);
  }

  /** Removes the database, damaged or not; the page has to be loaded again. */
  static destroy() {
    return new Promise((/** @type {(isDone: boolean) => void} */ resolve) => {
      const request = indexedDB.deleteDatabase(NAME);
      request.onsuccess = () => resolve(true);
      request.onerror = request.onblocked = () => resolve(false);
    });
  }

  /** Removes everything of this origin. */
  async clear() {
    const names = ["slots", "chunks", "waiting", "typing"];
    const transaction = this.#transaction(names, "readwrite");
    for (const name of names) transaction.objectStore(name).clear();
    await end(transaction);
  }

  /**
   * What was typed into a form or a line and not sent.
   * @param {string} name
   * @returns {Promise<any>}
   */
  async typed(name) {
    return answer(this.#transaction(["typing"], "readonly").objectStore("typing").get(name));
  }

  /**
   * Keeps what is typed; undefined removes it.
   * @param {string} name
   * @param {any} value
   */
  async type(name, value) {
    const transaction = this.#transaction(["typing"], "readwrite");
    if (value === undefined) transaction.objectStore("typing").delete(name);
    else transaction.objectStore("typing").put(value, name);
    await end(transaction);
  }
}
