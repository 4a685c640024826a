import { AgentState, createJournal, Message, type MessagePart, systemEnv } from '@vitrine/core';
import { type HubSource, sessionHub, type SourceKnowledge } from '@vitrine/core/inspect';
import type { Journal, MessageRole } from '@vitrine/core/types';
import { bridgeTexts } from './bridge-texts.ts';
import { idOf } from './foreign-values.ts';
import { ObservedAgent } from './observed-agent.ts';

/** A message of a foreign conversation. */
export type ForeignMessage = {
  /** The id of the other library. */
  readonly id: string;
  readonly role: MessageRole;
  readonly parts: readonly MessagePart[];
};

/** An answer that a person or the page gave to a call of the run before. */
export type ForeignAnswer =
  | {
      readonly callId: string;
      readonly type: 'approval';
      readonly isApproved: boolean;
      readonly comment: string | null;
    }
  | { readonly callId: string; readonly type: 'output'; readonly output: unknown }
  | { readonly callId: string; readonly type: 'error'; readonly message: string };

/** Most kinds of skipped events that are counted apart, and most characters of their names. */
const most = { kinds: 30, characters: 80 } as const;
const others = 'others';

/** A watched conversation of another library, as a session in the panel. */
export class ObservedSession {
  /** The agent that the person talks to. */
  readonly root: ObservedAgent;
  /** Takes it out of the panel. */
  readonly leave: () => void;
  readonly #name: string;
  readonly #journal: Journal = createJournal(AgentState.create());
  readonly #skipped = new Map<string, number>();
  readonly #history = createHistory(() => messagesOf(this.#journal.state()).map(({ id }) => id));
  #isRunning = false;
  #counted = 0;

  /** Announces it, so that the panel shows it. */
  constructor({ id, name }: Pick<HubSource, 'id' | 'name'>) {
    this.#name = name;
    this.root = new ObservedAgent(
      {
        commit: (body) => this.guarded(() => void this.#journal.commit([], body)),
        messages: () => messagesOf(this.#journal.state()),
        skip: (what) => this.skip(what),
        now: () => systemEnv.monotonic(),
      },
      name,
    );
    const isRunning = (): boolean => this.#isRunning;
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
    const waits = root.hasUnrun;
    const isAnswer = ({ callId }: ForeignAnswer): boolean => root.hasCall(callId) && !root.isSettled(callId);
    if (waits && answers.some(isAnswer)) {
      for (const answer of answers) if (isAnswer(answer)) takeAnswer(root, answer);
      root.resume();
    } else {
      if (waits) root.end('stopped', bridgeTexts.movedOn);
      if (messages !== null) this.#takeUp(messages);
      root.begin();
    }
    this.#isRunning = true;
  }

  /** Adds messages that came in mid run. */
  add(messages: readonly ForeignMessage[]): void {
    for (const { id, role, parts } of messages) {
      const message = Message.of(role, parts, { id: idOf() });
      this.#history.know(id, message.id);
      const source = role === 'user' ? 'user' : 'app';
      this.#journal.commit([], { type: 'message-add', section: 'messages', source, message });
    }
  }

  /** Ends the run, or pauses it while calls wait for a person or the page. */
  finish(): void {
    this.#end(() => {
      if (this.root.hasUnrun) this.root.pause();
      else this.root.end('completed', '');
    });
  }

  stop(message: string): void {
    this.#end(() => this.root.end('stopped', message));
  }

  fail(error: unknown): void {
    this.#end(() => this.root.end('failed', '', error));
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
  guarded(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.skip(thrown instanceof Error ? thrown.message : bridgeTexts.ofBridge);
    }
  }

  #takeUp(messages: readonly ForeignMessage[]): void {
    const { fresh, removed } = this.#history.compare(messages);
    if (removed.length > 0) {
      const change = { name: 'messages', source: 'user', removed, put: [], added: [] };
      this.#journal.commit([], { type: 'section-change', ...change });
    }
    this.add(fresh);
    this.#history.asked();
  }

  #end(close: () => void): void {
    if (!this.#isRunning) return this.skip(bridgeTexts.endWithoutRun);
    this.#tellSkipped();
    this.#isRunning = false;
    close();
    this.#history.answered();
  }

  /** Puts the counts of skipped events into the metadata of the agent, where a finding reads them. */
  #tellSkipped(): void {
    const count = [...this.#skipped.values()].reduce((sum, one) => sum + one, 0);
    if (count === this.#counted) return;
    this.#counted = count;
    const set = { skippedEvents: Object.fromEntries(this.#skipped) };
    this.#journal.commit([], { type: 'metadata-change', source: this.#name, set, removed: [] });
  }
}

/** The stream to a page tells none of these. */
const knows: SourceKnowledge = { prompt: false, usage: false, times: false };

function messagesOf(state: AgentState): readonly Message[] {
  return state.context.store.sections.find(({ name }) => name === 'messages')?.messages ?? [];
}

function takeAnswer(root: ObservedAgent, answer: ForeignAnswer): void {
  const { callId } = answer;
  if (answer.type === 'approval') root.answer(callId, answer.isApproved, answer.comment);
  else if (answer.type === 'output') root.settle(callId, { outcome: 'completed', output: answer.output });
  else root.settle(callId, { outcome: 'failed', error: answer.message });
}

/** The messages of ours that stand for those of the other library. */
type History = {
  readonly know: (foreignId: string, id: string) => void;
  /** A run begins behind the last message. */
  readonly asked: () => void;
  /** The run that began behind the last message has ended: the messages since then are its answer. */
  readonly answered: () => void;
  /** The new messages of a conversation, and ours that it no longer has. */
  readonly compare: (messages: readonly ForeignMessage[]) => {
    readonly fresh: readonly ForeignMessage[];
    readonly removed: readonly string[];
  };
};

function createHistory(ids: () => readonly string[]): History {
  const known = new Map<string, string>();
  /** The last message of the answer to each question, by the question. */
  const answers = new Map<string, string>();
  let asked: string | null = null;
  return {
    know: (foreignId, id) => void known.set(foreignId, id),
    asked: () => void (asked = ids().at(-1) ?? null),
    answered() {
      const last = ids().at(-1);
      if (asked !== null && last !== undefined && last !== asked) answers.set(asked, last);
    },
    compare(messages) {
      const ours = ids();
      const ends = new Set(answers.values());
      let at = -1;
      let next = 0;
      for (const { id, role } of messages) {
        const here = ours[at] ?? '';
        const answer =
          role === 'user' ? undefined : (answers.get(here) ?? (ends.has(here) ? here : undefined));
        const place = ours.indexOf(known.get(id) ?? answer ?? '');
        if (place < 0) break;
        at = place;
        next++;
      }
      return { fresh: messages.slice(next), removed: ours.slice(at + 1) };
    },
  };
}
