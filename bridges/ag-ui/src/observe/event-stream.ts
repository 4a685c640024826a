import type { InferenceEvent } from '@vitrine/core/internal/model/inference-client';
import { bridgeTexts } from '@vitrine/inspect/internal/foreign/bridge-texts';
import { finishReasonOf, foreign, textOf, usageFrom } from '@vitrine/inspect/internal/foreign/foreign-values';
import type { ObservedAgent } from '@vitrine/inspect/internal/foreign/observed-agent';
import type { ObservedSession } from '@vitrine/inspect/internal/foreign/observed-session';
import { type ObservedStream, observedStream } from '@vitrine/inspect/internal/foreign/observed-stream';
import { type Interrupt, interruptsIn, isCancelled, Lane, type RemoteEvent } from '../remote/remote-run.ts';
import {
  isSilent,
  reasonIn,
  type RemoteRunFacts,
  RemoteStep,
  tellResult,
  usageOf,
} from '../remote/remote-step.ts';
import { RunLanes } from '../remote/subagent-lanes.ts';
import { type OtherMessage, SnapshotMessages } from '../snapshot-messages.ts';

/** Events beside the silent ones that say nothing that the journal has a place for. */
const quiet = new Set([
  // The state after it comes from the agent, where there is one.
  'STATE_DELTA',
  'ACTIVITY_SNAPSHOT',
  'ACTIVITY_DELTA',
  'RAW',
  'REASONING_ENCRYPTED_VALUE',
]);

/**
 * Maps AG-UI events, 0.0.59 to 1.0, to a watched session: they are read as `aguiAgent` reads them.
 * @param sent Ids of the messages and calls that the backend was sent; null leaves out what it tells by snapshots alone.
 */
export function eventStream(session: ObservedSession, sent: Iterable<string> | null = null): ObservedStream {
  return observedStream(session, (over) => {
    const run = new WatchedRun(session, over);
    const messages = new SnapshotMessages(sent ?? []);
    const isQuiet = (type: string): boolean =>
      quiet.has(type) || (sent === null && type === 'MESSAGES_SNAPSHOT');
    return {
      take(event) {
        if (typeof event.type !== 'string') session.skip(bridgeTexts.untyped);
        else if (!isQuiet(event.type)) for (const one of messages.take(event)) run.take(one);
      },
      handlers: {},
      isQuiet: (type) => isQuiet(type) || isSilent(type),
      mayEnd: () => run.isFinished,
    };
  });
}

/** A run that is told to a watched session. Its agents have lanes and steps as in the agent over a backend. */
class WatchedRun {
  readonly #session: ObservedSession;
  readonly #over: (end: () => void) => void;
  readonly #lanes: RunLanes;
  /** The agents of the run, which finish their open calls with it. */
  readonly #agents: WatchedAgent[] = [];
  /** Steps of the run before the last end of a model call. */
  #counted: number;
  /** True when the end of the stream is that of the run: TanStack AI tells the end of each model call like one. */
  isFinished = false;

  constructor(session: ObservedSession, over: (end: () => void) => void) {
    this.#session = session;
    this.#over = over;
    this.#counted = session.root.stepCount;
    const onSkipped = (what: string): void => {
      // Any application has custom events.
      if (!what.startsWith('CUSTOM ')) session.skip(what);
    };
    this.#lanes = new RunLanes(session.suspended, onSkipped, (runId) => {
      const agent = new WatchedAgent(session, runId, onSkipped);
      this.#agents.push(agent);
      return new Lane((event) => agent.take(event, this.#lanes));
    });
  }

