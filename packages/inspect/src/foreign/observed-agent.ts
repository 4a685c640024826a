import { type AgentState, ErrorInfo, type FilePart, StopSignal, type StopReason } from '@vitrine/core';
import type { Env } from '@vitrine/core/internal/graph/env';
import type { AgentEventBody, FinishReason, ToolOutcome } from '@vitrine/core/types';
import { bridgeTexts } from './bridge-texts.ts';
import { idOf, jsonOf, parsedJson } from './foreign-values.ts';
import {
  type ModelCallFacts,
  inferenceEnd,
  inferenceStart,
  newStep,
  type ObservedCall,
  type ObservedStep,
} from './observed-step.ts';

export type CallResult = {
  readonly outcome: ToolOutcome;
  readonly output?: unknown;
  /** The reason of an outcome that is no result. */
  readonly error?: string;
};

type CallEvent = Parameters<typeof bridgeTexts.withoutCall>[0];

/** The reason of the stop signal at each end. */
const reasons = {
  completed: 'completed',
  stopped: 'user-requested',
  failed: 'error-forbade',
} as const satisfies Readonly<Record<string, StopReason>>;

/** The connection of a watched agent to its journal. */
export type AgentLink = {
  readonly commit: (body: AgentEventBody) => void;
  /** The agent in the journal. */
  readonly state: () => AgentState | null;
  /** Counts an event of the stream that has no place in the journal. */
  readonly skip: (what: string) => void;
  readonly env: Env;
  /** A step has ended with an answer; `facts` are all that is told of its model call. */
  readonly onAnswer: (facts: ModelCallFacts) => void;
};

/**
 * Turns what a foreign stream tells of one agent into the events of our journal: steps, answers, calls and their ends.
 * Events in the wrong order are put in order where their meaning is clear, and counted as skipped elsewhere.
 */
export class ObservedAgent {
  readonly #link: AgentLink;
  readonly #source: string;
  readonly #calls = new Map<string, ObservedCall>();
  #step: ObservedStep | null = null;
  #steps = 0;
  #nextFacts: ModelCallFacts = {};

  constructor(link: AgentLink, source: string) {
    this.#link = link;
    this.#source = source;
  }

  /** True while calls of the last step wait for a person or for the page. */
  get isWaiting(): boolean {
    return this.#keysOfCalls(['waiting']).length > 0;
  }

  /** The id of the model call of the step in flight; null for none. */
  get inferenceId(): string | null {
    return this.#step?.inferenceId ?? null;
  }

  get stepCount(): number {
    return this.#steps;
  }

  begin(): void {
    const executionId = idOf();
    this.#step = null;
    this.#steps = 0;
    this.#link.commit({ type: 'execution-start', executionId, model: null, forgottenPlugins: [] });
  }

  /** Takes facts for the step in flight, or for the next one. */
  addFacts(facts: ModelCallFacts): void {
    const step = this.#step;
    if (step === null) {
      this.#nextFacts = { ...this.#nextFacts, ...facts };
      return;
    }
    step.facts = { ...step.facts, ...facts };
    if (step.answer === 'ended') step.answer = 'grown';
  }

