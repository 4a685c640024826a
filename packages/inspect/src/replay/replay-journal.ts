import { type Env, systemEnv } from '@vitrine/core/internal/graph/env';
import type { Message } from '@vitrine/core/internal/graph/message';
import { AgentStopError } from '@vitrine/core/internal/graph/agent-stop-error';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { fold } from '@vitrine/core/internal/run/apply';
import type { AgentChange, AgentEventBody } from '@vitrine/core/internal/run/events';
import { createJournal, type Journal, type JournalLease } from '@vitrine/core/internal/run/journal';
import { stateAtPath } from '@vitrine/core/internal/run/state-at';
import {
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
} from './compare.ts';
import { type Divergence, firstDifference } from './divergence.ts';
import { type ExternalInputs, externalInputsIn } from './external-inputs.ts';
import type { ReadJournal } from './journal-document.ts';

/** Options of a replay's journal. */
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

/** A difference, and its path. */
type Difference = Pick<Divergence, 'path' | 'recorded' | 'now'> & Partial<Pick<Divergence, 'source'>>;

/** The indexes of an agent's events, and the position of the first that was not repeated. */
type OwnEvents = { readonly indexes: number[]; firstOpen: number };

/**
 * A recording during its replay. Its journal takes the recorded events with their stamps. An event that the loop
 * commits is compared with the recorded events of its agent, and the recorded one is taken in its place. Answers of
 * models and tools wait for their turn, so that parallel calls end in the recorded order.
 */
export class ReplayJournal {
  readonly events: readonly AgentChange[];
  readonly lease: JournalLease;
  readonly env: Env;
  /** Index of the latest event with which the work of a key began. */
  readonly begun = new Map<string, number>();
  /** The first index whose event was not taken. */
  place = 0;
  /** The first difference; null while there is none. */
  divergence: Divergence | null = null;
  readonly #base: AgentState;
  readonly #journal: Journal;
  readonly #options: ReplayJournalOptions;
  readonly #inputs: ExternalInputs;
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
    this.#base = base;
    this.#options = options;
    this.#inputs = externalInputsIn(events);
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

  /** The state with which the recording ended. */
  get state(): AgentState {
    return this.#isInOrder ? this.#journal.state() : fold(this.#base, this.events);
  }

  /** True when the recording was aborted from outside. */
  get hasAborts(): boolean {
    return this.#inputs.aborts.size > 0;
  }

  /** True when all events of a recording were taken that ends in the middle of a run. */
  get isOver(): boolean {
    const { execution } = this.#journal.state();
    const isCut = execution?.status === 'in-progress' && execution.waitingSince === null;
    return this.place >= this.events.length && isCut;
  }

