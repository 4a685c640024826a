import type { Env } from '../../graph/env.ts';
import type { AgentState } from '../../graph/types.ts';
import { createRepeated } from '../../kit/async.ts';
import type { AgentEvent } from '../../run/events.ts';
import type { PersistenceState } from '../agent-session.ts';
import type { SessionCommand } from '../machine/session-input.ts';
import type { TabDocument, TabView } from '../machine/session-model.ts';
import type { SessionRecord } from '../stores/session-store.ts';
import { createOutbox, isRunning, type Outbox } from './outbox.ts';
import type { Answer, LeaderMessage, LinkMessage } from './protocol.ts';
import type { LinkParts } from './link-parts.ts';

/** One update that a follower takes from the leader. */
type Followed = {
  /** The document that replaces the local state; null when the events continue the local state. */
  readonly document: TabDocument | null;
  readonly events: readonly AgentEvent[];
  readonly view: Partial<TabView>;
};

/**
 * Applies the messages of a leader in order, each once, and requests the document when one is
 * missing.
 */
type Follower = {
  readonly hear: (message: LeaderMessage) => void;
  /** Requests the whole document. */
  readonly ask: () => void;
  /** The last known term. */
  readonly term: () => number;
  /** Ends following and releases all held answers. */
  readonly end: () => void;
};

type Batch = Extract<LinkMessage, { readonly type: 'batch' }>;

/**
 * Pauses between requests of a follower that hears nothing, in milliseconds; each is twice the one
 * before.
 */
const pauses = { first: 500, longest: 30_000 };

type FollowerOptions = {
  readonly env: Env;
  /** The number of the last term that is over. */
  readonly term: number;
  readonly post: (message: LinkMessage) => void;
  readonly onFollowed: (followed: Followed) => void;
  readonly onAnswer: (answer: Answer) => void;
  /** Called when another tab begins to lead. */
  readonly onTerm: () => void;
};

function createFollower(options: FollowerOptions): Follower {
  const { post, onFollowed, onAnswer, onTerm } = options;
  let { term } = options;
  /** The highest number taken so far; older messages are ignored. */
  let newest = 0;
  /** The number of the last message taken; null when the whole document is needed. */
  let last: number | null = null;
  const answers = createHeldAnswers(onAnswer);
  /** Batches that arrived before one that is missing. */
  let early: readonly Batch[] = [];
  /** Messages can be lost, so the request is repeated until the document arrives. */
  const asking = createRepeated(options.env, pauses, () => post(helloOf(term, last)));

  function ask(): void {
    const isAsking = last === null && asking.isWaiting();
    last = null;
    if (!isAsking) asking.now();
  }

  function begin(next: number): void {
    term = next;
    last = null;
    newest = 0;
    asking.reset();
    early = [];
    answers.release(Infinity);
    onTerm();
  }

  function take(n: number, followed: Followed): void {
    last = n;
    newest = n;
    onFollowed(followed);
    if (last !== null) answers.release(last);
  }

  /** Applies batches that arrived early. Requests the document while one before them is missing. */
  function takeEarly(): void {
    for (let from = last; from !== null; from = last) {
      early = early.filter((batch) => batch.n > (last ?? 0));
      const next = early.find((batch) => batch.n === (last ?? 0) + 1);
      if (next === undefined) return early.length > 0 ? ask() : undefined;
      take(next.n, { document: null, events: next.events, view: next.view });
    }
  }

  return {
    hear(message) {
      if (message.term < term) return message.type === 'answer' ? onAnswer(message) : undefined;
      if (message.term > term) {
        begin(message.term);
        if (message.type !== 'document') ask();
      }
      if (message.type !== 'answer' && last !== null) asking.restart();
      switch (message.type) {
        case 'term':
          return;
        case 'answer':
          answers.add(message);
          return last === null ? undefined : answers.release(last);
        case 'document': {
          const { n, document } = message;
          if (n < newest || n === last) return;
          asking.restart();
          take(n, { document, events: [], view: document.view });
          return takeEarly();
        }
        case 'batch':
          early = [...early, message];
          return takeEarly();
      }
    },
    ask,
    term: () => term,
    end() {
      asking.stop();
      answers.release(Infinity);
    },
  };
}

