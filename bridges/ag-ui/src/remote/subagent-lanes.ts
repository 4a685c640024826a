import { isPlainObject, type JsonValue } from '@vitrine/core/internal/kit/json';
import { textOf } from '@vitrine/core/internal/kit/text';
import { toJson } from '@vitrine/core/internal/kit/to-json';
import type { SuspendedSubagent } from '@vitrine/inspect/internal/foreign/observed-session';
import { type Interrupt, interruptsIn, Lane, type RemoteEvent } from './remote-run.ts';
import { isSilent } from './remote-step.ts';

/** Most subagents of one run; a hostile backend may begin any number. */
const mostSubagents = 1_000;

/**
 * The events of a run by the agent that says them. Each subagent has a lane, with events as of a run of its own: they
 * name no subagent, and end with `RUN_FINISHED` or `RUN_ERROR`. `SUBAGENT_STARTED` stands in the lane of its parent and
 * names the call of that lane which it belongs to, with `isOwnCall` where it stands for a call itself.
 */
export class RunLanes {
  readonly root: Lane;
  /** Ids of the questions with which the run has ended; none while it goes on. */
  readonly asked = new Set<string>();
  /** Lanes of subagents whose questions are all answered, and who wait for the next run. */
  readonly answered = new Set<Lane>();
  readonly #onSkipped: (what: string) => void;
  readonly #createLane: (subagentRunId: string | null) => Lane;
  readonly #subagents = new Map<string, Lane>();
  /** Subagents of an earlier run that have not begun again. */
  readonly #waiting = new Map<string, SuspendedSubagent>();
  readonly #calls = new Map<string, { readonly lane: Lane; subagent: Lane | null }>();
  /** The messages of subagents; all others are of the agent itself. */
  readonly #messages = new Map<string, Lane>();
  /** The results of the subagents that were told as finished. */
  readonly #results = new Map<string, JsonValue | null>();

  /** @param createLane Makes the lane of a subagent, or of the agent itself: null. */
  constructor(
    waiting: readonly SuspendedSubagent[],
    onSkipped: (what: string) => void,
    createLane = (_subagentRunId: string | null): Lane => new Lane(),
  ) {
    this.#onSkipped = onSkipped;
    this.#createLane = createLane;
    this.root = createLane(null);
    for (const one of waiting) {
      const lane = this.#open(one.subagentRunId);
      const parent = this.#subagents.get(one.parentSubagentRunId ?? '') ?? this.root;
      this.#waiting.set(one.subagentRunId, one);
      this.#calls.set(one.toolCallId, { lane: parent, subagent: lane });
      for (const id of one.calls) this.#calls.set(id, { lane, subagent: null });
    }
  }

  /** The lane of a subagent; undefined for an unknown one. */
  lane(subagentRunId: string): Lane | undefined {
    return this.#subagents.get(subagentRunId);
  }

  /** The lane of the subagent of a call; undefined for none, and for one that nobody reads. */
  ofCall(toolCallId: string): Lane | undefined {
    return this.#calls.get(toolCallId)?.subagent ?? undefined;
  }

  leave(toolCallId: string): void {
    const call = this.#calls.get(toolCallId);
    if (call !== undefined) call.subagent = null;
  }

  /** The result that a subagent was finished with; null for none. */
  resultOf(subagentRunId: string): JsonValue | null {
    return this.#results.get(subagentRunId) ?? null;
  }

