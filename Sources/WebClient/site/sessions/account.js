// Signing in and out over HTTP (proto/sessions.md). The session is in a cookie that no script can read.
import { WORDS } from "../words/account.js";

/** @typedef {import("./store.js").Membership} Membership */
/** @typedef {{status: number, content: any}} Answer `status` 0: there was no answer */

/**
 * @param {string} method
 * @param {string} path
 * @param {any} [content]
 * @returns {Promise<Answer>}
 */
export async function request(method, path, content) {
  try {
    const response = await fetch(path, {
      method, credentials: "same-origin", cache: "no-store",
      ...(content === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(content) }),
    });
    const text = await response.text();
    try {
      return { status: response.status, content: text === "" ? undefined : JSON.parse(text) };
    } catch {
      return { status: response.status, content: undefined };
    }
  } catch {
    return { status: 0, content: undefined };
  }
}

/**
 * The sentence of a refusal, for people.
 * @param {Answer} answer
 * @returns {string}
 */
export function sentence({ status, content }) {
  if (status === 0) return content?.sentence ?? WORDS.thereIsNoConnectionTo;
  return content?.sentence ?? content?.message ?? WORDS.theServerAnsweredTry(status);
}

/**
 * Who is signed in.
 * @returns {Promise<{state: "signed_in", memberships: Membership[], recovered?: any} | {state: "signed_out"} | {state: "unreachable"}>}
 */
export async function session() {
  const answer = await request("GET", "/session");
  if (answer.status === 200 && answer.content?.signed_in) {
    return { state: "signed_in", memberships: answer.content.memberships, recovered: answer.content.recovered };
  }
  return { state: answer.status === 200 ? "signed_out" : "unreachable" };
}
