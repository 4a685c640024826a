import { AgentState, Message } from '@vitrine/core';
import type { HubSource } from '@vitrine/core/internal/session/hub';
import { bridgeTexts } from './bridge-texts.ts';
import { idOf } from './foreign-values.ts';
import { createHistory, type ForeignAnswer, type ForeignMessage } from './foreign-history.ts';
import type { CallResult, ObservedAgent } from './observed-agent.ts';
import { ObservedJournal } from './observed-journal.ts';

export type SubagentStart = {
  readonly runId: string;
  readonly name: string;
  /** The subagent that started it; null for the root. */
  readonly parentRunId: string | null;
  /** The call that started it; null when the stream names none. */
  readonly callId: string | null;
};

/** A subagent that waits for a person when a run ends, and goes on in the next one. */
export type SuspendedSubagent = {
  readonly subagentRunId: string;
  /** The subagent that began it; null for the agent itself. */
  readonly parentSubagentRunId: string | null;
  /** The call that began it. */
  readonly toolCallId: string;
  /** Its own calls without a result. */
  readonly calls: readonly string[];
};

export type SubagentEnd =
  | { readonly status: 'completed'; readonly result: unknown }
  | { readonly status: 'failed' | 'stopped'; readonly message: string };

/** A subagent whose work has not ended. */
type Child = {
  readonly agent: ObservedAgent;
  readonly parent: ObservedAgent;
  readonly parentRunId: string | null;
  readonly path: readonly string[];
  /** The call of the parent that it stands under. */
  readonly key: string;
  /** Waits for a person, until a later run continues it. */
  isSuspended: boolean;
};

/** A watched conversation of another library, as a session in the panel. */
export class ObservedSession extends ObservedJournal {
  /** The agent that the person talks to. */
  readonly root: ObservedAgent;
  /** The calls that wait, by the ids of their interrupts. One without a call has a call that stands for it. */
  readonly interrupts = new Map<string, { readonly callIds: readonly string[]; readonly isCall: boolean }>();
  readonly #children = new Map<string, Child>();
  readonly #history = createHistory(() => this.messagesAt([]).map(({ id }) => id));
  #isRunning = false;

  /** Announces it, so that the panel shows it. */
  constructor(source: Pick<HubSource, 'id' | 'name'>) {
    super(source);
    this.root = this.agentAt([]);
  }

  /** Begins a run, or goes on with the one whose call is answered. `messages` is the conversation; null for unknown. */
  begin(messages: readonly ForeignMessage[] | null, answers: readonly ForeignAnswer[] = []): void {
    const { root } = this;
    if (this.#isRunning) {
      this.skip(bridgeTexts.doubleBegin);
      this.stop(bridgeTexts.endedSilently);
    }
    const taken = answers.flatMap((answer) => {
      const agent = this.isWaiting ? this.agentWith(answer.callId) : undefined;
      return agent === undefined ? [] : [{ agent, answer }];
    });
    if (taken.length > 0) {
      for (const { agent, answer } of taken) takeAnswer(agent, answer);
      root.resume();
    } else {
      if (this.isWaiting) this.#endAll('stopped', bridgeTexts.movedOn);
      if (messages !== null) this.#takeUp(messages);
      root.begin();
    }
    this.#isRunning = true;
  }

  /** Adds messages that came in mid run. */
  add(messages: readonly ForeignMessage[]): void {
    for (const foreign of messages) {
      const { role, parts } = foreign;
      const message = Message.of(role, parts, { id: idOf() });
      this.#history.know(foreign, message.id);
      const source = role === 'user' ? 'user' : 'app';
      this.commit([], { type: 'message-add', section: 'messages', source, message });
    }
  }

  override get isRunning(): boolean {
    return this.#isRunning;
  }

  /** The number of questions of the person in the conversation. */
  get questions(): number {
    return this.messagesAt([]).filter(({ role }) => role === 'user').length;
  }

