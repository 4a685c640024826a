import type { Env } from '@vitrine/core/internal/graph/env';
import type { AgentState, ExecutionState } from '@vitrine/core/internal/graph/types';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import { mergeDeltas } from '@vitrine/core/internal/run/merge-deltas';
import type { Message } from '@vitrine/core/internal/graph/message';
import { nothing } from '@vitrine/core/internal/kit/memoize';
import { callOf, stateAtPath } from '@vitrine/core/internal/run/state-at';
import { equalJson } from '@vitrine/core/internal/kit/json';
import { type LiveRecord, replacedRun } from '@vitrine/core/internal/session/store/live-record';

/** The changes that one write stores. */
export type Taken = {
  readonly journalId: string;
  readonly events: readonly AgentChange[];
  readonly state: AgentState;
  readonly newRuns: readonly ExecutionState[];
  /** The ids of the commands taken since the last write. */
  readonly commands: readonly string[];
  /** True when the snapshot and its tail hold texts that were erased since, so both are written again. */
  readonly isWhole: boolean;
  /** True when earlier runs may hold erased texts too, so the store removes them. */
  readonly isErasing: boolean;
  /** The counters of journals and of erasures when the changes were taken. */
  readonly line: number;
  readonly erasure: number;
};

/** The number of command ids that are stored; newer ones replace older ones. */
const maxCommands = 200;

/** The changes of a session since the last successful write. */
export class ChangeLog {
  readonly #env: Env;
  /** The content of the next write, without the state after the last event. */
  #unsaved: Omit<Taken, 'state'> = {
    journalId: '',
    events: [],
    newRuns: [],
    commands: [],
    isWhole: false,
    isErasing: false,
    line: 0,
    erasure: 0,
  };
  #state: AgentState | null = null;
  /** The events since the last `take`. */
  #fresh: AgentChange[] = [];
  #length = 0;
  #since: number | null = null;

  constructor(env: Env) {
    this.#env = env;
  }

  /** The number of unsaved characters of answers, and the monotonic time of the oldest unsaved change. */
  get waiting(): { readonly length: number; readonly since: number | null } {
    return { length: this.#length, since: this.#since };
  }

  /** Begins a journal. Earlier changes are in its base, or are gone. */
  begin({ id, base }: { readonly id: string; readonly base: AgentState }): void {
    this.#unsaved = { ...this.#unsaved, journalId: id, events: [], line: this.#unsaved.line + 1 };
    this.#state = base;
    this.#fresh = [];
    this.#length = 0;
  }

  /** Records an event. @returns the messages whose former texts the event erased */
  onEvent(event: AgentChange, after: AgentState): readonly Message[] {
    const before = this.#state;
    this.#fresh.push(event);
    this.#since ??= this.#env.monotonic();
    const { erased, reach } = before === null ? nothingErased : erasureOf(before, event, after);
    if (reach === 'runs') this.erase();
    else if (reach === 'tail') this.#fold({});
    const isDelta = event.type === 'text-delta' || event.type === 'reasoning-delta';
    if (isDelta) this.#length += event.delta.length;
    const run = isDelta || before === null ? null : replacedRun(before, after);
    if (run !== null) this.#unsaved = { ...this.#unsaved, newRuns: [...this.#unsaved.newRuns, run] };
    this.#state = after;
    return erased;
  }

  /** Records the id of a command, which is stored with its effects. */
  command(id: string): void {
    const { commands } = this.#unsaved;
    if (!commands.includes(id))
      this.#unsaved = { ...this.#unsaved, commands: [...commands, id].slice(-maxCommands) };
  }

  /** Marks all earlier messages as erased, so that nothing of them stays stored. */
  erase(): void {
    this.#fold({ newRuns: [], isErasing: true });
  }

  restore({ replacedRuns: newRuns }: LiveRecord): void {
    this.#unsaved = { ...this.#unsaved, newRuns, isErasing: false, isWhole: false };
  }

  /** Returns all unsaved changes. They stay in the log, since a write may fail. */
  take(current: AgentState): Taken {
    // A taken batch is not merged again: `settle` removes it by its length.
    const events = [...this.#unsaved.events, ...(mergeDeltas(this.#fresh) as AgentChange[])];
    this.#unsaved = { ...this.#unsaved, events };
    this.#fresh = [];
    this.#length = 0;
    this.#since = null;
    return { ...this.#unsaved, state: this.#state ?? current };
  }

  /** Removes the changes that a write stored; later ones stay. */
  settle(taken: Taken, isSaved: boolean): void {
    const { commands, events, line, erasure, newRuns } = this.#unsaved;
    this.#unsaved = {
      ...this.#unsaved,
      commands: commands.filter((id) => !taken.commands.includes(id)),
      events: taken.line === line ? events.slice(taken.events.length) : events,
      ...(isSaved && taken.erasure === erasure
        ? { newRuns: newRuns.slice(taken.newRuns.length), isErasing: false, isWhole: false }
        : {}),
    };
  }

  #fold(erased: Partial<Taken>): void {
    this.#unsaved = { ...this.#unsaved, ...erased, isWhole: true, erasure: this.#unsaved.erasure + 1 };
  }
}

/** The messages whose texts an event erased, and the part of the stored session that may hold those texts. */
type Erasure = { readonly erased: readonly Message[]; readonly reach: 'none' | 'tail' | 'runs' };

const nothingErased: Erasure = { erased: nothing, reach: 'none' };
const tailErased: Erasure = { erased: nothing, reach: 'tail' };

