// Finds texts for people in the modules of the web client. All of them are in one table, the folder `words/`, and in the tables that are written from the
// declarations or held to the Swift client by a test (see `words.test.js`).
//
// A text in a module is for people if it has a letter and is none of these: the name of a module, a tag, an attribute that nobody reads or hears, an
// argument of a call that takes names or addresses, a side of a comparison, or a single word in lower case where no text is expected.
import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The compiler's own reader of JavaScript, which comes with `tsc`; undefined without it. */
export function typescript() {
  for (const folder of (process.env.PATH ?? "").split(":")) {
    const program = join(folder, "tsc");
    if (!existsSync(program)) continue;
    const library = join(dirname(realpathSync(program)), "../lib/typescript.js");
    if (existsSync(library)) return createRequire(import.meta.url)(library);
  }
  return undefined;
}

/** Attributes and members of options that people read or hear. */
const SHOWN = new Set(["aria-label", "aria-description", "aria-roledescription", "aria-valuetext", "title", "placeholder", "alt", "label", "text", "hint", "nothing", "yes", "no", "submit", "reason", "sentence", "done", "noun"]);
/** Other members of options: attributes that nobody reads. What is not here counts by its form. */
const UNSHOWN = new Set(["class", "id", "for", "type", "role", "href", "autocomplete", "autocapitalize", "inputmode", "spellcheck", "dir", "src", "accept", "pattern", "rel", "target", "aria-controls", "aria-labelledby", "aria-describedby", "aria-live", "aria-current",
  "aria-sort", "aria-keyshortcuts", "enctype", "lang", "viewBox", "d", "kind", "mode", "keys", "icon", "path", "sort", "timeZone", "calendar", "credentials", "cache", "method", "purpose", "data-act", "data-key", "autofocus", "block", "behavior", "durability"]);
/** Calls whose arguments are names, addresses or parts of a program. */
const TECHNICAL = new Set(["querySelector", "querySelectorAll", "closest", "matches", "getElementById", "addEventListener", "removeEventListener", "setAttribute", "getAttribute", "removeAttribute", "hasAttribute", "toggleAttribute", "createElement", "createElementNS", "createObjectStore",
  "setProperty", "getItem", "setItem", "removeItem", "get", "has", "delete", "toggle", "contains", "includes", "startsWith", "endsWith", "split", "replace", "replaceAll", "match", "test", "exec", "indexOf", "go", "assign", "replaceState", "pushState",
  "request", "fetch", "register", "createPolicy", "transaction", "objectStore", "index", "open", "postMessage", "RegExp", "Event", "CustomEvent", "URL", "BroadcastChannel", "setRequestHeader", "getResponseHeader", "DateTimeFormat", "NumberFormat", "icon", "list", "records", "find", "may", "refusal", "create",
  "labelOf", "valueText", "fieldLabel", "localeCompare", "normalize", "hasOwn", "defineProperty", "is", "skeleton", "getComputedStyle", "matchMedia", "presses", "command", "padStart", "dispatchEvent", "scrollIntoView", "toString", "back", "rejection", "mayCreate", "locks", "createIndex",
  "showPasskey", "Map", "Set"]);
/** Calls whose texts are for authors of programs. */
const LOGS = new Set(["warn", "error", "log", "debug", "info", "Error", "TypeError", "super"]);
/** Calls whose texts are for people, single words included. */
const TOLD = new Set(["append", "counted", "join", "push", "owner"]);

/**
 * The texts for people in a module.
 * @param {any} ts
 * @param {string} path
 * @param {string} source
 * @returns {{node: any, text: string, line: number}[]} templates have `${}` for what changes
 */