  /** Takes events of others while they are next. @param isUrgent True to take answers that must wait as well. */
  advance(isUrgent = false): void {
    const isNext = (): boolean => this.divergence === null && this.#inputs.given.has(this.place);
    while (isNext() && (isUrgent || !this.#mustWait(this.place))) this.#take(this.place);
    for (const index of this.#waiting.keys()) if (index <= this.place) this.#release(index);
  }

  /** Resolves when every event before the index was taken. */
  turn(index: number): Promise<void> {
    if (index <= this.place) return Promise.resolve();
    const turn = new Promise<void>((resolve) => this.#waiting.set(index, resolve));
    this.advance();
    return turn;
  }

  /** The events of an agent that were not repeated. */
  open(path: readonly string[]): readonly AgentChange[] {
    const { indexes } = this.#own(path.join('/'));
    return indexes.flatMap((at) => (this.#repeated.has(at) ? [] : (this.events[at] ?? [])));
  }

  /** Waits until the run is aborted, for work that never ended. */
  untilAbort(): Promise<never> {
    this.#isStuck = true;
    return new Promise(() => undefined);
  }

  /** The messages that a person added after the step that has just ended. */
  takeSteered(): readonly Message[] {
    const last = this.#own('').indexes.findLast(
      (index) => this.#repeated.has(index) && this.events[index]?.type === 'step-end',
    );
    const indexes = last === undefined ? [] : (this.#inputs.steered.get(last) ?? []);
    return indexes
      .filter((index) => !this.#repeated.has(index))
      .flatMap((index) => {
        const event = this.events[index];
        return event?.type === 'message-add' ? [event.message] : [];
      });
  }

  /** Releases the next waiting answer although an earlier event is missing; used when nothing moves. */
  nudge(): void {
    if (this.#waiting.size > 0) this.#release(Math.min(...this.#waiting.keys()));
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
      if (this.#inputs.given.has(before) && this.#isAsked(before)) this.#take(before);
    if (barriers.has(recorded.type) && !this.#isDoneBefore(path.join('/'), index)) return null;
    this.#repeated.add(index);
    this.#take(index);
    if (recorded.type === 'inference-start' || recorded.type === 'tool-start')
      this.begun.set(recorded.key, index);
    this.advance();
    return this.divergence === null ? recorded : null;
  }

  /** Commits an unrecorded event that changes nothing or depends on timing; another one is the difference. */
  #commitUnrecorded(path: readonly string[], body: AgentEventBody): AgentChange | null {
    if (this.isOver) return null;
    if (body.type === 'approval-request') {
      const decision = this.#rememberedFor(path.join('/'), body.toolCallId);
      if (decision !== null) return this.#answerAsked(path, body, decision);
    }
    if (!soft.has(body.type) && !changesNothing(this.#journal.state(), { ...body, path, seq: 0, at: 0 })) {
      this.#missNow(path, body);
      return null;
    }
    this.#isInOrder = false;
    const committed = this.#journal.commit(path, body);
    // A run that waits needs its answers now.
    if (committed !== null) this.advance(true);
    return committed;
  }

  /**
   * The remembered decision that answered a call in the recording; null for a call that was asked about, or never
   * decided. The replay may ask about it, because the decision is taken a moment later than in the recording.
   */
  #rememberedFor(agent: string, toolCallId: string): 'approved' | 'rejected' | null {
    const own = this.#own(agent).indexes.filter((index) => {
      const event = this.events[index] as AgentChange;
      return 'toolCallId' in event && event.toolCallId === toolCallId;
    });
    const call = own.map((index) => this.events[index]).find((event) => event?.type === 'tool-call');
    const next = own.find((index) => !this.#repeated.has(index));
    if (call?.type !== 'tool-call' || next === undefined) return null;
    if (own.some((index) => this.events[index]?.type === 'approval-request')) return null;
    const said = this.events.findLast(
      (event, index) =>
        index < next && event.type === 'approval-remember' && event.toolName === call.toolName,
    );
    return said?.type === 'approval-remember' ? said.decision : null;
  }

  /** Commits a question that was not recorded, and its answer. */
  #answerAsked(
    path: readonly string[],
    body: AgentEventBody & { readonly type: 'approval-request' },
    decision: 'approved' | 'rejected',
  ): AgentChange | null {
    this.#isInOrder = false;
    const asked = this.#journal.commit(path, body);
    const { toolCallId } = body;
    const answer = { type: 'approval-answer' as const, toolCallId, decision, comment: null, isEdited: false };
    systemEnv.schedule(0, () => void this.#journal.commit(path, answer));
    return asked;
  }

  /** The index of the recorded event that the loop repeats; null when there is none in its group. */
  #find(agent: string, body: AgentEventBody): number | null {
    const own = this.#own(agent);
    const wanted = this.#keyOf(body);
    const isOpen = (at: number): boolean => !this.#repeated.has(own.indexes[at] as number);
    while (own.firstOpen < own.indexes.length && !isOpen(own.firstOpen)) own.firstOpen++;
    for (let at = own.firstOpen; at < own.indexes.length; at++) {
      const index = own.indexes[at] as number;
      const event = this.events[index] as AgentChange;
      if (!isOpen(at)) continue;
      if (slotOf(event) === slotOf(body) && this.#keyOf(event) === wanted) return index;
      if (barriers.has(event.type) && !this.#inputs.given.has(index)) return null;
    }
    return null;
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
        this.#isInOrder = false;
        this.#settle(index);
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
    const signal = this.#inputs.aborts.get(this.#taken.size + this.#options.abortsBefore);
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

  /** True when the call of an answer has reached its question, before which nobody can answer. */
  #isAsked(index: number): boolean {
    const answer = this.events[index] as AgentChange;
    if (!('toolCallId' in answer)) return true;
    const last = this.#own(answer.path.join('/')).indexes.findLast((before) => {
      const event = this.events[before] as AgentChange;
      return before < index && 'toolCallId' in event && event.toolCallId === answer.toolCallId;
    });
    return last === undefined || this.#taken.has(last);
  }

  /**
   * True when an answer must wait. Taken too early, it would keep the run from its earlier work. It is taken once a
   * later event shows that it was seen, or when somebody waits for the next event.
   */
  #mustWait(index: number): boolean {
    const answer = this.events[index] as AgentChange;
    if (answer.type !== 'approval-answer' && answer.type !== 'tool-end') return false;
    let next = index;
    for (; this.#inputs.given.has(next) || this.#taken.has(next); next++)
      // A remembered decision applies to the calls beside it as well.
      if (this.events[next]?.type === 'approval-remember') return false;
    const event = this.events[next];
    if (event === undefined || this.#waiting.has(next) || event.type === 'execution-resume') return false;
    return !('toolCallId' in event) || event.toolCallId !== answer.toolCallId;
  }

  /** Reports an event of the loop that has no equal in the recording. */
  #missNow(path: readonly string[], body: AgentEventBody): void {
    const open = this.#own(path.join('/')).indexes.filter(
      (index) => !this.#repeated.has(index) && !this.#inputs.given.has(index),
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
