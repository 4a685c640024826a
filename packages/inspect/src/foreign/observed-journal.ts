import { AgentState, createJournal, type Message, systemEnv } from '@vitrine/core';
import type { Env } from '@vitrine/core/internal/graph/env';
import { stateAtPath } from '@vitrine/core/internal/run/state-at';
import {
  type HubSource,
  type SessionHub,
  sessionHub,
  type SourceKnowledge,
} from '@vitrine/core/internal/session/hub';
import type { AgentEventBody, Journal } from '@vitrine/core/types';
import { bridgeTexts } from './bridge-texts.ts';
import { jsonOf } from './foreign-values.ts';
import { ObservedAgent } from './observed-agent.ts';

type WaitingText = {
  readonly path: readonly string[];
  readonly type: Delta['type'];
  readonly partId: string;
  text: string;
  readonly cancel: () => void;
};

type Delta = Extract<AgentEventBody, { readonly type: 'text-delta' | 'reasoning-delta' }>;

export type ObservedJournalOptions = {
  /** Default: that of the page. */
  readonly hub?: SessionHub;
  /** The clock of its events. Default: that of the system. */
  readonly env?: Env;
  /** False when results of calls may not be told. Default: true. */
  readonly knowsResults?: boolean;
  /** True for a source that tells each request. Default: found by the requests. */
  readonly knowsRequests?: boolean;
};

/** Milliseconds that a text waits for more of its part: a frame. */
const joinMs = 16;

/** Most kinds of skipped events that are counted apart, and most characters of their names. */
const most = { kinds: 30, characters: 80 } as const;
const others = 'others';

/** The journal of a watched conversation, as a session in the panel. */
export class ObservedJournal {
  /** Takes it out of the panel. */
  readonly leave: () => void;
  readonly #source: HubSource;
  readonly #env: Env;
  readonly #journal: Journal;
  readonly #skipped = new Map<string, number>();
  /** Counts of answers, and of those whose prompt and usage are told. */
  readonly #told = { answers: 0, prompts: 0, usages: 0 };
  #waiting: WaitingText | null = null;
  #counted = 0;

  /** Announces it, so that the panel shows it. */
  constructor(
    { id, name }: Pick<HubSource, 'id' | 'name'>,
    {
      hub = sessionHub(),
      env = systemEnv,
      knowsResults = true,
      knowsRequests = false,
    }: ObservedJournalOptions = {},
  ) {
    this.#env = env;
    this.#journal = createJournal(AgentState.create({}, env), { env });
    const knows = knowledgeOf(this.#told, knowsResults, knowsRequests);
    this.#source = { id, name, journal: this.#journal, knows, isRunning: () => this.isRunning };
    this.leave = hub.register(this.#source);
  }

  get isRunning(): boolean {
    return this.state().execution?.status === 'in-progress';
  }

  state(): AgentState {
    return this.#journal.state();
  }

  messagesAt(path: readonly string[]): readonly Message[] {
    const state = stateAtPath(this.#journal.state(), path);
    return state?.context.store.sections.find(({ name }) => name === 'messages')?.messages ?? [];
  }

  /** Sets metadata of an agent, e.g. a state that it shares with the page. */
  setMetadata(key: string, value: unknown, path: readonly string[] = []): void {
    const json = jsonOf(value);
    const before = stateAtPath(this.#journal.state(), path)?.context.metadata[key];
    if (JSON.stringify(before) === JSON.stringify(json)) return;
    const set = { [key]: json };
    this.commit(path, { type: 'metadata-change', source: this.#source.name, set, removed: [] });
  }

  /** Counts an event that has no place here. The first one is named on the console. */
  skip(what: string): void {
    const isListed = this.#skipped.has(what) || this.#skipped.size < most.kinds;
    const kind = isListed ? what.slice(0, most.characters) : others;
    // oxlint-disable-next-line no-console -- a developer learns once that the panel does not show all
    if (this.#skipped.size === 0) console.warn(bridgeTexts.skippedFirst(this.#source.name, kind));
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
  commit(path: readonly string[], body: AgentEventBody): void {
    const waiting = this.#waiting;
    if (body.type !== 'text-delta' && body.type !== 'reasoning-delta') {
      this.#flush();
      return this.#commitNow(path, body);
    }
    if (waiting?.path === path && waiting.type === body.type && waiting.partId === body.partId) {
      waiting.text += body.delta;
      return;
    }
    this.#flush();
    const { type, partId, delta: text } = body;
    this.#waiting = { path, type, partId, text, cancel: this.#env.schedule(joinMs, () => this.#flush()) };
  }

  /** Tells an event that changes nothing, such as a retry. */
  emit(path: readonly string[], body: Parameters<Journal['emit']>[1]): void {
    this.#flush();
    this.runSafely(() => this.#journal.emit(path, body));
  }

  agentAt(path: readonly string[]): ObservedAgent {
    return new ObservedAgent(
      {
        commit: (body) => this.commit(path, body),
        state: () => stateAtPath(this.#journal.state(), path),
        skip: (what) => this.skip(what),
        env: this.#env,
        onAnswer: ({ prompt, usage }) => {
          this.#told.answers++;
          if (prompt !== undefined) this.#told.prompts++;
          if (usage !== undefined) this.#told.usages++;
        },
      },
      this.#source.name,
    );
  }

  /** Puts the counts of skipped events into the metadata of the agent, where a finding reads them. */
  tellSkipped(): void {
    const count = [...this.#skipped.values()].reduce((sum, one) => sum + one, 0);
    if (count === this.#counted) return;
    this.#counted = count;
    this.setMetadata('skippedEvents', Object.fromEntries(this.#skipped));
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
}

/** A fact is known when it is known of every model call. */
function knowledgeOf(
  reported: { readonly answers: number; readonly prompts: number; readonly usages: number },
  results: boolean,
  requests: boolean,
): SourceKnowledge {
  return {
    get prompt() {
      return requests || (reported.answers > 0 && reported.prompts === reported.answers);
    },
    get usage() {
      return (requests || reported.answers > 0) && reported.usages === reported.answers;
    },
    times: false,
    results,
  };
}