export function textsIn(ts, path, source) {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS);
  /** @type {{node: any, text: string, line: number}[]} */
  const found = [];
  const visit = (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const text = fixedText(ts, node);
      if (/\p{L}/u.test(text) && isForPeople(ts, node, text)) found.push({ node, text, line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The text of a literal, with `${}` for each expression. */
function fixedText(ts, node) {
  if (!ts.isTemplateExpression(node)) return node.text;
  return node.head.text + node.templateSpans.map((span) => "${}" + span.literal.text).join("");
}

/** The name of what is called. */
function calleeOf(ts, call) {
  const { expression } = call;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : ts.isIdentifier(expression) ? expression.text : expression.kind === ts.SyntaxKind.SuperKeyword ? "super" : "";
}

/** Whether the form of a text is that of a name, an address or a pattern of a program. */
function isName(text) {
  const bare = text.replaceAll("${}", "");
  if (bare.trim() === "" || !/\p{L}/u.test(bare)) return true;
  // Words in lower case, with what stands between the parts of names; addresses; keys; constants.
  return /^[a-z0-9_./:#?=&*+,;@%[\]()"'<>~|$^-]*$/.test(bare) || /^\/|^webcal:|^[A-Z0-9_]+$|^[A-Z]+\/[0-9]+$|^[a-z]+([A-Z][a-z]+)+$|^[A-Z][A-Za-z]*(-[A-Z][A-Za-z]*)+$/.test(bare)
    || /^(Arrow(Up|Down|Left|Right)|Page(Up|Down)|Enter|Escape)$/.test(bare);
}

/** Whether a text is one for people wherever it is. */
function isSentence(text) {
  return /^\p{Lu}\S* \S/u.test(text) || /\p{L} .*[.?!]$/u.test(text);
}

/** Whether a text is for people, by its place and, where the place does not say it, by its form. */
function isForPeople(ts, literal, text) {
  let node = literal;
  let parent = node.parent;
  // Through parentheses, conditions and `??`, to the place where the text ends up.
  for (;;) {
    if (ts.isTemplateSpan(parent)) return isForPeople(ts, parent.parent, `${fixedText(ts, parent.parent)} ${text}`);
    if (ts.isParenthesizedExpression(parent)) {
      // The place counts.
    } else if (ts.isConditionalExpression(parent)) {
      if (parent.condition === node) return false;
    } else if (ts.isBinaryExpression(parent)) {
      const { kind } = parent.operatorToken;
      if (![ts.SyntaxKind.QuestionQuestionToken, ts.SyntaxKind.BarBarToken, ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.PlusToken].includes(kind)) {
        if (kind === ts.SyntaxKind.EqualsToken || kind === ts.SyntaxKind.PlusEqualsToken) {
          const target = parent.left.getText();
          if (/\.(textContent|title|innerText)$/.test(target) && parent.right === node) return true;
          if (/\.(className|id|href|type|value|name|dir|method|cookie|scrollRestoration|fontSize|transform)$|\.dataset\.|\.style\./.test(target)) return false;
          return !isName(text);
        }
        return false;
      }
    } else break;
    node = parent;
    parent = node.parent;
  }
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isCaseClause(parent) || ts.isElementAccessExpression(parent) || ts.isLiteralTypeNode(parent)) return false;
  if (ts.isPropertyAssignment(parent)) {
    if (parent.name === node) return false;
    const name = parent.name.text ?? "";
    const owner = parent.parent.parent;
    if (ts.isCallExpression(owner) && calleeOf(ts, owner) === "presses") return false;
    if (SHOWN.has(name)) return name !== "text" || !isName(text);
    if (UNSHOWN.has(name) || name.startsWith("data-")) return false;
    return !isName(text);
  }
  let call = parent;
  let place = node;
  // A list of children or of options belongs to its call.
  while (ts.isArrayLiteralExpression(call) || ts.isSpreadElement(call)) { place = call; call = call.parent; }
  if (ts.isCallExpression(call) || ts.isNewExpression(call)) {
    const name = calleeOf(ts, call);
    const position = (call.arguments ?? []).indexOf(place);
    if (LOGS.has(name)) return false;
    if (name === "h") return position >= 2;
    if (name === "button" || name === "link") return position === 1;
    if (name === "setAttribute") return position === 1 && SHOWN.has(call.arguments[0].text);
    if (TOLD.has(name)) return true;
    if (name === "fill" || name === "refill") return position >= 1;
    // The key of a map.
    if (name === "set" && position === 0) return isSentence(text);
    if (TECHNICAL.has(name)) return isSentence(text);
  }
  return !isName(text);
}