  /** Ends the run, or pauses it while calls wait for a person or the page. */
  finish(): void {
    this.#end(() => {
      if (!this.isWaiting) return this.#endAll('completed', '');
      this.#suspendWaiting();
      this.root.pause();
    });
  }

  stop(message: string): void {
    this.#end(() => this.#endAll('stopped', message));
  }

  fail(error: unknown): void {
    this.#end(() => this.#endAll('failed', '', error));
  }

  /** The subagents that wait for a person, each behind the one that started it. */
  get suspended(): readonly SuspendedSubagent[] {
    const waiting = [...this.#children].filter(([, { isSuspended }]) => isSuspended);
    return waiting.map(([subagentRunId, { agent, parentRunId: parentSubagentRunId, key: toolCallId }]) => {
      const calls = agent.unrunCalls().map(([, id]) => id);
      return { subagentRunId, parentSubagentRunId, toolCallId, calls };
    });
  }

  /** The agent of a run of a subagent, which goes on if it was suspended; undefined for an unknown one. */
  agent(runId: string): ObservedAgent | undefined {
    const child = this.#children.get(runId);
    if (child?.isSuspended === true) {
      child.isSuspended = false;
      child.agent.resume();
    }
    return child?.agent;
  }

  /** The agent whose call of the given id has not ended. */
  agentWith(callId: string): ObservedAgent | undefined {
    const agents = [this.root, ...Array.from(this.#children.values(), ({ agent }) => agent)];
    return agents.find((agent) => agent.hasCall(callId) && !agent.isSettled(callId));
  }

  startSubagent({ runId, name, parentRunId, callId }: SubagentStart): void {
    const known = this.#children.get(runId);
    if (known?.isSuspended === true) return void this.agent(runId);
    if (known !== undefined) return this.skip(bridgeTexts.repeatedSubagent);
    const above = parentRunId === null ? undefined : this.#children.get(parentRunId);
    const parent = above?.agent ?? this.root;
    const key = callId !== null && parent.hasCall(callId) ? callId : runId;
    if (key === runId) parent.giveCall(key, name, {});
    const child = AgentState.create({ parentAgentId: this.state().agentId });
    const execution = parent.delegate(key, name, child);
    if (execution === null) return;
    const path = [...(above?.path ?? []), execution];
    const agent = this.agentAt(path);
    this.#children.set(runId, {
      agent,
      parent,
      parentRunId: above === undefined ? null : parentRunId,
      path,
      key,
      isSuspended: false,
    });
    agent.begin();
  }

  /** Pauses a subagent until a later run continues it. */
  suspendSubagent(runId: string): void {
    const child = this.#children.get(runId);
    if (child === undefined || child.isSuspended) return this.skip(bridgeTexts.unknownSubagent);
    child.isSuspended = true;
    child.agent.pause();
  }

  endSubagent(runId: string, end: SubagentEnd): void {
    const child = this.#children.get(runId);
    if (child === undefined) return this.skip(bridgeTexts.unknownSubagent);
    const { agent, parent, key } = child;
    this.#children.delete(runId);
    agent.end(end.status, end.status === 'completed' ? '' : end.message);
    parent.endDelegation(key, end.status);
    // The result of a call that the stream told of follows in it.
    const isReported = end.status === 'completed' && key !== runId;
    if (!parent.isSettled(key) && !isReported) parent.settle(key, resultOf(end));
  }

  /** True while calls wait for a person or the page. */
  get isWaiting(): boolean {
    return (
      this.root.hasUnrun ||
      [...this.#children.values()].some(({ agent, isSuspended }) => isSuspended || agent.hasUnrun)
    );
  }

  /** The subagents, each before the one that started it. */
  #newestFirst(): readonly (readonly [string, Child])[] {
    return [...this.#children].reverse();
  }

  /** Pauses the subagents that wait, with those above them, and ends the others. */
  #suspendWaiting(): void {
    const waiting = new Set<ObservedAgent>();
    for (const [runId, { agent, parent, isSuspended }] of this.#newestFirst()) {
      if (isSuspended || agent.hasUnrun || waiting.has(agent)) {
        waiting.add(parent);
        if (!isSuspended) this.suspendSubagent(runId);
      } else this.endSubagent(runId, { status: 'failed', message: bridgeTexts.abandoned });
    }
  }

  #endAll(status: 'completed' | 'stopped' | 'failed', message: string, error?: unknown): void {
    const end = {
      status: status === 'stopped' ? 'stopped' : 'failed',
      message: bridgeTexts.abandoned,
    } as const;
    for (const [runId] of this.#newestFirst()) this.endSubagent(runId, end);
    this.root.end(status, message, error);
  }

  #takeUp(messages: readonly ForeignMessage[]): void {
    const { fresh, removed } = this.#history.compare(messages);
    if (removed.length > 0) {
      const change = { name: 'messages', source: 'user', removed, put: [], added: [] };
      this.commit([], { type: 'section-change', ...change });
    }
    this.add(fresh);
    this.#history.noteRun();
  }

  #end(close: () => void): void {
    if (!this.#isRunning) return this.skip(bridgeTexts.endWithoutRun);
    this.tellSkipped();
    this.#isRunning = false;
    close();
    this.#history.noteAnswer();
  }
}

function resultOf(end: SubagentEnd): CallResult {
  if (end.status === 'completed') return { outcome: 'completed', output: end.result };
  return end.status === 'failed' ? { outcome: 'failed', error: end.message } : { outcome: 'stopped' };
}

function takeAnswer(agent: ObservedAgent, answer: ForeignAnswer): void {
  const { callId } = answer;
  if (answer.type === 'approval') agent.answer(callId, answer.isApproved, answer.comment);
  else if (answer.type === 'output') agent.settle(callId, { outcome: 'completed', output: answer.output });
  else agent.settle(callId, { outcome: 'failed', error: answer.message });
}
