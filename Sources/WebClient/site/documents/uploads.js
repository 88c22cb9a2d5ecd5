// Uploads by tus 1.0.0 (proto/uploads.md): two at a time, each goes on after a lost connection, a reload or a crash from the octets that the
// server has on stable storage.
import { sha256 } from "../crypto/sha256.js";
import { newId } from "../sessions/ids.js";
import { WORDS } from "../words/uploads.js";
import { headOf } from "./kept-files.js";

/** @typedef {import("../sessions/slots.js").Slots} Slots */
/** @typedef {import("./kept-files.js").KeptFiles} KeptFiles */
/** @typedef {import("./kept-files.js").KeptUpload} KeptUpload */

/**
 * @typedef {object} Upload
 * @property {string} key
 * @property {Blob | undefined} file undefined: it has to be chosen again, or has arrived
 * @property {string} name of the file
 * @property {number} size
 * @property {{[name: string]: string}} metadata
 * @property {"queued" | "running" | "waiting" | "asks" | "finished" | "failed" | "cancelled"} state `asks`: for the same file again
 * @property {number} offset octets that the server has, or that are on the way
 * @property {string | undefined} address
 * @property {string} problem
 * @property {number} began milliseconds of the page's clock
 * @property {number} beganAt the offset at that time
 * @property {number} movedAt when octets left last, by that clock
 * @property {XMLHttpRequest | undefined} request
 * @property {number} attempts that failed in a row
 * @property {boolean | undefined} isKept whether this browser keeps the file; undefined: not known yet
 * @property {KeptUpload | undefined} row what is kept of it
 * @property {Promise<void>} noting resolves when the row is kept, or cannot be
 * @property {Promise<void>} keeping resolves when the file it is kept, or cannot be
 */

/** The largest file (R135). */
export const MAX_OCTETS = 104857600;
const AT_A_TIME = 2;
/** The milliseconds without an octet after which a request is given up, and those for the answer to the last octet: the server reads the file again. */
const SILENCE = 30_000;
const LAST_ANSWER = 120_000;
/** The milliseconds after which a file is copied into this browser. */
const COPY = 1_000;
/** The milliseconds after which the uploads of other tabs are looked at again. */
const AGAIN = 5_000;

/** Extensions by type of document (R120). */
export const EXTENSIONS = /** @type {{[type: string]: string[]}} */ ({
  highlight_video: ["mp4", "mov", "avi"], transcript: ["pdf", "txt"], resume: ["pdf", "doc", "docx"], rec_letter: ["pdf"], questionnaire: ["pdf", "doc", "docx"], stats_sheet: ["csv", "xls", "xlsx"],
});

/**
 * The sentence about a file that cannot be this type of document (R134, R135); undefined for one that can.
 * @param {File} file
 * @param {string} type
 * @param {string} label of the type
 * @returns {string | undefined}
 */
export function fileProblem(file, type, label) {
  const allowed = EXTENSIONS[type] ?? [];
  const place = file.name.lastIndexOf(".");
  const extension = place < 0 ? "" : file.name.slice(place + 1).toLowerCase();
  if (!allowed.includes(extension)) return WORDS.invalidFileTypeRequires(label, allowed.map((one) => `.${one}`).join(", "));
  if (file.size > MAX_OCTETS) return WORDS.fileExceeds100MbLimit;
  return file.size === 0 ? WORDS.theFileIsEmptyChoose : undefined;
}

/** @param {string} text */
function base64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** Sentences about a file that was chosen again. */
const GONE = WORDS.theFileCannotBeRead;

export class Uploads {
  constructor() {
    /** @type {Upload[]} */
    this.all = [];
    /** @type {Set<() => void>} */
    this.listeners = new Set();
    /** @type {KeptFiles | undefined} */
    this.kept = undefined;
    /** @type {{family: string, member: string}} */
    this.owner = { family: "", member: "" };
    /** @type {Slots | undefined} */
    this.slots = undefined;
    /** @type {(id: string) => boolean} */
    this.isThere = () => false;
    /** Counts the families that were opened: what was begun for an earlier one does nothing any more. */
    this.turn = 0;
    this.hasContinued = false;
    this.isLooking = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.look = undefined;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.watch = undefined;
  }