function erasureOf(before: AgentState, event: AgentChange, after: AgentState): Erasure {
  // A call that was still to run kept its input until now.
  if (event.type === 'step-end') return changesCalls(before, event, after) ? tailErased : nothingErased;
  if (event.type === 'call-change') return replacesCall(before, event, after) ? tailErased : nothingErased;
  if (event.type !== 'section-change' || event.erased === undefined) return nothingErased;
  const agent = stateAtPath(before, event.path);
  const erased = agent === null ? nothing : messagesOf(agent, new Set(event.erased));
  const executionId = before.execution?.executionId;
  // Messages of the current run are in no earlier run.
  const isOwn =
    event.path.length > 0 || erased.every(({ metadata }) => metadata['execution_id'] === executionId);
  return { erased, reach: isOwn ? 'tail' : 'runs' };
}

function messagesOf({ context }: AgentState, ids: ReadonlySet<string>): readonly Message[] {
  return context.store.sections.flatMap(({ messages }) => messages.filter(({ id }) => ids.has(id)));
}

function changesCalls(before: AgentState, { path }: AgentChange, after: AgentState): boolean {
  const inFlight = stateAtPath(before, path)?.execution?.currentStep?.toolExecutions ?? nothing;
  const archived = stateAtPath(after, path)?.execution?.stepExecutions.at(-1)?.step.toolExecutions;
  return inFlight.some(({ toolCall }, index) => archived?.[index]?.toolCall !== toolCall);
}

/** True when a call had another input, result or error before: the stored tail may hold its text. */
function replacesCall(
  before: AgentState,
  { path, toolCallId }: AgentChange & { readonly type: 'call-change' },
  after: AgentState,
): boolean {
  const [old, now] = [before, after].map((state) => callOf(stateAtPath(state, path) ?? state, toolCallId));
  if (!old || !now) return false;
  const isOther = (one: unknown, other: unknown): boolean =>
    one !== undefined && one !== null && !equalJson(one, other ?? null);
  return (
    isOther(old.toolCall, now.toolCall) || isOther(old.result, now.result) || isOther(old.error, now.error)
  );
}

/** The shortest time between two writes of text, in milliseconds, when enough text is pending. */
const textMs = 500;
/** The number of pending characters that is enough. */
const textLength = 512;
/** The longest time that text stays unsaved, in milliseconds. */
const longestMs = 2000;

/** The events that are written at once, because losing them costs more than a moment of text. */
const atOnce: ReadonlySet<AgentChange['type']> = new Set<AgentChange['type']>([
  'execution-start',
  'execution-pause',
  'execution-resume',
  'execution-end',
  'step-end',
  'approval-request',
  'approval-answer',
  'approval-remember',
  'output-request',
  'tool-start',
  'tool-end',
  'call-settle',
  'subagent-start',
  'subagent-end',
]);

type Waiting = {
  /** The number of unsaved characters of answers. */
  readonly length: number;
  /** The age of the oldest unsaved change, in milliseconds. */
  readonly ageMs: number;
  /** The time since the last write began, in milliseconds. */
  readonly sinceWriteMs: number;
};

/** Returns the delay of the next write after an event, in milliseconds. */
export function writeDue(event: AgentChange, { length, ageMs, sinceWriteMs }: Waiting): number {
  if (isAtOnce(event)) return 0;
  return Math.max(0, length >= textLength ? textMs - sinceWriteMs : longestMs - ageMs);
}

/** True when an event may need an earlier write than those before it. Called for every delta. */
export function isSooner(event: AgentChange, lengthBefore: number, length: number): boolean {
  return (lengthBefore < textLength && length >= textLength) || isAtOnce(event);
}

function isAtOnce(event: AgentChange): boolean {
  return atOnce.has(event.type) || (event.type === 'message-add' && event.source === 'user');
}

/** The first and the longest pause before a failed read or write is repeated, in milliseconds. */
export const retryMs = { first: 1000, longest: 30_000 };

/** The single timer of a saver. */
export class SaveClock {
  readonly #env: Env;
  readonly #write: () => void;
  #timer: { readonly due: number; readonly cancel: () => void } | null = null;
  #failures = 0;
  #lastWrite = -Infinity;
  #isRetrying = false;

  constructor(env: Env, write: () => void) {
    this.#env = env;
    this.#write = write;
  }

  get isSet(): boolean {
    return this.#timer !== null;
  }

  /** The time since the last write began, in milliseconds. */
  get sinceWriteMs(): number {
    return this.#env.monotonic() - this.#lastWrite;
  }

  /**
   * Schedules a write after `ms` milliseconds unless an earlier one is set. While a retry is pending, it does nothing.
   */
  request(ms: number): void {
    if (!this.#isRetrying) this.hurry(ms);
  }

  /** Schedules a write as `request` does, even while a retry is pending. */
  hurry(ms: number): void {
    const due = this.#env.monotonic() + ms;
    if (this.#timer !== null && this.#timer.due <= due) return;
    this.stop();
    const cancel = this.#env.schedule(ms, () => {
      this.stop();
      this.#write();
    });
    this.#timer = { due, cancel };
  }

  /** Schedules a retry; the pause doubles with every failure in a row. */
  retry(): void {
    this.hurry(Math.min(retryMs.longest, retryMs.first * 2 ** this.#failures++));
    this.#isRetrying = true;
  }

  /** Resets the count of failures after a successful write. */
  noteSuccess(): void {
    this.#failures = 0;
  }

  /** Cancels the timer because a write begins now. */
  began(): void {
    this.stop();
    this.#lastWrite = this.#env.monotonic();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#isRetrying = false;
  }
}