  /** Begins a step, unless the one in flight has not answered yet. */
  beginStep(): void {
    const step = this.#step;
    if (step !== null && step.parts === 0 && step.answer === 'open') return;
    for (const key of this.#keysOfCalls(['waiting'])) this.settle(key, { outcome: 'interrupted' });
    if (step !== null) this.endStep();
    this.#step = newStep(this.#link.env.monotonic(), this.#nextFacts);
    this.#nextFacts = {};
    this.#steps++;
    this.#link.commit({ type: 'step-start', stepId: this.#step.id });
    this.#startInference();
  }

  /** Forgets what the step in flight has answered so far. */
  resetStep(): void {
    const step = this.#step;
    if (step === null) return this.#link.skip(bridgeTexts.resetOutside);
    for (const [key, call] of this.#calls) if (call.stepId === step.id) this.#calls.delete(key);
    for (const texts of Object.values(step.texts)) texts.clear();
    step.calls.clear();
    Object.assign(step, { parts: 0, answer: 'open', firstDeltaMs: null, attempt: step.attempt + 1 });
    this.#startInference();
  }

  text(key: string, delta: string, type: 'text-delta' | 'reasoning-delta' = 'text-delta'): void {
    if (delta === '') return;
    const step = this.#stepForContent();
    const texts = step.texts[type];
    let partId = texts.get(key);
    if (partId === undefined) texts.set(key, (partId = String(step.parts++)));
    this.#noteContent(step);
    this.#link.commit({ type, partId, delta });
  }

  file(part: FilePart): void {
    const step = this.#stepForContent();
    step.parts++;
    this.#noteContent(step);
    this.#link.commit({ type: 'file', part });
  }

  cite(source: { readonly id: string; readonly url: string | null; readonly title: string | null }): void {
    const step = this.#stepForContent();
    step.parts++;
    this.#noteContent(step);
    this.#link.commit({ type: 'source', part: { type: 'source', ...source } });
  }

  startCall(key: string, name: string): void {
    if (this.#step?.calls.has(key) === true) return;
    const step = this.#stepForContent();
    if (this.#calls.has(key)) this.#link.skip(bridgeTexts.repeatedCall);
    const call: ObservedCall = { id: idOf(), stepId: step.id, name, args: '', state: 'open' };
    this.#calls.set(key, call);
    step.calls.set(key, call);
    this.#noteContent(step);
    this.#link.commit({ type: 'tool-call-start', toolCallId: call.id, toolName: name });
  }

  growCall(key: string, delta: string): void {
    const call = this.#calls.get(key);
    if (call?.state === 'open') call.args += delta;
    else this.#link.skip(bridgeTexts.lateArguments);
  }

  /** Completes the arguments of a call; without `input` they are those that came piece by piece. */
  giveCall(key: string, name: string | null, input?: unknown): void {
    if (!this.#calls.has(key) && name === null) return this.#link.skip(bridgeTexts.endOfUnknown);
    if (name !== null) this.startCall(key, name);
    const call = this.#calls.get(key);
    const step = this.#step;
    if (call === undefined || step === null || call.stepId !== step.id)
      return this.#link.skip(bridgeTexts.outsideStep);
    if (call.state !== 'open') return;
    call.state = 'given';
    step.parts++;
    this.#noteContent(step);
    this.#link.commit({
      type: 'tool-call',
      toolCallId: call.id,
      toolName: call.name,
      input: input === undefined ? parsedJson(call.args) : jsonOf(input),
      providerCallId: key,
    });
  }

  /** A tool runs; a call that the stream has not told of is given now. */
  start(key: string, name: string, input: unknown): void {
    if (!this.#calls.has(key)) this.giveCall(key, name, input);
    this.#startCallOnce(key, 'start');
  }

  /** The calls of the step in flight that nobody has run, as names and keys in their order. */
  unrunCalls(): readonly (readonly [name: string, key: string])[] {
    return this.#keysOfCalls(['given', 'waiting']).map((key) => [this.#calls.get(key)?.name ?? '', key]);
  }

  /** A tool reports before its end. */
  progress(key: string, value: unknown): void {
    const call = this.#startCallOnce(key, 'progress');
    if (call !== null)
      this.#link.commit({ type: 'tool-progress', toolCallId: call.id, progress: jsonOf(value) });
  }

  /** A call waits for a person (`approval`), or for the page to run it (`output`). */
  ask(key: string, what: 'approval' | 'output', reason: string | null = null): void {
    const call = this.#callInStep(key, what);
    if (call === null || call.state === 'waiting') return;
    call.state = 'waiting';
    const { id: toolCallId } = call;
    if (what === 'output') this.#link.commit({ type: 'output-request', toolCallId });
    else this.#link.commit({ type: 'approval-request', toolCallId, reason });
  }

  answer(key: string, isApproved: boolean, comment: string | null): void {
    const call = this.#calls.get(key);
    if (call?.state !== 'waiting') return this.#link.skip(bridgeTexts.unasked);
    call.state = 'given';
    const decision = isApproved ? 'approved' : 'rejected';
    this.#link.commit({ type: 'approval-answer', toolCallId: call.id, decision, comment, isEdited: false });
    if (!isApproved) this.settle(key, { outcome: 'rejected' });
  }

  settle(key: string, { outcome, output, error: message }: CallResult): void {
    const isRun = outcome === 'completed' || outcome === 'failed';
    const call = isRun ? this.#startCallOnce(key, 'result') : this.#callInStep(key, 'end');
    if (call === null) return;
    call.state = 'settled';
    const said = message ?? (outcome === 'failed' ? bridgeTexts.toolFailed : null);
    const error = said === null ? null : ErrorInfo.of(new Error(said));
    const toolCallId = call.id;
    if (isRun)
      this.#link.commit({
        type: 'tool-end',
        toolCallId,
        status: outcome,
        ...(outcome === 'completed' ? { result: jsonOf(output) } : {}),
        error,
        durationMs: null,
        pluginWrites: [],
      });
    this.#link.commit({ type: 'call-settle', toolCallId, outcome, error });
  }

  /** The id of the execution of a call that runs a subagent; null when the call is unknown. */
  delegate(key: string, name: string, child: AgentState): string | null {
    const call = this.#startCallOnce(key, 'subagent');
    if (call === null) return null;
    this.#link.commit({ type: 'subagent-start', toolCallId: call.id, name, child });
    return call.id;
  }

  endDelegation(key: string, status: 'completed' | 'stopped' | 'failed'): void {
    const call = this.#calls.get(key);
    if (call !== undefined) this.#link.commit({ type: 'subagent-end', toolCallId: call.id, status });
  }

  hasCall(key: string): boolean {
    return this.#calls.has(key);
  }

  isSettled(key: string): boolean {
    return this.#calls.get(key)?.state === 'settled';
  }

  /** Ends the step in flight when it has calls: the reason of an answer without them may still follow. */
  endStepWithCalls(): void {
    if ((this.#step?.calls.size ?? 0) > 0) this.endStep();
  }

  /** Ends the step in flight. It stays open while its calls wait for a person. */
  endStep(finishReason: FinishReason | null = null): void {
    const step = this.#step;
    if (step === null) return;
    if (finishReason !== null) step.facts = { ...step.facts, finishReason };
    if (this.isWaiting) return;
    for (const key of this.#keysOfCalls(['open'])) this.giveCall(key, null);
    if (step.answer !== 'ended') this.#endAnswer(step);
    if (!step.isCut) this.#link.onAnswer(step.facts);
    for (const key of this.#keysOfCalls(['given', 'running'])) this.settle(key, { outcome: 'interrupted' });
    this.#link.commit({
      type: 'step-end',
      resultMessageIds: Array.from(step.calls, () => idOf()),
      durationMs: this.#link.env.monotonic() - step.began,
      toolTrace: 'tagged',
    });
    this.#step = null;
  }

  /** Pauses the run until a person or the page answers; calls without a result wait for the page. */
  pause(): void {
    for (const key of this.#keysOfCalls(['given'])) this.ask(key, 'output');
    this.#link.commit({ type: 'execution-pause' });
  }

  resume(): void {
    this.#link.commit({ type: 'execution-resume' });
  }

  /** True when the last step has calls that nobody has run. */
  get hasUnrun(): boolean {
    return this.#keysOfCalls(['given', 'waiting']).length > 0;
  }

  /** Ends a run of which nothing more is told: its calls may have results, and its reason is not known. */
  endUntold(message: string): void {
    const untold = { outcome: 'stopped', error: bridgeTexts.resultUntold } as const;
    for (const key of this.#keysOfCalls(['given', 'running', 'waiting'])) this.settle(key, untold);
    this.#close('stopped', 'unknown', message);
  }

  end(status: 'completed' | 'stopped' | 'failed', message: string, error?: unknown): void {
    const outcome: ToolOutcome = status === 'stopped' ? 'stopped' : 'interrupted';
    for (const key of this.#keysOfCalls(['waiting'])) this.settle(key, { outcome });
    if (error !== undefined) this.#link.commit({ type: 'error-record', error: ErrorInfo.of(error) });
    this.#close(status, reasons[status], message);
  }

  #close(status: 'completed' | 'stopped' | 'failed', reason: StopReason, message: string): void {
    this.#breakOff(status);
    this.#link.commit({
      type: 'stop-signal',
      signal: StopSignal.of(reason, { message, source: this.#source }, this.#link.env),
    });
    this.#link.commit({ type: 'execution-end', status });
  }

  /** Ends the step; an answer that broke off keeps no response, unless it has calls. */
  #breakOff(status: 'completed' | 'stopped' | 'failed'): void {
    const step = this.#step;
    if (step === null) return;
    const isCut = status !== 'completed' && step.answer === 'open' && step.calls.size === 0;
    if (isCut) Object.assign(step, { answer: 'ended', isCut });
    this.endStep();
  }

  #startInference(): void {
    this.#link.commit(inferenceStart(this.#step as ObservedStep, this.#steps, this.#link.state()));
  }

  #endAnswer(step: ObservedStep): void {
    step.answer = 'ended';
    this.#link.commit(inferenceEnd(step, this.#link.env.monotonic() - step.began));
  }

  /** The step that new content belongs to: a step whose calls have results is over. */
  #stepForContent(): ObservedStep {
    const step = this.#step;
    const isOver =
      step !== null &&
      step.answer !== 'open' &&
      this.#keysOfCalls(['given', 'running', 'waiting', 'open']).length === 0 &&
      step.calls.size > 0;
    if (step === null || isOver) this.beginStep();
    return this.#step as ObservedStep;
  }

  /** Notes that content came: the first delta, or more behind an answer that has ended. */
  #noteContent(step: ObservedStep): void {
    step.firstDeltaMs ??= this.#link.env.monotonic() - step.began;
    if (step.answer === 'ended') step.answer = 'grown';
  }

  /** The keys of the calls of the step in flight that are in one of the given states. */
  #keysOfCalls(states: readonly ObservedCall['state'][]): readonly string[] {
    const calls = [...(this.#step?.calls ?? [])];
    return calls.filter(([, { state }]) => states.includes(state)).map(([key]) => key);
  }

  /** A call of the step in flight that has not ended, with its answer told. */
  #callInStep(key: string, what: CallEvent): ObservedCall | null {
    const call = this.#calls.get(key);
    const step = this.#step;
    if (call === undefined || step === null || call.stepId !== step.id || call.state === 'settled') {
      this.#link.skip(bridgeTexts.withoutCall(what));
      return null;
    }
    if (call.state === 'open') this.giveCall(key, null);
    if (step.answer !== 'ended') this.#endAnswer(step);
    return call;
  }

  /** A call of the step in flight, which is told to run unless it was. */
  #startCallOnce(key: string, what: CallEvent): ObservedCall | null {
    const call = this.#callInStep(key, what);
    if (call === null || call.state === 'running') return call;
    call.state = 'running';
    this.#link.commit({ type: 'tool-start', toolCallId: call.id, key });
    return call;
  }
}