  /** @param {() => void} listener */
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  #tell() {
    for (const listener of [...this.listeners]) listener();
  }

  /** Whether octets are still to be sent that are in this page alone. */
  get isBusy() {
    return this.all.some((one) => !one.isKept && (one.state === "queued" || one.state === "running" || one.state === "waiting"));
  }

  /** The number of files that have not arrived. */
  get unfinished() {
    return this.all.filter((one) => one.state !== "finished" && one.state !== "cancelled").length;
  }

  // What is kept.

  /**
   * Begins with nothing, for a member.
   * @param {{owner: {family: string, member: string}, kept: KeptFiles | undefined, slots: Slots, isThere: (id: string) => boolean}} parts `isThere`: whether the family
   *   has a document of this id, or had it
   */
  open({ owner, kept, slots, isThere }) {
    this.end();
    this.owner = owner;
    this.kept = kept;
    this.slots = slots;
    this.isThere = isThere;
  }

  /**
   * Continues the uploads that the member has begun in this browser. Each belongs to one tab at a time; when that tab ends, another one continues. Call it when the
   * records are those of the server, which show the uploads that have arrived.
   */
  async continueKept() {
    const { kept, turn } = this;
    this.hurry();
    if (!kept || this.hasContinued) return;
    this.hasContinued = true;
    this.slots?.moved.add(() => { if (turn === this.turn) this.#lookAround(turn); });
    await this.#lookAround(turn);
  }

  /** Ends everything of this member in this page; what is kept stays kept. */
  end() {
    this.turn += 1;
    this.hasContinued = false;
    clearTimeout(this.look);
    for (const upload of this.all) {
      upload.state = "cancelled";
      upload.request?.abort();
    }
    this.all = [];
    this.#tell();
  }

  /**
   * Takes what no tab has. As long as another one has something, it is looked at again.
   * @param {number} turn
   */
  async #lookAround(turn) {
    const { kept, slots } = this;
    if (!kept || !slots || this.isLooking) return;
    this.isLooking = true;
    clearTimeout(this.look);
    let isElsewhere = false;
    try {
      for (const { key } of await kept.all(this.owner)) {
        if (turn !== this.turn) return;
        if (this.all.some((one) => one.key === key)) continue;
        if (!slots.held.has(`upload-${key}`) && slots.canLook && (await slots.isHeld(`upload-${key}`))) isElsewhere = true;
        else if (await slots.take(`upload-${key}`)) await this.#continue(key, turn);
      }
    } catch (error) {
      console.warn("huddle: the kept files cannot be read", error);
    } finally {
      this.isLooking = false;
    }
    if (isElsewhere && turn === this.turn) this.look = setTimeout(() => this.#lookAround(turn), AGAIN);
  }

  /**
   * @param {string} key
   * @param {number} turn
   */
  async #continue(key, turn) {
    const row = await this.kept?.get(key);
    if (!row || row.family !== this.owner.family || row.member !== this.owner.member || turn !== this.turn || this.all.some((one) => one.key === key)) return;
    const file = await this.kept?.file(key).catch(() => undefined);
    if (turn !== this.turn) return;
    // It had arrived, and the page ended before it took its row away.
    if (row.address && this.isThere(row.address.split("/").pop() ?? "")) return this.kept?.remove(key).catch(() => undefined);
    this.all.push({ ...made(key, file, row.name, row.size, row.metadata), row, address: row.address, isKept: file !== undefined || undefined, state: file ? "queued" : "asks" });
    this.#next();
  }

  /**
   * Keeps what is known of an upload, and its file. The upload waits for the former alone.
   * @param {Upload} upload
   */
  #keep(upload) {
    upload.noting = this.#note(upload);
    upload.keeping = upload.noting.then(() => this.#keepFile(upload));
  }

  /** @param {Upload} upload */
  async #note(upload) {
    const { kept, turn } = this;
    const { file } = upload;
    if (!kept) upload.isKept = false;
    if (!kept || !file) return;
    try {
      upload.row = { key: upload.key, ...this.owner, metadata: upload.metadata, name: upload.name, size: upload.size, head: await headOf(file, sha256), added: Date.now(), address: upload.address };
      await this.slots?.take(`upload-${upload.key}`);
      if (turn !== this.turn || isOver(upload)) {
        upload.row = undefined;
        return;
      }
      await kept.put(upload.row);
      this.slots?.announce();
    } catch (error) {
      upload.row = undefined;
      upload.isKept = false;
      console.warn("huddle: this browser does not keep the upload", error);
    }
  }

  /** @param {Upload} upload */
  async #keepFile(upload) {
    const { kept } = this;
    const { file } = upload;
    if (!kept || !file || !upload.row) return;
    // What arrives by then is never copied.
    await new Promise((resolve) => setTimeout(resolve, COPY));
    if (isOver(upload)) return;
    try {
      await kept.keepFile(upload.key, file);
      upload.isKept = true;
    } catch (error) {
      // No room, or a browser that keeps none: the same file is asked for after a reload.
      upload.isKept = false;
      console.warn("huddle: this browser does not keep the file", error);
    }
    if (isOver(upload)) await this.#forget(upload);
    this.#tell();
  }

  /** @param {Upload} upload */
  async #forget(upload) {
    upload.row = undefined;
    await this.kept?.remove(upload.key).catch(() => undefined);
  }

  // What people do.

  /**
   * @param {File} file
   * @param {{[name: string]: string}} metadata
   */
  add(file, metadata) {
    const upload = made(newId(), file, file.name, file.size, metadata);
    this.all.push(upload);
    this.#keep(upload);
    this.#next();
  }

  /** @param {Upload} upload */
  again(upload) {
    upload.state = upload.file ? "queued" : "asks";
    upload.attempts = 0;
    upload.problem = "";
    this.#next();
  }

  /**
   * Continues with the file that was chosen again.
   * @param {Upload} upload
   * @param {File} file
   * @returns {Promise<string | undefined>} why not, as a sentence
   */
  async choose(upload, file) {
    const other = WORDS.thisIsAnotherFileChoose(upload.name);
    if (file.name !== upload.name || file.size !== upload.size) return other;
    try {
      if (upload.row && (await headOf(file, sha256)) !== upload.row.head) return other;
    } catch {
      return GONE;
    }
    if (upload.state !== "asks") return undefined;
    upload.file = file;
    this.#keep(upload);
    this.again(upload);
    return undefined;
  }

  /** @param {Upload} upload */
  cancel(upload) {
    const wasFinished = upload.state === "finished";
    upload.state = "cancelled";
    upload.request?.abort();
    if (upload.address && !wasFinished) this.#ask("DELETE", upload.address, {}).catch(() => undefined);
    this.all = this.all.filter((one) => one !== upload);
    upload.noting.then(() => this.#forget(upload));
    this.#next();
  }

  /** The connection is back: what waits goes on now. */
  hurry() {
    for (const upload of this.all) if (upload.state === "waiting") this.#run(upload);
  }

  // How they run.

  #next() {
    const running = this.all.filter((one) => one.state === "running" || one.state === "waiting").length;
    for (const upload of this.all.filter((one) => one.state === "queued").slice(0, Math.max(0, AT_A_TIME - running))) this.#run(upload);
    const isMoving = this.all.some((one) => one.state === "running");
    if (isMoving) this.watch ??= setInterval(() => this.#watchRequests(), 5_000);
    else {
      clearInterval(this.watch);
      this.watch = undefined;
    }
    this.#tell();
  }

  /** Gives up requests that move no more: a browser waits for hours for a connection that died while the machine slept. */
  #watchRequests() {
    const now = performance.now();
    for (const upload of this.all) {
      if (upload.state !== "running" || !upload.request) continue;
      if (now - upload.movedAt > (upload.offset >= upload.size ? LAST_ANSWER : SILENCE)) upload.request.abort();
    }
    this.#tell();
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {{[name: string]: string}} headers
   */
  #ask(method, path, headers) {
    return fetch(path, { method, credentials: "same-origin", cache: "no-store", headers: { "Tus-Resumable": "1.0.0", ...headers } });
  }

  /**
   * @param {Upload} upload
   * @returns {Promise<void>}
   */
  async #run(upload) {
    const { file } = upload;
    if (!file) return;
    upload.state = "running";
    upload.began = upload.movedAt = performance.now();
    upload.beganAt = upload.offset;
    this.#tell();
    try {
      // A file that has gone is a matter for the person, before any octet is sent.
      await file.slice(0, 1).arrayBuffer();
    } catch {
      return this.#gone(upload);
    }
    try {
      if (upload.address === undefined) {
        const pairs = Object.entries(upload.metadata).map(([name, value]) => `${name} ${base64(value)}`);
        const answer = await this.#ask("POST", "/files", { "Upload-Length": String(upload.size), "Upload-Metadata": pairs.join(",") });
        if (answer.status !== 201) return this.#refused(upload, answer.status, await answer.text(), answer.headers.get("Retry-After"));
        upload.address = answer.headers.get("Location") ?? undefined;
        upload.offset = 0;
        if (isOver(upload)) {
          if (upload.address) this.#ask("DELETE", upload.address, {}).catch(() => undefined);
          return undefined;
        }
        // Before any octet: a page that ends now finds the upload again.
        await upload.noting;
        if (upload.row) {
          upload.row.address = upload.address;
          await this.kept?.put(upload.row).catch(() => undefined);
        }
      } else {
        const answer = await this.#ask("HEAD", upload.address, {});
        if (answer.status === 404 || answer.status === 410) {
          // The server forgets uploads after a day. Perhaps it had arrived, and the page ended before it learnt so.
          if (this.isThere(upload.address.split("/").pop() ?? "")) return this.#finished(upload);
          upload.address = undefined;
          upload.offset = 0;
          return this.#run(upload);
        }
        if (!answer.ok) return this.#refused(upload, answer.status, "", answer.headers.get("Retry-After"));
        upload.offset = Number(answer.headers.get("Upload-Offset"));
      }
      if (isOver(upload)) return undefined;
      upload.beganAt = upload.offset;
      return this.#patch(upload, file);
    } catch {
      return this.#later(upload);
    }
  }

  /**
   * @param {Upload} upload
   * @param {Blob} file
   */
  #patch(upload, file) {
    const request = new XMLHttpRequest();
    upload.request = request;
    const from = upload.offset;
    request.open("PATCH", /** @type {string} */ (upload.address));
    request.setRequestHeader("Tus-Resumable", "1.0.0");
    request.setRequestHeader("Content-Type", "application/offset+octet-stream");
    request.setRequestHeader("Upload-Offset", String(from));
    upload.movedAt = performance.now();
    request.upload.onprogress = (event) => {
      upload.offset = from + event.loaded;
      upload.movedAt = performance.now();
      upload.attempts = 0;
      this.#tell();
    };
    request.onload = () => {
      if (request.status === 204) return this.#finished(upload);
      return this.#refused(upload, request.status, request.responseText, request.getResponseHeader("Retry-After"));
    };
    request.onerror = request.onabort = () => this.#later(upload);
    request.send(file.slice(from));
  }

  /** @param {Upload} upload */
  #finished(upload) {
    if (isOver(upload)) return;
    upload.state = "finished";
    upload.offset = upload.size;
    upload.file = undefined;
    upload.noting.then(() => this.#forget(upload));
    this.#next();
  }

  /** @param {Upload} upload */
  #gone(upload) {
    if (isOver(upload)) return;
    upload.state = "asks";
    upload.file = undefined;
    upload.problem = GONE;
    this.#next();
  }

  /**
   * @param {Upload} upload
   * @param {number} status
   * @param {string} text
   * @param {string | null} after
   */
  #refused(upload, status, text, after) {
    if (isOver(upload)) return;
    // Another request is at work, or there is no sign-in at this moment: the offset says how to go on.
    if (status === 401 || status === 408 || status === 409 || status === 423 || status === 429 || (status >= 500 && status !== 507)) {
      this.#later(upload, after === null ? undefined : Number(after) * 1000, status === 401 ? WORDS.youAreSignedOutThe : undefined);
      return;
    }
    let sentence = "";
    try { sentence = JSON.parse(text).sentence; } catch { /* no JSON */ }
    upload.state = "failed";
    // What was refused no longer exists: another attempt begins from the beginning.
    upload.address = undefined;
    upload.problem = WORDS.uploadFailed(sentence || WORDS.theServerAnswered(status));
    this.#next();
  }

  /**
   * @param {Upload} upload
   * @param {number} [wait]
   * @param {string} [problem]
   */
  #later(upload, wait, problem = WORDS.theConnectionWasLostThe) {
    if (isOver(upload) || upload.state === "asks") return;
    const { file } = upload;
    upload.state = "waiting";
    upload.request = undefined;
    upload.attempts += 1;
    upload.problem = problem;
    this.#next();
    const { turn } = this;
    const again = () => { if (turn === this.turn && upload.state === "waiting" && upload.file === file) this.#run(upload); };
    setTimeout(again, wait ?? Math.min(15_000, 500 * 2 ** Math.min(upload.attempts, 5)));
  }
}

/**
 * @param {string} key
 * @param {Blob | undefined} file
 * @param {string} name
 * @param {number} size
 * @param {{[name: string]: string}} metadata
 * @returns {Upload}
 */
function made(key, file, name, size, metadata) {
  return { key, file, name, size, metadata, state: "queued", offset: 0, address: undefined, problem: "", began: 0, beganAt: 0, movedAt: 0, request: undefined, attempts: 0, isKept: undefined, row: undefined, noting: Promise.resolve(), keeping: Promise.resolve() };
}

/** @param {Upload} upload */
function isOver(upload) {
  return upload.state === "cancelled" || upload.state === "finished";
}
