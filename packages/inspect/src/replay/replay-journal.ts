import { type Env, systemEnv } from '@vitrine/core/internal/graph/env';
import { AgentStopError } from '@vitrine/core/internal/graph/agent-stop-error';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { fold } from '@vitrine/core/internal/run/apply';
import type { AgentChange, AgentEventBody } from '@vitrine/core/internal/run/events';
import { needsRun } from '@vitrine/core/internal/run/answer-call';
import { createJournal, type Journal, type JournalLease } from '@vitrine/core/internal/run/journal';
import { stateAtPath } from '@vitrine/core/internal/run/state-at';
import {
  answers,
  barriers,
  changesNothing,
  comparable,
  describe,
  isOfApplication,
  normalizedEvent,
  promptOf,
  slotOf,
  soft,
  sourceOf,
  waits,
} from './compare.ts';
import { type Divergence, firstDifference } from './divergence.ts';
import { type ExternalInputs, externalInputsIn, isLastResult } from './external-inputs.ts';
import type { ReadJournal } from './journal-document.ts';

export type ReplayJournalOptions = {
  /** True for a recording without secrets. */
  readonly isMasked: boolean;
  /** Number of events before the first trace of an abort at which it is triggered. */
  readonly abortsBefore: number;
  /** True to trigger an abort when the work that the last event began is in flight; false for at once. */
  readonly isAbortLate: boolean;
  /** Called where the recording was aborted. */
  readonly onAbort: (reason: AgentStopError) => void;
  /** Called with every event that was taken, and at the first difference. */
  readonly onMove: () => void;
};

type Difference = Pick<Divergence, 'path' | 'recorded' | 'now'> & Partial<Pick<Divergence, 'source'>>;

/** The indexes of an agent's events, and the position of the first that was not repeated. */
type OwnEvents = { readonly indexes: number[]; firstOpen: number };

/**
 * A recording during its replay. It takes the recorded events in place of those that the loop commits, which are
 * compared with them. Answers wait for their turn, so that parallel calls end in the recorded order.
 */
export class ReplayJournal {
  readonly base: AgentState;
  readonly events: readonly AgentChange[];
  readonly inputs: ExternalInputs;
  readonly lease: JournalLease;
  readonly env: Env;
  /** Index of the latest event with which the work of a key began. */
  readonly begun = new Map<string, number>();
  /** The first index whose event was not taken. */
  place = 0;
  /** The first difference; null while there is none. */
  divergence: Divergence | null = null;
  readonly #journal: Journal;
  readonly #options: ReplayJournalOptions;
  readonly #byAgent = new Map<string, OwnEvents>();
  readonly #taken = new Set<number>();
  /** Indexes of the events that the loop has repeated. An event may be taken before it is repeated. */
  readonly #repeated = new Set<number>();
  /** The answers that wait for their turn, by index. */
  readonly #waiting = new Map<number, () => void>();
  #now: number;
  #isInOrder = true;
  #isRetrying = false;
  #isStuck = false;