  /** Begins with what an earlier run has told and nobody has taken. */
  inherit(earlier: RunLanes): void {
    this.root.inherit(earlier.root);
    for (const [id, before] of earlier.#subagents) {
      const lane = this.#subagents.get(id);
      if (lane === undefined) this.#subagents.set(id, before);
      else lane.inherit(before);
    }
    for (const [id, { lane, subagent }] of earlier.#calls)
      if (!this.#calls.has(id))
        this.#calls.set(id, { lane: lane === earlier.root ? this.root : lane, subagent });
    for (const [id, result] of earlier.#results) this.#results.set(id, result);
  }

  take(event: RemoteEvent): void {
    switch (event.type) {
      // The state is that of the whole run, whoever changes it.
      case 'STATE_SNAPSHOT':
      case 'STATE_DELTA':
        return this.root.take(event);
      case 'SUBAGENT_STARTED':
        return this.#begin(event);
      case 'SUBAGENT_FINISHED':
      case 'SUBAGENT_ERROR':
        return this.#endSubagent(event);
      case 'RUN_FINISHED':
        return this.#finish(event);
      case 'RUN_ERROR':
        for (const lane of [this.root, ...this.#openLanes()]) lane.take(event);
        return;
      default:
        return this.#pass(event);
    }
  }

  end(error: unknown): void {
    for (const lane of [this.root, ...this.#subagents.values()]) lane.end(error);
  }

  #open(subagentRunId: string): Lane {
    const lane = this.#createLane(subagentRunId);
    this.#subagents.set(subagentRunId, lane);
    return lane;
  }

  #openLanes(): readonly Lane[] {
    return [...new Set(this.#subagents.values())].filter(({ hasEnded }) => !hasEnded);
  }

  #pass(event: RemoteEvent): void {
    const { type } = event;
    const lane = this.#laneOf(event);
    if (lane === undefined || lane.hasEnded) {
      if (!isSilent(type)) this.#onSkipped(`${type} of an unknown subagent`);
      return;
    }
    const id = textOf(event['toolCallId']);
    const call = this.#calls.get(id);
    const isBegun =
      type === 'TOOL_CALL_CHUNK' ? event['toolCallName'] !== undefined : type === 'TOOL_CALL_START';
    if (isBegun && id !== '' && call === undefined) this.#calls.set(id, { lane, subagent: null });
    const messageId = textOf(event['messageId']);
    if (lane !== this.root && messageId !== '') this.#messages.set(messageId, lane);
    // A subagent ends at the latest with the result of its call.
    if (type === 'TOOL_CALL_RESULT' && call?.subagent != null) finish(call.subagent);
    lane.take(event);
  }

  /** An event that names no subagent belongs to that of its call or message. */
  #laneOf(event: RemoteEvent): Lane | undefined {
    const named = textOf(event['subagentRunId']);
    if (named !== '') return this.#subagents.get(named);
    const { toolCallId, messageId, parentMessageId } = event;
    return (
      this.#calls.get(textOf(toolCallId))?.lane ??
      this.#messages.get(textOf(messageId)) ??
      this.#messages.get(textOf(parentMessageId)) ??
      this.root
    );
  }

  #begin({
    type,
    subagentRunId,
    parentSubagentRunId,
    parentToolCallId,
    name,
    description,
  }: RemoteEvent): void {
    const id = textOf(subagentRunId);
    const callId = textOf(parentToolCallId);
    if (this.#goesOn(id, callId)) return;
    if (id === '' || this.#subagents.has(id) || this.#subagents.size >= mostSubagents)
      return this.#onSkipped(`${type} of a repeated id`);
    const call = this.#calls.get(callId);
    const named = [this.#subagents.get(textOf(parentSubagentRunId)), call?.lane];
    const parent = named.find((lane) => lane?.hasEnded === false) ?? this.root;
    const lane = this.#open(id);
    const isOwnCall = call === undefined || call.lane !== parent || call.subagent !== null;
    if (isOwnCall) this.#calls.set(id, { lane: parent, subagent: lane });
    else call.subagent = lane;
    const toolCallId = isOwnCall ? id : callId;
    parent.take({ type, subagentRunId: id, parentToolCallId: toolCallId, isOwnCall, name, description });
  }

  /** True for a subagent of an earlier run, which may have another id in this one. */
  #goesOn(id: string, callId: string): boolean {
    const known =
      this.#waiting.get(id) ??
      [...this.#waiting.values()].find(({ toolCallId }) => toolCallId === callId && callId !== '');
    const lane = known === undefined ? undefined : this.#subagents.get(known.subagentRunId);
    if (known === undefined || lane === undefined) return false;
    this.#waiting.delete(known.subagentRunId);
    this.#subagents.set(id, lane);
    return true;
  }

  #endSubagent({ type, subagentRunId, outcome, result, message, code }: RemoteEvent): void {
    const id = textOf(subagentRunId);
    const lane = this.#subagents.get(id);
    if (lane === undefined || this.#results.has(id)) return this.#onSkipped(`${type} of an unknown subagent`);
    // A suspended subagent is told what it waits for with the end of the run.
    if (isPlainObject(outcome) && outcome['type'] === 'suspended') return;
    this.#results.set(id, result === undefined || type === 'SUBAGENT_ERROR' ? null : toJson(result));
    if (type === 'SUBAGENT_FINISHED') return finish(lane);
    lane.take({ type: 'RUN_ERROR', message, code });
    lane.end(null);
  }

  #finish(event: RemoteEvent): void {
    const questions = new Map<Lane, unknown[]>();
    const open = this.#openLanes();
    for (const question of interruptsIn(event)) {
      this.asked.add(question.id);
      const lane = this.#askerOf(question) ?? open[0] ?? this.root;
      questions.set(lane, [...(questions.get(lane) ?? []), question]);
    }
    for (const lane of open) finish(lane, questions.get(lane));
    const interrupts = questions.get(this.root) ?? [];
    this.root.take(questions.size === 0 ? event : { ...event, outcome: { type: 'interrupt', interrupts } });
  }

  /** The lane that a question belongs to; undefined for one that names neither a subagent nor a call. */
  #askerOf({ subagentRunId, toolCallId }: Interrupt): Lane | undefined {
    const call = this.#calls.get(textOf(toolCallId));
    const named = [this.#subagents.get(textOf(subagentRunId)), call?.subagent ?? undefined, call?.lane];
    return named.find((lane) => lane?.hasEnded === false);
  }
}

function finish(lane: Lane, interrupts: readonly unknown[] = []): void {
  lane.take({ type: 'RUN_FINISHED', outcome: { interrupts } });
  lane.end(null);
}