  take(event: RemoteEvent): void {
    const { type, subagentRunId, message, code } = event;
    const session = this.#session;
    if (type === 'RUN_FINISHED' || isCancelled(event)) return this.#finish(event);
    if (type === 'ASKED') return interruptsIn(event).forEach((interrupt) => this.#ask(interrupt));
    if (type === 'RUN_ERROR')
      return this.#over(() => {
        // The client itself tells of a run that this page aborted as an error.
        if (code === 'abort') session.stop(bridgeTexts.stopped);
        else session.fail(new Error(textOf(message) ?? bridgeTexts.streamFailed));
      });
    if (type === 'OTHER_MESSAGE') {
      const { id, role, text } = message as OtherMessage;
      return session.add([{ id, role, parts: [{ type: 'text', text }] }]);
    }
    if (type === 'SUBAGENT_FINISHED' && foreign(event['outcome'])['type'] === 'suspended')
      return session.suspendSubagent(String(subagentRunId));
    this.#lanes.take(event);
  }

  #finish(event: RemoteEvent): void {
    const session = this.#session;
    if (isCancelled(event)) return this.#over(() => session.stop(bridgeTexts.cancelled));
    for (const agent of this.#agents) agent.finish(this.#lanes);
    this.#addUsage(event);
    const asked = interruptsIn(event);
    for (const interrupt of asked) this.#ask(interrupt);
    // The results of its calls may follow.
    this.isFinished = asked.length === 0 && session.root.hasUnrun;
    if (this.isFinished) return;
    this.#over(() => {
      if (asked.length === 0) session.root.endStep(finishReasonOf(reasonIn(event)));
      session.finish();
    });
  }

  /** Usage is that of a step only when no other step is behind it: a run may tell it in one sum. */
  #addUsage({ usage, metadata }: RemoteEvent): void {
    const { root } = this.#session;
    const isOfOne = root.stepCount - this.#counted === 1 && (!Array.isArray(usage) || usage.length === 1);
    this.#counted = root.stepCount;
    const found = isOfOne ? usageFrom(usageOf(usage)) : null;
    if (found !== null)
      root.addFacts({ usage: found, model: textOf(foreign(foreign(metadata)['tanstack'])['model']) });
  }

  #ask({ id, reason, message, toolCallId, subagentRunId, payload }: Interrupt): void {
    const session = this.#session;
    const asked = session.agentWith(String(toolCallId));
    const agent = asked ?? session.agent(String(subagentRunId)) ?? session.root;
    const callId = asked === undefined ? id : String(toolCallId);
    // An interrupt that belongs to no call waits like one.
    if (asked === undefined)
      agent.giveCall(callId, textOf(reason) ?? 'interrupt', payload ?? { message: textOf(message) });
    agent.ask(callId, 'approval', textOf(message) ?? textOf(reason));
    const known = session.interrupts.get(id)?.callIds ?? [];
    const callIds = [...new Set([...known, callId])];
    session.interrupts.set(id, { callIds, isCall: asked !== undefined });
  }
}

/** An agent of a run, which tells its watched one what it reads. */
class WatchedAgent {
  readonly #session: ObservedSession;
  /** Null for the agent itself, or the run of a subagent. */
  readonly #runId: string | null;
  readonly #facts: RemoteRunFacts;
  #step: RemoteStep;
  /** The subagents of its calls. */
  readonly #delegated = new Map<string, string>();
  /** The last part of text: a delta without an id continues one without an id. */
  #part: { readonly type: string; readonly id: string | undefined; readonly key: string } | null = null;
  #parts = 0;

  constructor(session: ObservedSession, runId: string | null, onSkipped: (what: string) => void) {
    this.#session = session;
    this.#runId = runId;
    this.#facts = {
      calls: new Set(),
      awaited: { add: () => new Set(), delete: (id) => this.#isOpen(id) },
      onState: ({ type, snapshot }) => {
        if (type === 'STATE_SNAPSHOT') session.setMetadata('state', snapshot ?? null);
      },
      onResult: (event) => this.#tell(tellResult(event)),
      onSkipped,
    };
    this.#step = new RemoteStep(this.#facts);
  }

