import type { Env } from '@vitrine/core/internal/graph/env';
import { createRepeated } from '@vitrine/core/internal/kit/async';
import type { Cursor } from '@vitrine/core/internal/session/machine/session-model';
import type { Answer, LeaderMessage, LinkMessage } from './protocol.ts';

/**
 * Applies the messages of a leader in order, each once, and requests what is missing.
 */
export type Follower = {
  readonly receive: (message: LeaderMessage) => void;
  /** Begins to request: the stored session was read. */
  readonly begin: () => void;
  /** Requests what is missing. */
  readonly ask: () => void;
  /** Asks whether anything is missing. */
  readonly check: () => void;
  /** True when the local state is the one after the last message taken. */
  readonly isInSync: () => boolean;
  /** The last known term. */
  readonly term: () => number;
  /** Ends following and releases all held answers. */
  readonly end: () => void;
};

type Batch = Extract<LinkMessage, { readonly type: 'batch' }>;
type Document = Extract<LinkMessage, { readonly type: 'document' }>;
type Records = Extract<LinkMessage, { readonly type: 'records' }>;

/**
 * Pauses between requests of a follower that hears nothing, in milliseconds; each is twice the one
 * before.
 */
const pauses = { first: 500, longest: 30_000 };

export type FollowerOptions = {
  readonly env: Env;
  readonly id: string;
  /** The number of the last term that is over. */
  readonly term: number;
  /** True when the stored session was read, so that its cursor is known. */
  readonly isRead: boolean;
  readonly post: (message: LinkMessage) => void;
  /** The cursor that can be continued from. */
  readonly have: () => Cursor | null;
  readonly onBatch: (batch: Batch) => void;
  readonly onDocument: (message: Document) => void;
  readonly onRecords: (message: Records) => void;
  readonly onAnswer: (answer: Answer) => void;
  /** Called when another tab begins to lead. */
  readonly onTerm: () => void;
};

export function createFollower(options: FollowerOptions): Follower {
  const { id, post, have, onAnswer, onTerm } = options;
  let { term, isRead } = options;
  const answers = createHeldAnswers(onAnswer);
  const order = createOrder({ onBatch: options.onBatch, onGap: ask, onTaken: answers.release });
  const { last } = order;
  /** Messages can be lost, so the request is repeated until the answer arrives. */
  const asking = createRepeated(options.env, pauses, () => {
    const n = last();
    post({ type: 'hello', id, have: have(), seen: n === null ? null : { term, n } });
  });

  function ask(): void {
    const isAsking = last() === null && asking.isWaiting();
    order.lose();
    if (!isAsking && isRead) asking.now();
  }

  /** True for an answer to this follower, or to all, that it does not have yet. */
  function isNew(message: Document | Records): boolean {
    const { n, to } = message;
    if ((to !== null && to !== id) || order.isOld(n)) return false;
    return message.type === 'document' || isSame(message.from, have());
  }

  function takeAnswer(message: Document | Records): void {
    if (!isNew(message)) return;
    asking.restart();
    const apply = (): void =>
      message.type === 'document' ? options.onDocument(message) : options.onRecords(message);
    order.take(message.n, apply);
  }

  function receiveTerm(message: LeaderMessage): void {
    term = message.term;
    order.begin();
    asking.reset();
    answers.release(Infinity);
    onTerm();
    if ((message.type !== 'document' && message.type !== 'records') || !isNew(message)) ask();
  }

  return {
    receive(message) {
      // An answer of an older term may tell of effects that were never stored.
      if (message.term < term) return;
      if (message.term > term) receiveTerm(message);
      const n = last();
      if (message.type !== 'answer' && n !== null) asking.restart();
      if (message.type === 'batch') order.add(message);
      else if (message.type === 'document' || message.type === 'records') takeAnswer(message);
      else if (message.type === 'answer') {
        answers.add(message);
        if (n !== null) answers.release(n);
      }
    },
    begin() {
      isRead = true;
      asking.reset();
      ask();
    },
    ask,
    check() {
      if (isRead) asking.now();
    },
    isInSync: () => last() !== null,
    term: () => term,
    end() {
      asking.stop();
      answers.release(Infinity);
    },
  };
}

/** The order of the messages of one term. */
type MessageOrder = {
  /** The number of the last message taken; null when some are missing. */
  readonly last: () => number | null;
  /** True for a message that was taken, or that a later one replaced. */
  readonly isOld: (n: number) => boolean;
  /** Begins a term. */
  readonly begin: () => void;
  /** Notes that messages are missing. */
  readonly lose: () => void;
  /** Takes a state with the number of its last message, and the batches that arrived before it. */
  readonly take: (n: number, apply: () => void) => void;
  /** Takes a batch once all before it are taken. */
  readonly add: (batch: Batch) => void;
};

function createOrder(options: {
  readonly onBatch: (batch: Batch) => void;
  /** Called when a batch before an early one is missing. */
  readonly onGap: () => void;
  readonly onTaken: (n: number) => void;
}): MessageOrder {
  /** The highest number taken so far; older messages are ignored. */
  let newest = 0;
  let last: number | null = null;
  /** Batches that arrived before one that is missing. */
  let early: readonly Batch[] = [];

  function take(n: number, apply: () => void): void {
    last = n;
    newest = n;
    apply();
    if (last !== null) options.onTaken(last);
  }

  function takeEarly(): void {
    for (let from = last; from !== null; from = last) {
      early = early.filter((batch) => batch.n > (last ?? 0));
      const next = early.find((batch) => batch.n === (last ?? 0) + 1);
      if (next === undefined) return early.length > 0 ? options.onGap() : undefined;
      take(next.n, () => options.onBatch(next));
    }
  }

  return {
    last: () => last,
    isOld: (n) => n < newest || n === last,
    begin() {
      [newest, last, early] = [0, null, []];
    },
    lose: () => void (last = null),
    take(n, apply) {
      take(n, apply);
      takeEarly();
    },
    add(batch) {
      early = [...early, batch];
      takeEarly();
    },
  };
}

function isSame(cursor: Cursor, other: Cursor | null): boolean {
  return cursor.journalId === other?.journalId && cursor.record === other.record;
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