function helloOf(term: number, last: number | null): LinkMessage {
  return last === null ? { type: 'hello' } : { type: 'hello', have: { term, n: last } };
}

/** Answers that wait until the state they refer to is shown. */
type HeldAnswers = {
  readonly add: (answer: Answer) => void;
  /** Releases the answers whose message number is at most `shown`; `Infinity` releases all. */
  readonly release: (shown: number) => void;
};

function createHeldAnswers(onAnswer: (answer: Answer) => void): HeldAnswers {
  let held: readonly Answer[] = [];
  return {
    add(answer) {
      held = [...held, answer];
    },
    release(shown) {
      const due = held.filter(({ n }) => n <= shown);
      held = held.filter((answer) => !due.includes(answer));
      due.forEach(onAnswer);
    },
  };
}

/** The state that a follower has of the leader, and the requests that it sends. */
export type FollowedView = Pick<Follower, 'hear' | 'ask'> & {
  readonly outbox: Outbox;
  /** True when the leader is known. */
  readonly isKnown: () => boolean;
  /** The title and the persistence to show; null before the first message of a leader. */
  readonly shown: () => { readonly title: string; readonly persistence: PersistenceState } | null;
  /** The followed state when it is newer than the stored record; null otherwise. */
  readonly unstored: (record: SessionRecord | null) => AgentState | null;
  /** Begins a leadership term of this tab and returns its number. */
  readonly beginTerm: () => number;
  /** Stops all requests and repeated commands. */
  readonly end: () => void;
};

export function createFollowedView(parts: LinkParts): FollowedView {
  const { session, replies, taken, journals, say } = parts;
  const { env, publisher, post } = session;
  let view: TabView | null = null;
  let isKnown = false;
  const outbox = createOutbox({ session, replies, say, needsLock });
  let follower = followerAfter(0);

  function followerAfter(term: number): Follower {
    return createFollower({ env, term, post: say, onFollowed, onAnswer, onTerm: forget });
  }

  /** Shows the effects of a command before its promise settles. */
  function onAnswer(answer: Answer): void {
    publisher.flush();
    outbox.hear(answer);
  }

  function forget(): void {
    isKnown = false;
  }

  /**
   * True for a command that only this tab can do: a function cannot be posted, and a run needs an
   * agent of this version.
   */
  function needsLock(command: SessionCommand): boolean {
    const isOther = view !== null && view.agentVersion !== session.agent.version;
    return command.type === 'update' || (isOther && isRunning(command));
  }

  function onFollowed(followed: Followed): void {
    const { document } = followed;
    if (document !== null) journals.learn(document.journalId, document.earlier);
    view = { ...(document?.view ?? (view as TabView)), ...followed.view };
    taken.add(...view.taken);
    // A draft that is typed here wins over an older draft of the leader.
    const { draft, ...rest } = followed.view;
    const shown = outbox.has('set-draft') || draft === undefined ? rest : { ...rest, draft };
    post({ type: 'followed', ...followed, view: shown });
    if (isKnown) return;
    isKnown = true;
    outbox.all().forEach(outbox.send);
  }

  return {
    outbox,
    hear: (message) => follower.hear(message),
    ask: () => follower.ask(),
    isKnown: () => isKnown,
    shown: () => view && { title: view.shownTitle, persistence: view.persistence },
    unstored(record) {
      if (view === null) return null;
      const own = session.state;
      return record === null || journals.isLater(own, record) ? own : null;
    },
    beginTerm() {
      // The term is higher than every known one; the clock covers terms that this tab never heard
      // of.
      const term = Math.max(follower.term() + 1, env.now());
      forget();
      follower.end();
      follower = followerAfter(term);
      return term;
    },
    end() {
      follower.end();
      outbox.end();
    },
  };
}
