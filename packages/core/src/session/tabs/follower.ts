import type { AgentEvent } from '../../run/events.ts';
import type { TabDocument } from '../machine/tab-document.ts';
import { createHeldAnswers, type TabAnswer } from './held-answers.ts';
import type { RunnerMessage, TabMessage } from './tab-message.ts';
import type { TabView } from '../machine/tab-view.ts';

/** What a tab takes up of what the runner tells. */
export type Followed = {
  /** What it begins with anew; null when the events follow what is here. */
  readonly document: TabDocument | null;
  readonly events: readonly AgentEvent[];
  readonly view: Partial<TabView>;
};

/** Follows a runner: takes what it tells in its order, each once, and asks again when something is missing. */
export type Follower = {
  readonly hear: (message: RunnerMessage) => void;
  /** Something is missing: asks for everything. */
  readonly ask: () => void;
  /** The last reign that was heard of. */
  readonly reign: () => number;
  /** Nobody is followed any more: answers are not held back. */
  readonly end: () => void;
};

type Batch = Extract<TabMessage, { readonly type: 'batch' }>;

type FollowerOptions = {
  /** The last reign that is over. */
  readonly reign: number;
  readonly post: (message: TabMessage) => void;
  readonly onFollowed: (followed: Followed) => void;
  readonly onAnswer: (answer: TabAnswer) => void;
  /** Another tab runs now. */
  readonly onReign: () => void;
};

export function createFollower(options: FollowerOptions): Follower {
  const { post, onFollowed, onAnswer, onReign } = options;
  let { reign } = options;
  /** Nothing that is older is taken up. */
  let newest = 0;
  /** The number of the last message that was taken up; null when everything is missing. */
  let last: number | null = null;
  let isAsking = false;
  const answers = createHeldAnswers(onAnswer);
  /** What has overtaken something that is missing. */
  let early: readonly Batch[] = [];

  function ask(): void {
    last = null;
    if (isAsking) return;
    isAsking = true;
    post({ type: 'hello' });
  }

  function begin(next: number): void {
    reign = next;
    last = null;
    newest = 0;
    isAsking = false;
    early = [];
    answers.release(Infinity);
    onReign();
  }

  function take(n: number, followed: Followed): void {
    last = n;
    newest = n;
    onFollowed(followed);
    if (last !== null) answers.release(last);
    takeEarly();
  }

  /** Goes on with what came too early; asks when something before it is still missing. */
  function takeEarly(): void {
    if (last === null) return;
    const from = last;
    early = early.filter((batch) => batch.n > from);
    const next = early.find((batch) => batch.n === from + 1);
    if (next !== undefined) take(next.n, { document: null, events: next.events, view: next.view });
    else if (early.length > 0) ask();
  }

  return {
    hear(message) {
      if (message.reign < reign) return message.type === 'answer' ? onAnswer(message) : undefined;
      if (message.reign > reign) {
        begin(message.reign);
        if (message.type !== 'document') ask();
      }
      switch (message.type) {
        case 'reign':
          return;
        case 'answer':
          answers.add(message);
          return last === null ? undefined : answers.release(last);
        case 'document': {
          const { n, document } = message;
          if (n < newest || n === last) return;
          isAsking = false;
          return take(n, { document, events: [], view: document.view });
        }
        case 'batch':
          early = [...early, message];
          return takeEarly();
      }
    },
    ask,
    reign: () => reign,
    end: () => answers.release(Infinity),
  };
}
