import { at } from '../../agent/hook.ts';
import { anyName, type Tool } from '../../agent/tool.ts';
import { answeredQuestion } from '../../agent/tool-question.ts';
import type { ToolApproval, ToolExecution } from '../../graph/types.ts';
import { type Run, stateOf, commit, workKey } from '../run.ts';
import { callOf, indexOfCall } from '../state-at.ts';
import type { ErrorInfo } from '../../graph/error-info.ts';
import type { ToolOutcome } from '../../graph/message.ts';
import { hashText } from '../../kit/hash.ts';
import { toJson } from '../../kit/to-json.ts';
import { textBytes } from '../estimate-call.ts';
import { runHooks } from '../run-hooks.ts';
import type { JsonValue } from '../../kit/json.ts';

/** The calls of one step that are in flight. Their data is in the state. */
export type Batch = {
  readonly run: Run;
  readonly tools: readonly Tool[];
  readonly inFlight: Map<string, Promise<void>>;
  /** The calls in flight that wait for a person, and take no place. */
  readonly idle: Set<string>;
  /** The calls in flight that have ended and wait for the hooks of earlier calls. They take no place. */
  readonly ended: Set<string>;
  /** Lets the step start what is ready now. */
  wake: () => void;
  /** Settles with the next `wake`. */
  changed: Promise<void>;
  /** Index of the first call that was not considered yet. */
  next: number;
  /** Indexes of calls to consider again: each was answered, or its run has just ended. */
  readonly again: Set<number>;
  /** Settles when no hooks of a call run. Hooks run one after the other; schemas, rules and tools run side by side. */
  turn: Promise<unknown>;
  /** Settles when every started call is prepared. */
  prepared: Promise<unknown>;
  /** Set by a hook that blocked a call and those after it. */
  isClosed: boolean;
  /** Set when an error ends the whole step; calls that have not started are not run. */
  fatal: { readonly thrown: unknown } | null;
};

export function createBatch(run: Run, tools: readonly Tool[]): Batch {
  const [turn, prepared, changed] = [Promise.resolve(), Promise.resolve(), Promise.resolve()];
  return {
    run,
    tools,
    inFlight: new Map(),
    idle: new Set(),
    ended: new Set(),
    wake: () => undefined,
    changed,
    next: 0,
    again: new Set(),
    turn,
    prepared,
    isClosed: false,
    fatal: null,
  };
}

/**
 * The key of a call, which contains its position and is the same in an equal run. An answer to its question makes it
 * another one, because the tool is called again.
 */
export function keyOf(run: Run, id: string): string {
  const calls = stateOf(run).execution?.currentStep?.toolExecutions ?? [];
  const place = indexOfCall(calls, id);
  return workKey(run, `${place}${markOfAnswer(calls[place]?.approval ?? null)}`, 1);
}

/** A part of the key of a call that has the answer to its question; empty for a call that has asked none. */
function markOfAnswer(approval: ToolApproval | null): string {
  const asked = answeredQuestion(approval);
  return asked === null ? '' : `.${hashText(JSON.stringify([asked.form, asked.answer]))}`;
}

/** Runs hooks of a call when those of no other call run: a hook that reads a value and writes it would lose a write. */
export function inTurn<Value>(batch: Batch, take: () => Promise<Value>): Promise<Value> {
  const mine = batch.turn.then(take);
  batch.turn = mine.catch(() => undefined);
  return mine;
}

/**
 * Runs the hooks after a call and settles it. They run in call order, behind those of earlier calls that are in flight.
 * A replacement by a hook is an event of its own.
 */
export async function settleCall(batch: Batch, id: string): Promise<void> {
  const { run, tools } = batch;
  const execution = callOf(stateOf(run), id);
  if (execution === null) return;
  try {
    if (at(run.agent.hooks, 'after-tool-use').length === 0) return;
    await earlierSettled(batch, id);
    const { execution: next = execution, author } = await inTurn(batch, () =>
      runHooks(run, 'after-tool-use', { execution }),
    );
    if (next !== execution)
      commit(run, { type: 'call-change', source: author, toolCallId: id, ...resultOf(run, tools, next) });
  } finally {
    const ended = callOf(stateOf(run), id) ?? execution;
    settleUnrun(run, id, ended.status as ToolOutcome, ended.error);
  }
}

