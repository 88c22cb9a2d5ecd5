// Passkeys (proto/sessions.md): registering one, and showing one to sign in or to confirm. Browsers offer them on https and loopback.
import { request } from "./account.js";
import { WORDS } from "../words/passkeys.js";

/** @typedef {import("./account.js").Answer} Answer */

/** Whether this browser has passkeys here. */
export function hasPasskeys() {
  return typeof PublicKeyCredential !== "undefined" && navigator.credentials !== undefined;
}

/** @param {string} text base64url without padding */
function octets(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
}

/** @param {ArrayBuffer | null | undefined} buffer */
function text(buffer) {
  if (!buffer) return undefined;
  return btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The answer where the person closed the browser's question, or has no passkey. */
const CLOSED = { status: 0, content: { sentence: WORDS.noPasskeyWasUsedTry } };

/**
 * Registers a passkey of this device.
 * @param {string} name
 * @returns {Promise<Answer>} 201 with all passkeys; `status` 0 with a sentence if the browser made none
 */
export async function register(name) {
  const answer = await request("POST", "/passkeys/options");
  if (answer.status !== 200) return answer;
  const wanted = answer.content;
  /** @type {any} */
  let made;
  try {
    made = await navigator.credentials.create({
      publicKey: {
        ...wanted, challenge: octets(wanted.challenge), user: { ...wanted.user, id: octets(wanted.user.id) },
        excludeCredentials: (wanted.excludeCredentials ?? []).map((/** @type {any} */ one) => ({ ...one, id: octets(one.id) })),
      },
    });
  } catch (error) {
    const isHere = /** @type {any} */ (error)?.name === "InvalidStateError";
    return { status: 0, content: { sentence: isHere ? WORDS.thisDeviceHasAPasskey : WORDS.noPasskeyWasMadeTry } };
  }
  if (!made) return CLOSED;
  const { response } = made;
  return request("POST", "/passkeys", {
    credential: text(made.rawId), client_data: text(response.clientDataJSON), authenticator_data: text(response.getAuthenticatorData()),
    public_key: text(response.getPublicKey()), algorithm: response.getPublicKeyAlgorithm(), name,
  });
}

/**
 * Shows a passkey.
 * @param {"sign-in" | "confirm"} purpose
 * @param {any} [more] members of the request besides
 * @returns {Promise<Answer>}
 */
export async function show(purpose, more = {}) {
  const answer = await request("POST", `/passkeys/${purpose}/options`);
  if (answer.status !== 200) return answer;
  const wanted = answer.content;
  /** @type {any} */
  let held;
  try {
    held = await navigator.credentials.get({
      publicKey: { ...wanted, challenge: octets(wanted.challenge), allowCredentials: (wanted.allowCredentials ?? []).map((/** @type {any} */ one) => ({ ...one, id: octets(one.id) })) },
    });
  } catch {
    return CLOSED;
  }
  if (!held) return CLOSED;
  const { response } = held;
  const userHandle = text(response.userHandle);
  return request("POST", `/passkeys/${purpose}`, {
    credential: text(held.rawId), client_data: text(response.clientDataJSON), authenticator_data: text(response.authenticatorData), signature: text(response.signature),
    ...(userHandle ? { user_handle: userHandle } : {}), ...more,
  });
}
