// The files of uploads under way, kept in this browser until they have arrived: an upload continues after a reload, a crash or sleep, and nobody has to
// choose its file again. They are in a database of their own, beside the records: an upgrade of one does not wait for the other.

/**
 * What is known of an upload besides its octets.
 * @typedef {object} KeptUpload
 * @property {string} key
 * @property {string} family
 * @property {string} member
 * @property {{[name: string]: string}} metadata
 * @property {string} name of the file
 * @property {number} size
 * @property {string} head the digest of its first octets, by which the same file is known again
 * @property {string} [address] of the upload on the server
 * @property {number} added milliseconds of UTC
 */

const NAME = "huddle-uploads";
const VERSION = 1;
/** The octets at the beginning of a file by which it is known again. */
const HEAD = 65_536;

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

export class KeptFiles {
  /** @param {IDBDatabase} database */
  constructor(database) {
    this.database = database;
    database.onversionchange = () => database.close();
  }

  /**
   * @returns {Promise<KeptFiles>}
   * @throws if this browser keeps none
   */
  static async open() {
    const request = indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("uploads", { keyPath: "key" });
      request.result.createObjectStore("files");
    };
    const late = new Promise((_, reject) => setTimeout(() => reject(new Error("the database does not open")), 5_000));
    return new KeptFiles(/** @type {IDBDatabase} */ (await Promise.race([answer(request), late])));
  }

  /**
   * @param {string[]} names
   * @param {IDBTransactionMode} mode
   */
  #transaction(names, mode) {
    // A program that ends loses nothing; after a power cut the file may have to be chosen again.
    return /** @type {any} */ (this.database).transaction(names, mode, { durability: "relaxed" });
  }

  /**
   * The uploads of a member that have not arrived, in the order in which they were added.
   * @param {{family: string, member: string}} owner
   * @returns {Promise<KeptUpload[]>}
   */
  async all({ family, member }) {
    const rows = await answer(this.#transaction(["uploads"], "readonly").objectStore("uploads").getAll());
    return rows.filter((/** @type {KeptUpload} */ row) => row.family === family && row.member === member)
      .sort((/** @type {KeptUpload} */ one, /** @type {KeptUpload} */ other) => one.added - other.added);
  }

  /**
   * @param {string} key
   * @returns {Promise<KeptUpload | undefined>}
   */
  async get(key) {
    return answer(this.#transaction(["uploads"], "readonly").objectStore("uploads").get(key));
  }

  /** @param {KeptUpload} row */
  async put(row) {
    const transaction = this.#transaction(["uploads"], "readwrite");
    transaction.objectStore("uploads").put(row);
    await end(transaction);
  }

  /**
   * Keeps the octets of a file.
   * @param {string} key
   * @param {Blob} file
   * @throws QuotaExceededError if there is no room for it
   */
  async keepFile(key, file) {
    const transaction = this.#transaction(["files"], "readwrite");
    transaction.objectStore("files").put(file, key);
    await end(transaction);
  }

  /**
   * @param {string} key
   * @returns {Promise<Blob | undefined>}
   */
  async file(key) {
    return answer(this.#transaction(["files"], "readonly").objectStore("files").get(key));
  }

  /** @param {string} key */
  async remove(key) {
    const transaction = this.#transaction(["uploads", "files"], "readwrite");
    transaction.objectStore("uploads").delete(key);
    transaction.objectStore("files").delete(key);
    await end(transaction);
  }

  /**
   * Removes all uploads of a member.
   * @param {{family: string, member: string}} owner
   */
  async clear(owner) {
    for (const { key } of await this.all(owner)) await this.remove(key);
  }
}

/**
 * What the first octets of a file are known by. Not a secret and not a proof: it tells one file of the same name and size from another.
 * @param {Blob} file
 * @param {(text: string) => string} digest
 * @returns {Promise<string>}
 * @throws if the file cannot be read any more
 */
export async function headOf(file, digest) {
  const octets = new Uint8Array(await file.slice(0, HEAD).arrayBuffer());
  let text = "";
  for (let place = 0; place < octets.length; place += 8_192) text += String.fromCharCode(...octets.subarray(place, place + 8_192));
  return digest(text);
}