/** Resolves when no earlier call is in flight, apart from those that wait for a person. */
async function earlierSettled(batch: Batch, id: string): Promise<void> {
  const { run, inFlight, idle, ended } = batch;
  const calls = stateOf(run).execution?.currentStep?.toolExecutions ?? [];
  const earlier = calls.slice(0, indexOfCall(calls, id));
  const isBehind = (): boolean => earlier.some((call) => inFlight.has(call.id) && !idle.has(call.id));
  if (!isBehind()) return;
  ended.add(id);
  batch.wake();
  while (!run.signal.aborted && isBehind()) await batch.changed;
  ended.delete(id);
}

function resultOf(
  run: Run,
  tools: readonly Tool[],
  next: ToolExecution,
): {
  status: ToolOutcome;
  error: ErrorInfo | null;
  result?: ReturnType<typeof toJson>;
} {
  const { status, error } = next;
  const tool = toolNamed(tools, next.toolCall.name);
  return {
    status: status as ToolOutcome,
    error,
    ...('result' in next ? { result: cutResult(run, tool, toJson(next.result)) } : {}),
  };
}

/** Settles a call without hooks: it did not run, or its step was cut short. */
export function settleUnrun(
  run: Run,
  toolCallId: string,
  outcome: ToolOutcome,
  error: ErrorInfo | null,
  author?: string,
): void {
  const hook = author === undefined ? {} : { hook: author };
  commit(run, { type: 'call-settle', toolCallId, outcome, error, ...hook });
}

/** Bytes reserved for the sentence that says how much was cut. */
const noteBytes = 160;

/** Most UTF-8 bytes that one unit of a string takes. */
const mostBytesOfUnit = 3;

/**
 * Cuts the result of a tool to the bytes that the tool or its agent allows. A longer result becomes text:
 * its beginning (of its JSON, unless it was text) and a sentence that tells the model how much was cut.
 */
export function cutResult(run: Run, tool: Tool | undefined, result: JsonValue): JsonValue {
  return cutToBytes(result, mostBytes(run, tool));
}

/** Cuts a result to so many bytes of JSON, as {@link cutResult} does. */
export function cutToBytes(result: JsonValue, most: number): JsonValue {
  if (most === Infinity) return result;
  const json = JSON.stringify(result);
  if (json.length * mostBytesOfUnit <= most) return result;
  const bytes = textBytes(json);
  if (bytes <= most) return result;
  return cutText(typeof result === 'string' ? result : json, bytes, most);
}

/** Cuts an error message like a result, because the model receives it. */
export function cutError(run: Run, tool: Tool | undefined, error: ErrorInfo): ErrorInfo {
  const message = cutResult(run, tool, error.message);
  return message === error.message ? error : { ...error, message: message as string };
}

/** The tool of a name; undefined when it is no longer offered. */
export function toolNamed(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.name === anyName);
}

function mostBytes(run: Run, tool: Tool | undefined): number {
  return tool?.maxResultBytes ?? run.agent.maxResultBytes ?? Infinity;
}

/** The part of a text that fits into the given bytes of JSON, followed by the sentence. */
function cutText(text: string, total: number, most: number): string {
  const room = Math.max(0, most - noteBytes);
  let kept = 0;
  let end = 0;
  for (const character of text) {
    const size = jsonBytes(character);
    if (kept + size > room) break;
    kept += size;
    end += character.length;
  }
  return `${text.slice(0, end)}\n[Cut: these are the first ${kept} bytes of a result of ${total}; ${total - kept} bytes are left out.]`;
}

/** Bytes of a character in JSON as UTF-8. */
function jsonBytes(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (character === '"' || character === '\\') return 2;
  if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) return 6;
  if (code < 0x80) return 1;
  return code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}
