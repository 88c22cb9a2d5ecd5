// What Safari 17.0 does not have. Safari cannot be run in the tests, so that the source is searched: the client needs none of it. A part that only makes a page
// better, and is harmless where it is missing, is named in MAY with the reason.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { test } from "node:test";

const SITE = new URL("../../Sources/WebClient/site/", import.meta.url);

/** Each feature: what is searched for, and a text that has it; the version of Safari that brought it is in the name. */
const SCRIPT = [
  ["Object.groupBy, Map.groupBy (17.4)", /\b(Object|Map)\.groupBy\b/, "Object.groupBy(all, key)"],
  ["Promise.withResolvers (17.4)", /\bPromise\.withResolvers\b/, "Promise.withResolvers()"],
  ["Promise.try (18.2)", /\bPromise\.try\b/, "Promise.try(act)"],
  ["Iterator helpers (18.4)", /\bIterator\.from\b|\.(values|keys|entries)\(\)\.(map|filter|take|drop|flatMap|reduce|toArray|forEach|some|every|find)\(/, "map.values().filter(isOpen)"],
  ["RegExp.escape (18.2)", /\bRegExp\.escape\b/, "RegExp.escape(text)"],
  ["Uint8Array in base64 and hex (18.2)", /\bUint8Array\.from(Base64|Hex)\b|\.to(Base64|Hex)\(/, "octets.toBase64()"],
  ["modifiers in regular expressions (none)", /\(\?[ims]*-?[ims]+:/, "/(?i:a)/"],
  ["Float16Array, Math.f16round (18.2)", /\bFloat16Array\b|\bMath\.f16round\b/, "new Float16Array(2)"],
  ["Math.sumPrecise, Error.isError, Map.getOrInsert (none)", /\bMath\.sumPrecise\b|\bError\.isError\b|\.getOrInsert(Computed)?\(/, "map.getOrInsert(key, 0)"],
  ["ArrayBuffer.transfer (17.4)", /\.transfer(ToFixedLength)?\(/, "buffer.transfer()"],
  ["explicit resource management (none)", /^\s*(await )?using \w+ =/m, "using lock = take();"],
  ["Temporal (none)", /\bTemporal\./, "Temporal.Now.instant()"],
  ["imports of JSON (17.2)", /\bwith \{ ?type: "json" ?\}/, 'import a from "./a.json" with { type: "json" };'],
  ["AbortSignal.any (17.4)", /\bAbortSignal\.any\b/, "AbortSignal.any([a, b])"],
  ["URL.parse (18), URLPattern (26)", /\bURL\.parse\b|\bURLPattern\b/, "URL.parse(text)"],
  ["bytes() of a Blob or Response (18)", /\.bytes\(\)/, "await blob.bytes()"],
  ["streams in for await (26)", /for await \(.*\b(body|stream|readable)\b/, "for await (const part of response.body) {}"],
  ["streams as the content of a request (none)", /\bduplex: "half"/, 'fetch(path, { duplex: "half" })'],
  ["requestIdleCallback (none)", /\brequestIdleCallback\b/, "requestIdleCallback(act)"],
  ["scheduler (none)", /\bscheduler\.(postTask|yield)\b/, "scheduler.yield()"],
  ["pickers of files (none)", /\bshow(Open|Save)FilePicker\b|\bshowDirectoryPicker\b/, "showOpenFilePicker()"],
  ["createWritable on the page's thread (26)", /\.createWritable\(/, "handle.createWritable()"],
  ["checkVisibility (17.4)", /\.checkVisibility\(/, "element.checkVisibility()"],
  ["view transitions (18)", /\bstartViewTransition\b/, "document.startViewTransition(act)"],
  ["moveBefore, setHTML (none)", /\.(moveBefore|setHTML|setHTMLUnsafe)\(/, "list.moveBefore(one, other)"],
  ["closedby and requestClose of dialogs (none)", /\brequestClose\b|\bclosedby\b/, "dialog.requestClose()"],
  ["the event scrollend (26)", /"scrollend"|\bonscrollend\b/, 'addEventListener("scrollend", act)'],
  ["cookieStore (18.4), navigation (26)", /\bcookieStore\b|\bnavigation\.(navigate|addEventListener|entries|currentEntry)\b/, "navigation.navigate(path)"],
  ["navigator.connection, userAgentData, deviceMemory, vibrate (none)", /\bnavigator\.(connection|userAgentData|deviceMemory|vibrate|getBattery)\b/, "navigator.connection.saveData"],
  ["background and periodic sync (none)", /\b(sync|periodicSync)\.register\b|\bbackgroundFetch\b/, 'registration.sync.register("x")'],
  ["custom highlights (17.2)", /\bCSS\.highlights\b|\bnew Highlight\b/, "new Highlight(range)"],
  ["CloseWatcher, EditContext, EyeDropper (none)", /\bnew (CloseWatcher|EditContext|EyeDropper)\b/, "new CloseWatcher()"],
  ["inputs of months and weeks (none)", /type: "(month|week)"/, 'h("input", { type: "month" })'],
  ["details with a name (17.2)", /h\("details[^)]*\bname:/, 'h("details", { name: "one" })'],
  ["hidden until found (26)", /until-found/, 'hidden: "until-found"'],
  ["Intl.Segmenter by word, Intl.Locale weekInfo by method (17.4)", /\.getWeekInfo\(/, "locale.getWeekInfo()"],
  ["Trusted Types (26)", /\btrustedTypes\b/, "trustedTypes.createPolicy"],
  ["freeze and resume of pages (none)", /addEventListener\("(resume|freeze)"/, 'addEventListener("resume", act)'],
];

const STYLE = [
  ["content-visibility (18)", /\bcontent-visibility\b/, "content-visibility: auto"],
  ["light-dark() (17.5)", /\blight-dark\(/, "color: light-dark(a, b)"],
  ["text-wrap (17.5)", /\btext-wrap\b/, "text-wrap: balance"],
  ["scrollbar-color, scrollbar-gutter, scrollbar-width (18.2)", /\bscrollbar-(color|gutter|width)\b/, "scrollbar-gutter: stable"],
  ["@starting-style, transition-behavior (17.5)", /@starting-style|\btransition-behavior\b|\ballow-discrete\b/, "@starting-style {}"],
  ["@scope (17.4)", /@scope\b/, "@scope (.card) {}"],
  ["anchors (26)", /\banchor-name\b|\bposition-anchor\b|\banchor\(/, "anchor-name: --a"],
  ["scroll-driven animations (26)", /\banimation-timeline\b|\bscroll-timeline\b/, "animation-timeline: scroll()"],
  ["field-sizing, interpolate-size, calc-size() (none)", /\bfield-sizing\b|\binterpolate-size\b|\bcalc-size\(/, "field-sizing: content"],
  ["overflow-anchor (none)", /\boverflow-anchor\b/, "overflow-anchor: none"],
  ["style queries of containers (18)", /@container style\(/, "@container style(--a: b)"],
  ["::details-content (18.4)", /::details-content/, "::details-content {}"],
  ["user-select without a prefix beside it (none)", /(?<!-webkit-)(?<!-webkit-user-select: none; )\buser-select\b/, "user-select: none"],
];

/** Where one of these is harmless without the browser's help, and why. */
const MAY = {
  "sessions/build.js": { "Trusted Types (26)": "the policy is made where there are any" },
  "app.js": {
    "freeze and resume of pages (none)": "an event more; Safari tells of waking up by visibilitychange and pageshow",
    "navigator.connection, userAgentData, deviceMemory, vibrate (none)": "a phone without it does not answer a press by a short shake",
  },
  "style/app.css": {
    "content-visibility (18)": "only spares work for cards out of sight",
    "overflow-anchor (none)": "switches off an anchoring of the browser's own, which Safari does not have",
  },
};

function files(folder) {
  return readdirSync(folder).flatMap((name) => {
    const place = new URL(name, folder);
    return statSync(place).isDirectory() ? files(new URL(`${name}/`, folder)) : /\.(js|css)$/.test(name) ? [place] : [];
  });
}

/** The text without comments: what is said of a feature is not its use. */
function code(place) {
  return readFileSync(place, "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
}

test("The client needs nothing that Safari 17 does not have", () => {
  const used = new Set();
  const found = [];
  for (const place of files(SITE)) {
    const path = place.pathname.slice(SITE.pathname.length);
    const text = code(place);
    for (const [name, pattern] of (path.endsWith(".css") ? STYLE : SCRIPT)) {
      if (!pattern.test(text)) continue;
      if (MAY[path]?.[name]) used.add(`${path} ${name}`);
      else found.push(`${path} uses ${name}`);
    }
  }
  assert.deepEqual(found, []);
  for (const [path, names] of Object.entries(MAY)) for (const name of Object.keys(names)) assert.ok(used.has(`${path} ${name}`), `${path} does not use ${name} any more`);
});

test("Each search finds what it is for", () => {
  for (const [name, pattern, sample] of [...SCRIPT, ...STYLE]) assert.match(sample, pattern, name);
});
