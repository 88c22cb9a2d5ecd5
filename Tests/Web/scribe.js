// Inputs, actions and state of the engine in the form of proto/sync.md, in the order of members that the Swift scribe
// has, so that equal texts mean equal engines.
import { makeAck } from "../../Sources/WebClient/site/wire/frames.js";
import { Refusal } from "../../Sources/WebClient/site/wire/rejections.js";
import { savePending, writeDraft, writePending } from "../../Sources/WebClient/site/sync/pending.js";
import { SyncEngine } from "../../Sources/WebClient/site/sync/engine.js";

/** SplitMix64 and the bounded draw of Swift's standard library, so that a seed means the same on both sides. */
export function randomOf(seed) {
  const mask = (1n << 64n) - 1n;
  let state = BigInt(seed) & mask;
  const next = () => {
    state = (state + 0x9e3779b97f4a7c15n) & mask;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    return z ^ (z >> 31n);
  };
  return (bound) => {
    const upper = BigInt(bound);
    let product = next() * upper;
    if ((product & mask) < upper) {
      const threshold = ((1n << 64n) - upper) % upper;
      while ((product & mask) < threshold) product = next() * upper;
    }
    return Number(product >> 64n);
  };
}

/** The engine of a configuration in the form of scripts. */
export function makeEngine(configuration) {
  return new SyncEngine({
    token: configuration.token, client: configuration.client, family: configuration.family, context: configuration.context,
    cursor: configuration.cursor, resumeAfter: configuration.resume_after, holdsRecords: configuration.holds_records ?? true,
    isQuiet: configuration.quiet ?? false, returnsToContext: configuration.returns_to_context ?? false, random: randomOf(configuration.seed ?? 1),
  });
}

/** The form of an action without the whole frames that the engine passes on. */
function plain(action) {
  switch (action.notify) {
    case "welcome":
      return { notify: "welcome" };
    case "joined":
      return { notify: "joined", seq: action.seq };
    case "change":
      return { notify: "change", seq: action.seq, own: action.own };
    case "upload":
      return { notify: "upload", id: action.id, state: action.state, octets: action.octets };
    case "acknowledged":
      return { notify: "acknowledged", ack: makeAck(action.ack.mutation, action.ack.seq, action.ack.records, action.ack.warnings) };
    default:
      return action;
  }
}

/** An engine, with all that a script can see of it. */
export class ScriptedEngine {
  constructor(configuration) {
    this.engine = makeEngine(configuration);
    this.members = new Map();
    this.shown = new Map();
    this.confirmed = new Map();
    this.sides = new Map();
    this.changes();
  }

  /** The actions and the result of one input. */
  take(step) {
    const { engine } = this;
    const now = step.at ?? 0;
    const request = { at: step.utc ?? 0, now, overlap: step.allow_overlap };
    const outcome = { actions: [], result: undefined };
    const done = (answer) => {
      outcome.actions = answer.actions;
      return answer.mutation === undefined ? {} : { mutation: answer.mutation };
    };
    try {
      switch (step.do) {
        case "start": outcome.actions = engine.start(now); break;
        case "connected": outcome.actions = engine.connected(now); break;
        case "disconnected": outcome.actions = engine.disconnected(step.code, now); break;
        case "timer": outcome.actions = engine.timerFired(now); break;
        case "receive": outcome.actions = engine.receive(step.frame, now); break;
        case "perform": outcome.result = done(engine.perform(step.operations, request)); break;
        case "undo": outcome.result = done(engine.undo(step.seq, request)); break;
        case "retry": outcome.result = done(engine.retry(step.draft, request) ?? { actions: [] }); break;
        case "split": {
          const answer = engine.split(step.draft, request);
          outcome.actions = answer?.actions ?? [];
          outcome.result = answer ? { mutations: answer.mutations } : {};
          break;
        }
        case "drop": {
          const draft = engine.drop(step.draft);
          outcome.result = draft ? { draft: draft.id } : {};
          break;
        }
        case "look": {
          const sides = engine.conflict(step.draft);
          this.sides.set(step.draft, sides);
          outcome.result = {};
          if (sides) {
            const { draft, ...rest } = sides;
            outcome.result = { sides: rest };
          }
          break;
        }
        case "resolve":
          outcome.result = done(engine.resolve(this.sides.get(step.draft), step.choices, { ...request, whole: step.whole }));
          break;
        case "context": outcome.actions = engine.setContext(step.context, now); break;
        case "ask": {
          const { request: _, ...frame } = step.frame;
          const asked = engine.ask(now, (number) => ({ type: frame.type, request: number, ...frame }));
          outcome.actions = asked?.actions ?? [];
          outcome.result = asked ? { request: asked.request } : {};
          break;
        }
        case "choose": engine.choose(step.family); break;
        case "sign_out": outcome.actions = engine.signOut(now); break;
        case "rejoin": outcome.actions = engine.rejoin(now); break;
        case "restore": engine.restore(step.saved); break;
        case "adopt": outcome.result = { own: engine.adopt(step.saved) }; break;
        case "take_over": outcome.result = { own: engine.takeOver(step.saved) ?? null }; break;
        case "save": {
          const saved = engine.savedState;
          if (saved) saved.records = [...engine.confirmed.all.keys()].sort().map((id) => engine.confirmedRecord(id));
          outcome.result = { saved: saved ?? null };
          break;
        }
        case "read": {
          const operation = engine.readOperation(step.seq);
          outcome.result = { operations: operation ? [operation] : [] };
          break;
        }
        default: throw new Error(`the input ${step.do} is unknown`);
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      outcome.actions = [];
      outcome.result = { refused: error.rejection };
    }
    outcome.actions = outcome.actions.map(plain);
    return outcome;
  }

  /** The members of the state that have changed since the last call. */
  changes(touched) {
    const { engine } = this;
    const result = {};
    const note = (name, value) => {
      const text = JSON.stringify(value);
      if (this.members.get(name) === text) return;
      this.members.set(name, text);
      result[name] = value;
    };
    note("phase", engine.phase);
    note("client", engine.configuration.client);
    note("family", engine.family ?? null);
    note("member", engine.member ?? null);
    note("role", engine.role ?? null);
    note("context", engine.context ?? null);
    note("cursor", engine.cursor ?? null);
    note("checksum", engine.checksum ?? null);
    note("waiting", engine.waiting.length);
    note("faults", engine.faultCount);
    note("present", [...engine.presence.keys()].sort());
    note("uploads", [...engine.uploads.keys()].sort());
    note("pending", engine.pending.map(writePending));
    note("drafts", engine.drafts.map(writeDraft));
    const pending = [...new Set(engine.pending.flatMap((one) => one.operations.map((operation) => operation.id)))].sort();
    const all = touched ?? [...new Set([...engine.confirmed.all.keys(), ...pending, ...this.shown.keys()])].sort();
    this.#compare(all, this.shown, (id) => engine.record(id), result, "records");
    const touching = new Set(pending);
    for (const id of [...this.confirmed.keys()]) if (!touching.has(id)) this.confirmed.delete(id);
    this.#compare(pending, this.confirmed, (id) => engine.confirmedRecord(id), result, "confirmed");
    return result;
  }

  #compare(ids, last, find, result, name) {
    const differing = {};
    for (const id of ids) {
      const record = find(id);
      const text = record && JSON.stringify(record);
      if (last.get(id) === text) continue;
      if (text === undefined) last.delete(id);
      else last.set(id, text);
      differing[id] = record ?? null;
    }
    if (Object.keys(differing).length > 0) result[name] = differing;
  }
}
