import type { ChatMessage } from '../../agent/chat-message.ts';
import { isToldContext } from '../../graph/foreign-traces.ts';
import type { ToolResultPart, Message } from '../../graph/message.ts';
import type { StepExecution, ToolExecution } from '../../graph/types.ts';
import { memoize, sharedLength } from '../../kit/memoize.ts';
import { hasCalls, withCalls } from './conversation-calls.ts';

/** One section as a chat lists it. */
export type SectionView = {
  readonly views: readonly ChatMessage[];
  readonly ids: readonly string[];
  /** Returns the ids with that of the streaming message; the same array until another message streams. */
  readonly idsWith: (id: string) => readonly string[];
  /** Returns the index of a message by id; -1 when it is not listed. */
  readonly placeOf: (id: string) => number;
};

type Made = SectionView & {
  readonly source: readonly Message[];
  readonly steps: readonly StepExecution[];
  /** The message behind each view. */
  readonly listed: readonly Message[];
  readonly known: Known;
};
/** The sources of calls. They pass on to the next view, so they are correct for the latest one only. */
type Known = {
  readonly results: Map<string, ToolResultPart>;
  readonly runs: Map<string, ToolExecution>;
  /** The indexes of messages; only a hint in an earlier view. */
  readonly places: Map<string, number>;
};

const knowNothing = (): Known => ({ results: new Map(), runs: new Map(), places: new Map() });

/** The last view of the history that begins with a message; the next one mostly adds to it. */
const latest = new WeakMap<Message, Made>();
const nothing: Made = {
  views: [],
  ids: [],
  source: [],
  steps: [],
  listed: [],
  idsWith: (id) => [id],
  placeOf: () => -1,
  known: knowNothing(),
};

/**
 * Returns the messages of a section with the outcomes of their calls, from their results and the archived steps of the
 * run. It is built incrementally from the view before, so a step costs the same at any length of history.
 */
export function sectionView(source: readonly Message[], steps: readonly StepExecution[]): SectionView {
  return viewsOf(source)(steps);
}

const viewsOf = memoize((source: readonly Message[]) =>
  memoize((steps: readonly StepExecution[]): SectionView => {
    const [first] = source;
    if (first === undefined) return nothing;
    const made = next(latest.get(first), source, steps);
    latest.set(first, made);
    return made;
  }),
);

/** The ids with one more, the same array for the same id; no list keeps those of later states. */
export function extender(ids: readonly string[]): (id: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (id) => {
    const found = known.get(id) ?? [...ids, id];
    known.set(id, found);
    return found;
  };
}

/** Finds an index by id. A function of its own, so that it holds no earlier view. */
function finder(ids: readonly string[], places: ReadonlyMap<string, number>): (id: string) => number {
  return (id) => {
    const at = places.get(id);
    return at === undefined || ids[at] === id ? (at ?? -1) : ids.indexOf(id);
  };
}

function next(before: Made | undefined, source: readonly Message[], steps: readonly StepExecution[]): Made {
  const old = before ?? { ...nothing, known: knowNothing() };
  const same = sharedLength(old.source, source);
  const touched = new Set<string>();
  replaceResults(old, source, same, touched);
  replaceRuns(old, steps, touched);
  const kept = old.listed.length - old.source.slice(same).filter(isListed).length;
  const added = source.slice(same).filter(isListed);
  const listed =
    added.length === 0 && kept === old.listed.length ? old.listed : old.listed.slice(0, kept).concat(added);
  const list = old.views.slice(0, kept).concat(added.map((message) => viewMessage(message, old.known)));
  // Views of added messages are up to date already, and removed messages have none.
  for (const message of [...old.source.slice(same), ...added]) forget(touched, message);
  // Results and runs follow their calls closely, so the search starts at the end.
  for (let at = kept - 1; at >= 0 && touched.size > 0; at--) {
    const message = listed[at] as Message;
    if (!hasCalls(message)) continue;
    list[at] = viewMessage(message, old.known);
    forget(touched, message);
  }
  const ids = idsOf(old, kept, added);
  const { places } = old.known;
  added.forEach(({ id }, index) => places.set(id, kept + index));
  return {
    source,
    steps,
    listed,
    views: list,
    ids,
    idsWith: extender(ids),
    placeOf: finder(ids, places),
    known: old.known,
  };
}

function replaceResults(
  { source: before, known: { results } }: Made,
  source: readonly Message[],
  from: number,
  touched: Set<string>,
): void {
  for (const id of before.slice(from).flatMap(resultIds)) {
    results.delete(id);
    touched.add(id);
  }
  for (const message of source.slice(from)) {
    for (const part of message.parts) {
      if (part.type !== 'tool-result') continue;
      results.set(part.toolCallId, part);
      touched.add(part.toolCallId);
    }
  }
}

function replaceRuns(
  { steps: before, known: { runs } }: Made,
  steps: readonly StepExecution[],
  touched: Set<string>,
): void {
  const same = sharedLength(before, steps);
  const gone = before.slice(same).flatMap(({ step }) => step.toolExecutions);
  const come = steps.slice(same).flatMap(({ step }) => step.toolExecutions);
  for (const { id } of gone) runs.delete(id);
  for (const run of come) runs.set(run.id, run);
  // The last step is often replaced by one that only records more; its calls are the same objects.
  const stayed = new Set(gone.filter((run) => runs.get(run.id) === run));
  for (const run of [...gone, ...come]) if (!stayed.has(run)) touched.add(run.id);
}

function idsOf({ ids: before, idsWith }: Made, kept: number, added: readonly Message[]): readonly string[] {
  const ids = added.map(({ id }) => id);
  const replaced = before.slice(kept);
  if (!replaced.every((id, at) => id === ids[at])) return [...before.slice(0, kept), ...ids];
  const fresh = ids.slice(replaced.length);
  if (fresh.length === 0) return before;
  return fresh.length === 1 ? idsWith(fresh[0] as string) : [...before, ...fresh];
}

function viewMessage(message: Message, { results, runs }: Known): ChatMessage {
  return withCalls(message, (id) => ({ run: runs.get(id) ?? null, result: results.get(id) ?? null }));
}

function forget(touched: Set<string>, message: Message): void {
  for (const part of message.parts) if (part.type === 'tool-call') touched.delete(part.toolCallId);
}

function resultIds(message: Message): string[] {
  return message.parts.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []));
}

function isListed(message: Message): boolean {
  return message.role !== 'tool' && !isToldContext(message);
}