  constructor({ base, events }: ReadJournal, options: ReplayJournalOptions) {
    this.events = events;
    this.base = base;
    this.#options = options;
    this.inputs = externalInputsIn(events);
    this.#now = base.updatedAt;
    for (const [index, { path }] of events.entries()) this.#own(path.join('/')).indexes.push(index);
    this.env = {
      ...systemEnv,
      now: () => Math.max(this.#now, events[this.place]?.at ?? this.#now),
      schedule: (ms, callback) => {
        // The answer of the next attempt is known, so a retry is not delayed.
        const delay = this.#isRetrying ? 0 : ms;
        this.#isRetrying = false;
        return systemEnv.schedule(delay, callback);
      },
    };
    this.#journal = createJournal(base, { env: this.env });
    this.lease = {
      state: this.#journal.state,
      subscribe: this.#journal.subscribe,
      commit: (path, body) => this.#commit(path, body),
      emit: (_path, { type }) => void (this.#isRetrying = type === 'inference-retry'),
    };
  }

  get state(): AgentState {
    return this.#isInOrder ? this.#journal.state() : fold(this.base, this.events);
  }

  /** True when the recording was aborted from outside. */
  get hasAborts(): boolean {
    return this.inputs.aborts.size > 0;
  }

  /** True when all events of a recording were taken that ends in the middle of a run. */
  get isOver(): boolean {
    const { execution } = this.#journal.state();
    const isCut = execution?.status === 'in-progress' && execution.waitingSince === null;
    return this.place >= this.events.length && isCut;
  }

  /** Takes events of others while they are next. */
  advance(): void {
    while (this.divergence === null && this.inputs.given.has(this.place)) this.#take(this.place);
    this.#releaseDue();
  }

  /** Takes everything of others while nobody runs. A recorded wait that the replay did not need is skipped. */
  rest(): void {
    for (this.advance(); this.#isWait(this.place) && !needsRun(this.#journal.state()); this.advance())
      this.#skip(this.place);
  }

  /** Index of an act before an end, when the agents have repeated all that they did before the act; -1 for none. */
  dueAct(end: number): number {
    for (let index = this.place; index < end; index++) {
      if (this.#taken.has(index) || this.#isWait(index)) continue;
      if (!this.inputs.given.has(index)) return -1;
      if (answers.has(this.events[index]!.type) && this.#isPossible(index)) return index;
    }
    return -1;
  }

  /** Takes a due act before anything else, and passes over waits before it. */
  hasten(act: number): void {
    for (let at = this.place; at < act; at++) if (this.#isWait(at) && !this.#taken.has(at)) this.#skip(at);
    // No timer, because a run without other work asks again at once.
    queueMicrotask(() => this.advance());
  }

  /**
   * Takes at once what comes from tools and clocks, and the acts of a person or the application when the run rests: it
   * has then done all that it does without them. An act before a later event of the run is taken with that event.
   */
  #follow(): void {
    const { given, instant } = this.inputs;
    while (this.divergence === null && instant.has(this.place)) this.#take(this.place);
    this.#releaseDue();
    const { place } = this;
    const follow = (): void => void (this.place === place && this.advance());
    let next = place;
    while (given.has(next)) next++;
    if (next > place && isLastResult(this.events, next)) queueMicrotask(follow);
    else if (next > place) systemEnv.schedule(0, follow);
  }

  #releaseDue(): void {
    for (const index of this.#waiting.keys()) if (index <= this.place) this.#release(index);
  }

  #isWait(index: number): boolean {
    return waits.has(this.events[index]?.type ?? '');
  }

  #skip(index: number): void {
    this.#isInOrder = false;
    this.#repeated.add(index);
    this.#settle(index);
  }

  /** Resolves when every event before the index was taken. */
  turn(index: number): Promise<void> {
    if (index <= this.place) return Promise.resolve();
    const turn = new Promise<void>((resolve) => this.#waiting.set(index, resolve));
    this.#follow();
    return turn;
  }

  /** True for an event that the loop has repeated, and for one that it does not repeat. */
  isRepeated(index: number): boolean {
    return this.#repeated.has(index) || this.inputs.given.has(index);
  }

  /** Waits until the run is aborted, for work that never ended. */
  untilAbort(): Promise<never> {
    this.#isStuck = true;
    return new Promise(() => undefined);
  }

  /** Passes over a wait, or releases the next answer although an earlier event is missing; used when nothing moves. */
  nudge(): void {
    if (this.#isWait(this.place)) {
      this.#skip(this.place);
      this.#follow();
    } else if (this.#waiting.size > 0) this.#release(Math.min(...this.#waiting.keys()));
    else if (this.#isStuck) this.giveUp();
  }

  /** Ends a replay in which nothing moves: the next recorded event becomes the difference. */
  giveUp(): void {
    this.#missRecorded(this.events[this.place]);
  }

  /** Makes an event that was recorded and not repeated the difference. */
  close(): void {
    const undone = this.events.find(
      (event, index) =>
        !this.#taken.has(index) &&
        !soft.has(event.type) &&
        !isOfApplication(event) &&
        !changesNothing(this.#journal.state(), event),
    );
    if (undone) this.#missRecorded(undone);
  }

  diverge(at: { readonly path: readonly string[] }, what: string, found: Difference): void {
    const execution = stateAtPath(this.#journal.state(), at.path)?.execution ?? null;
    const stepNumber = execution === null ? null : execution.stepExecutions.length + 1;
    this.divergence ??= { stepNumber, agent: at.path, what, source: null, ...found };
    this.#options.onMove();
  }

  #commit(path: readonly string[], body: AgentEventBody): AgentChange | null {
    if (this.divergence !== null || stateAtPath(this.#journal.state(), path) === null) return null;
    const index = this.#find(path.join('/'), body);
    const recorded = index === null ? undefined : this.events[index];
    if (index === null || recorded === undefined) return this.#commitUnrecorded(path, body);
    if (recorded.type === 'inference-start' && !this.#isSamePrompt(recorded, body)) return null;
    for (let before = this.place; before < index; before++)
      if (this.inputs.given.has(before) && this.#isPossible(before)) this.#take(before);
    if (barriers.has(recorded.type) && !this.#isDoneBefore(path.join('/'), index)) return null;
    this.#repeated.add(index);
    this.#take(index);
    if (recorded.type === 'inference-start' || recorded.type === 'tool-start')
      this.begun.set(recorded.key, index);
    this.#follow();
    return this.divergence === null ? recorded : null;
  }

  /** Commits an unrecorded event that changes nothing or depends on timing; another one is the difference. */
  #commitUnrecorded(path: readonly string[], body: AgentEventBody): AgentChange | null {
    if (this.isOver) return null;
    if (!soft.has(body.type) && !changesNothing(this.#journal.state(), { ...body, path, seq: 0, at: 0 })) {
      this.#missNow(path, body);
      return null;
    }
    this.#isInOrder = false;
    return this.#journal.commit(path, body);
  }

  /** The index of the recorded event that the loop repeats; null when there is none in its group. */
  #find(agent: string, body: AgentEventBody): number | null {
    const wanted = this.#keyOf(body);
    const isRepeated = (index: number): boolean => {
      const event = this.events[index] as AgentChange;
      if (slotOf(event) !== slotOf(body) || this.#keyOf(event) !== wanted) return false;
      return !this.#isWait(index) || this.isNext(agent, index);
    };
    return this.openIndexes(agent).find(isRepeated) ?? null;
  }

  /** True for an event of an agent that has repeated everything before it, and nothing behind it. */
  isNext(agent: string, next: number): boolean {
    return this.#own(agent).indexes.every((index) => {
      const isLoose = soft.has(this.events[index]!.type) || this.inputs.given.has(index);
      return isLoose || index === next || index < next === this.#repeated.has(index);
    });
  }

  /** The indexes of the events that an agent may repeat next, up to a separating one. */
  openIndexes(agent: string): readonly number[] {
    const own = this.#own(agent);
    const isOpen = (index: number): boolean => !this.#repeated.has(index);
    while (own.firstOpen < own.indexes.length && !isOpen(own.indexes[own.firstOpen] as number))
      own.firstOpen++;
    const found: number[] = [];
    for (let at = own.firstOpen; at < own.indexes.length; at++) {
      const index = own.indexes[at] as number;
      if (isOpen(index)) found.push(index);
      if (isOpen(index) && barriers.has(this.events[index]!.type) && !this.inputs.given.has(index)) break;
    }
    return found;
  }

  #keyOf(event: AgentEventBody): string {
    return JSON.stringify(comparable(normalizedEvent(event), this.#options.isMasked));
  }

  /** True when a model call equals the recorded one; otherwise it is the difference. */
  #isSamePrompt(recorded: AgentChange, body: AgentEventBody): boolean {
    const { seq, at, path } = recorded;
    const { isMasked } = this.#options;
    const root = this.#journal.state();
    const now = promptOf(root, { ...body, seq, at, path }, isMasked);
    const found = firstDifference(promptOf(root, recorded, isMasked), now);
    if (found !== null) this.diverge(recorded, 'the prompt', found);
    return found === null;
  }

  /** True when an agent has repeated all its events before an index. Nothing is skipped across a separating event. */
  #isDoneBefore(agent: string, end: number): boolean {
    for (const index of this.#own(agent).indexes) {
      if (index >= end) break;
      const event = this.events[index] as AgentChange;
      if (this.#taken.has(index)) continue;
      if (soft.has(event.type)) {
        this.#skip(index);
      } else if (isOfApplication(event) || changesNothing(this.#journal.state(), event)) this.#take(index);
      else {
        this.#missRecorded(event);
        return false;
      }
    }
    return true;
  }

  /** Takes a recorded event; when events came in another order, it gets the next number. */
  #take(index: number): void {
    const event = this.events[index];
    if (event === undefined || this.#taken.has(index)) return;
    const { seq: _seq, at, path, ...body } = event;
    this.#now = at;
    this.#isInOrder &&= this.#journal.take(event);
    // When events came in another order, the agent may be gone; then the event changes nothing.
    if (!this.#isInOrder) this.#journal.commit(path, body as AgentEventBody);
    this.#settle(index);
    const signal = this.inputs.aborts.get(this.#taken.size + this.#options.abortsBefore);
    if (signal) this.#abort(new AgentStopError(signal));
    this.#options.onMove();
  }

  #abort(reason: AgentStopError): void {
    const { isAbortLate, onAbort } = this.#options;
    if (isAbortLate) systemEnv.schedule(0, () => onAbort(reason));
    else onAbort(reason);
  }

  #settle(index: number): void {
    this.#taken.add(index);
    while (this.#taken.has(this.place)) this.place++;
  }

  #release(index: number): void {
    const resolve = this.#waiting.get(index);
    this.#waiting.delete(index);
    resolve?.();
  }

  #own(agent: string): OwnEvents {
    const known = this.#byAgent.get(agent) ?? { indexes: [], firstOpen: 0 };
    this.#byAgent.set(agent, known);
    return known;
  }

  /** True when every question and breakpoint was reached before which a person cannot act. */
  #isPossible(index: number): boolean {
    return (this.inputs.needs.get(index) ?? []).every((before) => this.#taken.has(before));
  }

  /** Reports an event of the loop that has no equal in the recording. */
  #missNow(path: readonly string[], body: AgentEventBody): void {
    const open = this.#own(path.join('/')).indexes.filter(
      (index) => !this.#repeated.has(index) && !this.inputs.given.has(index),
    );
    const near = open.find((index) => slotOf(this.events[index] as AgentChange) === slotOf(body)) ?? open[0];
    const recorded = near === undefined ? undefined : this.events[near];
    const source = sourceOf(body) ?? (recorded ? sourceOf(recorded) : null);
    if (recorded?.type !== body.type) {
      const found = { path: '', source, recorded: recorded ? describe(recorded) : null, now: describe(body) };
      return this.diverge({ path }, 'what the agent does', found);
    }
    const { isMasked } = this.#options;
    const found = firstDifference(
      comparable(normalizedEvent(recorded), isMasked),
      comparable(normalizedEvent(body), isMasked),
    );
    const differing = found ?? { path: '', recorded: describe(recorded), now: null };
    this.diverge({ path }, describe(body), { ...differing, source });
  }

  /** Reports an event of the recording that the loop does not repeat. */
  #missRecorded(event: AgentChange | undefined): void {
    const [source, recorded] = event ? [sourceOf(event), describe(event)] : [null, null];
    this.diverge(event ?? { path: [] }, 'what the agent does', { path: '', source, recorded, now: null });
  }
}
