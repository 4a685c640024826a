import { AgentState, createJournal, Message, systemEnv } from '@vitrine/core';
import { type HubSource, sessionHub, type SourceKnowledge } from '@vitrine/core/internal/session/hub';
import type { AgentEventBody, Journal } from '@vitrine/core/types';
import { bridgeTexts } from './bridge-texts.ts';
import { idOf, jsonOf } from './foreign-values.ts';
import { createHistory, type ForeignAnswer, type ForeignMessage } from './foreign-history.ts';
import { type CallResult, ObservedAgent } from './observed-agent.ts';

/** The start of a subagent. */
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

/** Text of one part that is not committed yet. */
type WaitingText = {
  readonly path: readonly string[];
  readonly type: Delta['type'];
  readonly partId: string;
  text: string;
  readonly cancel: () => void;
};

type Delta = Extract<AgentEventBody, { readonly type: 'text-delta' | 'reasoning-delta' }>;

function isDelta(body: AgentEventBody): body is Delta {
  return body.type === 'text-delta' || body.type === 'reasoning-delta';
}

/** Milliseconds that a text waits for more of its part: a frame. */
const joinMs = 16;

/** Most kinds of skipped events that are counted apart, and most characters of their names. */
const most = { kinds: 30, characters: 80 } as const;
const others = 'others';

/** A watched conversation of another library, as a session in the panel. */
export class ObservedSession {
  /** The agent that the person talks to. */
  readonly root: ObservedAgent;
  /**
   * The calls that wait for interrupts, by the ids of the interrupts. An interrupt that is about no call has one that
   * only stands for it, whose result is the answer.
   */
  readonly interrupts = new Map<string, { readonly callIds: readonly string[]; readonly isCall: boolean }>();
  /** Takes it out of the panel. */
  readonly leave: () => void;
  readonly #name: string;
  readonly #journal: Journal = createJournal(AgentState.create());
  readonly #skipped = new Map<string, number>();
  readonly #children = new Map<string, Child>();
  readonly #history = createHistory(() => messagesOf(this.#journal.state()).map(({ id }) => id));
  /** Counts of answers, and of those whose prompt and usage are told. */
  readonly #told = { answers: 0, prompts: 0, usages: 0 };
  #waiting: WaitingText | null = null;
  #isRunning = false;
  #counted = 0;