  /** The watched agent; a subagent that waits goes on. */
  #agent(): ObservedAgent | undefined {
    return this.#runId === null ? this.#session.root : this.#session.agent(this.#runId);
  }

  #isOpen(callId: string): boolean {
    const agent = this.#agent();
    return agent?.hasCall(callId) === true && !agent.isSettled(callId);
  }

  /** Ends the calls whose end is not told, and those whose subagent has told the result. */
  finish(lanes: RunLanes): void {
    this.#tell(this.#step.endCalls());
    for (const [toolCallId, runId] of this.#delegated) {
      const result = lanes.resultOf(runId);
      if (result !== null && this.#isOpen(toolCallId))
        this.#tell([{ type: 'tool-elsewhere', toolCallId, outcome: 'completed', result }]);
    }
  }

  take(event: RemoteEvent, lanes: RunLanes): void {
    const { type, message, subagentRunId, name, parentToolCallId } = event;
    const session = this.#session;
    const runId = this.#runId;
    if (runId !== null && type === 'RUN_FINISHED') {
      this.#agent();
      return session.endSubagent(runId, { status: 'completed', result: lanes.resultOf(runId) });
    }
    if (runId !== null && type === 'RUN_ERROR')
      return session.endSubagent(runId, {
        status: 'failed',
        message: textOf(message) ?? bridgeTexts.subagentFailed,
      });
    if (this.#takeFact(event)) return;
    let events = this.#step.take(event);
    if (events === null) {
      this.#tell(this.#step.endCalls());
      this.#step = new RemoteStep(this.#facts);
      events = this.#step.take(event) ?? [];
    }
    this.#tell(events);
    if (type !== 'SUBAGENT_STARTED') return;
    const begun = { runId: String(subagentRunId), callId: String(parentToolCallId) };
    this.#delegated.set(begun.callId, begun.runId);
    session.startSubagent({ ...begun, name: textOf(name) ?? 'subagent', parentRunId: runId });
  }

  /** Takes what LangGraph tells beside the words of AG-UI. @returns false for anything else */
  #takeFact({ type, toolCallId, toolCallName, input, output, ...event }: RemoteEvent): boolean {
    if (!/^(TOOL_STARTED|TOOL_PROGRESS|MESSAGE_FINISHED)$/.test(type)) return false;
    const agent = this.#agent();
    if (type === 'TOOL_STARTED') agent?.start(String(toolCallId), textOf(toolCallName) ?? 'tool', input);
    else if (type === 'TOOL_PROGRESS') agent?.progress(String(toolCallId), output);
    // A message without parts has no step.
    else if (event['parts'] !== 0) {
      const usage = usageFrom(usageOf(event['usage']));
      const finishReason = finishReasonOf(event['finishReason']);
      if (usage !== null) agent?.addFacts({ usage, model: textOf(event['model']) });
      if (finishReason !== null) agent?.addFacts({ finishReason });
    }
    return true;
  }

  #tell(events: readonly InferenceEvent[]): void {
    const agent = events.length === 0 ? undefined : this.#agent();
    for (const event of events)
      if (agent === undefined) this.#session.skip(bridgeTexts.unknownSubagent);
      else this.#tellOne(agent, event);
  }

  #tellOne(agent: ObservedAgent, event: InferenceEvent): void {
    switch (event.type) {
      case 'text-delta':
      case 'reasoning-delta': {
        const { type, partId: id, delta } = event;
        if (this.#part?.type !== type || this.#part.id !== id)
          this.#part = { type, id, key: id ?? `part ${this.#parts++}` };
        return agent.text(this.#part.key, delta, type);
      }
      case 'tool-call-start':
        return agent.startCall(event.toolCallId, event.toolName || 'tool');
      case 'tool-call-delta':
        return agent.growCall(event.toolCallId, event.delta);
      case 'tool-call':
        return agent.giveCall(event.toolCallId, event.toolName, event.input);
      case 'tool-elsewhere': {
        const { toolCallId, outcome, result } = event;
        if (outcome === 'completed') return agent.settle(toolCallId, { outcome, output: result });
        const error = textOf(result);
        return agent.settle(toolCallId, { outcome, ...(error === null ? {} : { error }) });
      }
      case 'file':
        return agent.file(event);
      case 'source':
        return agent.cite(event);
      case 'start':
      case 'finish':
      case 'error':
    }
  }
}
