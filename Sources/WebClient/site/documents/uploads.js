// Uploads by tus 1.0.0 (proto/uploads.md): two at a time, each goes on after a lost connection from the octets that the
// server has on stable storage.
import { newId } from "../sessions/ids.js";

/**
 * @typedef {object} Upload
 * @property {string} key
 * @property {File} file
 * @property {{[name: string]: string}} metadata
 * @property {"queued" | "running" | "waiting" | "finished" | "failed" | "cancelled"} state
 * @property {number} offset octets that the server has, or that are on the way
 * @property {string | undefined} address
 * @property {string} problem
 * @property {number} began milliseconds of the page's clock
 * @property {number} beganAt the offset at that time
 * @property {XMLHttpRequest | undefined} request
 * @property {number} attempts that failed in a row
 */

/** The largest file (R135). */
export const MAX_OCTETS = 104857600;
const AT_A_TIME = 2;

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
  if (!allowed.includes(extension)) return `Invalid file type. ${label} requires ${allowed.map((one) => `.${one}`).join(", ")}.`;
  if (file.size > MAX_OCTETS) return "File exceeds 100MB limit. Please compress or choose a smaller file.";
  return file.size === 0 ? "The file is empty. Choose another one." : undefined;
}

/** @param {string} text */
function base64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

export class Uploads {
  constructor() {
    /** @type {Upload[]} */
    this.all = [];
    /** @type {Set<() => void>} */
    this.listeners = new Set();
  }

  /** @param {() => void} listener */
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  #tell() {
    for (const listener of [...this.listeners]) listener();
  }

  /** Whether octets of this page are still to be sent. */
  get isBusy() {
    return this.all.some((one) => one.state === "queued" || one.state === "running" || one.state === "waiting");
  }

  /**
   * @param {File} file
   * @param {{[name: string]: string}} metadata
   */
  add(file, metadata) {
    this.all.push({ key: newId(), file, metadata, state: "queued", offset: 0, address: undefined, problem: "", began: 0, beganAt: 0, request: undefined, attempts: 0 });
    this.#next();
  }

  /** @param {Upload} upload */
  again(upload) {
    upload.state = "queued";
    upload.attempts = 0;
    upload.problem = "";
    this.#next();
  }

  /** @param {Upload} upload */
  cancel(upload) {
    const wasFinished = upload.state === "finished";
    upload.state = "cancelled";
    upload.request?.abort();
    if (upload.address && !wasFinished) this.#ask("DELETE", upload.address, {}).catch(() => undefined);
    this.all = this.all.filter((one) => one !== upload);
    this.#next();
  }

  #next() {
    const running = this.all.filter((one) => one.state === "running" || one.state === "waiting").length;
    for (const upload of this.all.filter((one) => one.state === "queued").slice(0, Math.max(0, AT_A_TIME - running))) this.#run(upload);
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
    upload.state = "running";
    upload.began = performance.now();
    upload.beganAt = upload.offset;
    this.#tell();
    try {
      if (upload.address === undefined) {
        const pairs = Object.entries(upload.metadata).map(([name, value]) => `${name} ${base64(value)}`);
        const answer = await this.#ask("POST", "/files", { "Upload-Length": String(upload.file.size), "Upload-Metadata": pairs.join(",") });
        if (answer.status !== 201) return this.#refused(upload, answer.status, await answer.text(), answer.headers.get("Retry-After"));
        upload.address = answer.headers.get("Location") ?? undefined;
        upload.offset = 0;
      } else {
        const answer = await this.#ask("HEAD", upload.address, {});
        if (answer.status === 404 || answer.status === 410) {
          upload.address = undefined;
          upload.offset = 0;
          return this.#run(upload);
        }
        if (!answer.ok) return this.#refused(upload, answer.status, "", answer.headers.get("Retry-After"));
        upload.offset = Number(answer.headers.get("Upload-Offset"));
      }
      if (/** @type {string} */ (upload.state) === "cancelled") return undefined;
      upload.beganAt = upload.offset;
      return this.#patch(upload);
    } catch {
      return this.#later(upload);
    }
  }

  /** @param {Upload} upload */
  #patch(upload) {
    const request = new XMLHttpRequest();
    upload.request = request;
    const from = upload.offset;
    request.open("PATCH", /** @type {string} */ (upload.address));
    request.setRequestHeader("Tus-Resumable", "1.0.0");
    request.setRequestHeader("Content-Type", "application/offset+octet-stream");
    request.setRequestHeader("Upload-Offset", String(from));
    request.upload.onprogress = (event) => {
      upload.offset = from + event.loaded;
      upload.attempts = 0;
      this.#tell();
    };
    request.onload = () => {
      if (request.status === 204) {
        upload.state = "finished";
        upload.offset = upload.file.size;
        return this.#next();
      }
      return this.#refused(upload, request.status, request.responseText, request.getResponseHeader("Retry-After"));
    };
    request.onerror = () => this.#later(upload);
    request.send(upload.file.slice(from));
  }

  /**
   * @param {Upload} upload
   * @param {number} status
   * @param {string} text
   * @param {string | null} after
   */
  #refused(upload, status, text, after) {
    // Somebody asks, or another request is at work: the offset says how to go on.
    if (status === 409 || status === 423 || status === 429 || status >= 500) return this.#later(upload, after === null ? undefined : Number(after) * 1000);
    let sentence = "";
    try { sentence = JSON.parse(text).sentence; } catch { /* no JSON */ }
    upload.state = "failed";
    upload.problem = `Upload failed: ${sentence || `the server answered ${status}`}`;
    return this.#next();
  }

  /**
   * @param {Upload} upload
   * @param {number} [wait]
   */
  #later(upload, wait) {
    if (upload.state === "cancelled") return;
    upload.state = "waiting";
    upload.attempts += 1;
    upload.problem = "The connection was lost; the upload goes on by itself.";
    this.#tell();
    setTimeout(() => { if (upload.state === "waiting") this.#run(upload); }, wait ?? Math.min(15_000, 500 * 2 ** Math.min(upload.attempts, 5)));
  }
}
