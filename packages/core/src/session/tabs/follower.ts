import type { Env } from '../../graph/env.ts';
import type { AgentEvent } from '../../run/events.ts';
import type { TabDocument } from '../machine/tab-document.ts';
import { createRepeated } from './repeated.ts';
import { createHeldAnswers, type TabAnswer } from './held-answers.ts';
import type { LeaderMessage, TabMessage } from './tab-message.ts';
import type { TabView } from '../machine/tab-view.ts';

/** One update that a follower takes from the leader. */
export type Followed = {
  /** The document that replaces the local state; null when the events continue the local state. */
  readonly document: TabDocument | null;
  readonly events: readonly AgentEvent[];
  readonly view: Partial<TabView>;
};

/**
 * Applies the messages of a leader in order, each once, and requests the document when one is
 * missing.
 */
export type Follower = {
  readonly hear: (message: LeaderMessage) => void;
  /** Requests the whole document. */
  readonly ask: () => void;
  /** The last known term. */
  readonly term: () => number;
  /** Ends following and releases all held answers. */
  readonly end: () => void;
};

type Batch = Extract<TabMessage, { readonly type: 'batch' }>;

/**
 * Pauses between requests of a follower that hears nothing, in milliseconds; each is twice the one
 * before.
 */
const pauses = { first: 500, longest: 30_000 };

type FollowerOptions = {
  readonly env: Env;
  /** The number of the last term that is over. */
  readonly term: number;
  readonly post: (message: TabMessage) => void;
  readonly onFollowed: (followed: Followed) => void;
  readonly onAnswer: (answer: TabAnswer) => void;
  /** Called when another tab begins to lead. */
  readonly onTerm: () => void;
};

export function createFollower(options: FollowerOptions): Follower {
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

function helloOf(term: number, last: number | null): TabMessage {
  return last === null ? { type: 'hello' } : { type: 'hello', have: { term, n: last } };
}