  /** Announces it, so that the panel shows it. */
  constructor({ id, name }: Pick<HubSource, 'id' | 'name'>) {
    this.#name = name;
    this.root = this.#agentAt([]);
    const isRunning = (): boolean => this.isRunning;
    const knows = knowledgeOf(this.#told);
    this.leave = sessionHub().register({ id, name, journal: this.#journal, knows, isRunning });
  }

  /**
   * Begins a run, or continues the one that waits when an answer to one of its calls is given. `messages` is the whole
   * conversation, or null when it is not told.
   */
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
      this.#commit([], { type: 'message-add', section: 'messages', source, message });
    }
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** The number of questions of the person in the conversation. */
  get questions(): number {
    return messagesOf(this.#journal.state()).filter(({ role }) => role === 'user').length;
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
    const child = AgentState.create({ parentAgentId: this.#journal.state().agentId });
    const execution = parent.delegate(key, name, child);
    if (execution === null) return;
    const path = [...(above?.path ?? []), execution];
    const agent = this.#agentAt(path);
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

  /** Sets metadata of the agent, e.g. a state that it shares with the page. */
  setMetadata(key: string, value: unknown): void {
    const json = jsonOf(value);
    const before = this.#journal.state().context.metadata[key];
    if (JSON.stringify(before) === JSON.stringify(json)) return;
    const set = { [key]: json };
    this.#commit([], { type: 'metadata-change', source: this.#name, set, removed: [] });
  }

  /** Counts an event that has no place here. The first one is named on the console. */
  skip(what: string): void {
    const isListed = this.#skipped.has(what) || this.#skipped.size < most.kinds;
    const kind = isListed ? what.slice(0, most.characters) : others;
    // oxlint-disable-next-line no-console -- a developer learns once that the panel does not show all
    if (this.#skipped.size === 0) console.warn(bridgeTexts.skippedFirst(this.#name, kind));
    this.#skipped.set(kind, (this.#skipped.get(kind) ?? 0) + 1);
  }

  /** Runs code of ours; an error in it is counted and does not reach the other library. */
  runSafely(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.skip(thrown instanceof Error ? thrown.message : bridgeTexts.ofBridge);
    }
  }

  /** Commits an event. Deltas of one part are joined until another event comes, or `joinMs` have gone. */
  #commit(path: readonly string[], body: AgentEventBody): void {
    const waiting = this.#waiting;
    if (!isDelta(body)) {
      this.#flush();
      return this.#commitNow(path, body);
    }
    if (waiting?.path === path && waiting.type === body.type && waiting.partId === body.partId) {
      waiting.text += body.delta;
      return;
    }
    this.#flush();
    const { type, partId, delta: text } = body;
    this.#waiting = { path, type, partId, text, cancel: systemEnv.schedule(joinMs, () => this.#flush()) };
  }

  #flush(): void {
    const waiting = this.#waiting;
    if (waiting === null) return;
    this.#waiting = null;
    const { path, type, partId, text, cancel } = waiting;
    cancel();
    this.#commitNow(path, { type, partId, delta: text });
  }

  #commitNow(path: readonly string[], body: AgentEventBody): void {
    this.runSafely(() => void this.#journal.commit(path, body));
  }

  #agentAt(path: readonly string[]): ObservedAgent {
    return new ObservedAgent(
      {
        commit: (body) => this.#commit(path, body),
        messages: () => (path.length === 0 ? messagesOf(this.#journal.state()) : []),
        skip: (what) => this.skip(what),
        now: () => systemEnv.monotonic(),
        onAnswer: ({ prompt, usage }) => {
          this.#told.answers++;
          if (prompt !== undefined) this.#told.prompts++;
          if (usage !== undefined) this.#told.usages++;
        },
      },
      this.#name,
    );
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
      this.#commit([], { type: 'section-change', ...change });
    }
    this.add(fresh);
    this.#history.noteRun();
  }

  #end(close: () => void): void {
    if (!this.#isRunning) return this.skip(bridgeTexts.endWithoutRun);
    this.#tellSkipped();
    this.#isRunning = false;
    close();
    this.#history.noteAnswer();
  }

  /** Puts the counts of skipped events into the metadata of the agent, where a finding reads them. */
  #tellSkipped(): void {
    const count = [...this.#skipped.values()].reduce((sum, one) => sum + one, 0);
    if (count === this.#counted) return;
    this.#counted = count;
    this.setMetadata('skippedEvents', Object.fromEntries(this.#skipped));
  }
}

function resultOf(end: SubagentEnd): CallResult {
  if (end.status === 'completed') return { outcome: 'completed', output: end.result };
  return end.status === 'failed' ? { outcome: 'failed', error: end.message } : { outcome: 'stopped' };
}

/** A fact is known when it is known of every model call. */
function knowledgeOf(reported: {
  readonly answers: number;
  readonly prompts: number;
  readonly usages: number;
}): SourceKnowledge {
  return {
    get prompt() {
      return reported.answers > 0 && reported.prompts === reported.answers;
    },
    get usage() {
      return reported.answers > 0 && reported.usages === reported.answers;
    },
    times: false,
  };
}

function messagesOf(state: AgentState): readonly Message[] {
  return state.context.store.sections.find(({ name }) => name === 'messages')?.messages ?? [];
}

function takeAnswer(agent: ObservedAgent, answer: ForeignAnswer): void {
  const { callId } = answer;
  if (answer.type === 'approval') agent.answer(callId, answer.isApproved, answer.comment);
  else if (answer.type === 'output') agent.settle(callId, { outcome: 'completed', output: answer.output });
  else agent.settle(callId, { outcome: 'failed', error: answer.message });
}
