import type { Env } from '@vitrine/core/internal/graph/env';
import { createRepeated, type Repeated } from '../session/repeated.ts';
import type { Cursor } from '@vitrine/core/internal/session/machine/session-model';
import type { Answer, LeaderMessage, LinkMessage } from './protocol.ts';

type Batch = Extract<LinkMessage, { readonly type: 'batch' }>;
type Document = Extract<LinkMessage, { readonly type: 'document' }>;
type Records = Extract<LinkMessage, { readonly type: 'records' }>;

/** Pauses between requests of a follower that hears nothing, in milliseconds; each is twice the one before. */
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

/** Applies the messages of a leader in order, each once, and requests what is missing. */
export class Follower {
  readonly #options: FollowerOptions;
  /** Messages can be lost, so the request is repeated until the answer arrives. */
  readonly #asking: Repeated;
  #term: number;
  #isRead: boolean;
  /** The answers that wait until the state that they refer to is shown. */
  #held: readonly Answer[] = [];
  /** The number of the last message taken; null when some are missing. */
  #last: number | null = null;
  /** The highest number taken so far; older messages are ignored. */
  #newest = 0;
  /** Batches that arrived before one that is missing. */
  #early: readonly Batch[] = [];

  constructor(options: FollowerOptions) {
    const { env, id, post, have } = options;
    this.#options = options;
    this.#term = options.term;
    this.#isRead = options.isRead;
    this.#asking = createRepeated(env, pauses, () => {
      const seen = this.#last === null ? null : { term: this.#term, n: this.#last };
      post({ type: 'hello', id, have: have(), seen });
    });
  }

  /** True when the local state is the one after the last message taken. */
  get isInSync(): boolean {
    return this.#last !== null;
  }

  get term(): number {
    return this.#term;
  }

  receive(message: LeaderMessage): void {
    // An answer of an older term may tell of effects that were never stored.
    if (message.term < this.#term) return;
    if (message.term > this.#term) this.#beginTerm(message);
    if (message.type !== 'answer' && this.#last !== null) this.#asking.restart();
    if (message.type === 'batch') {
      this.#early = [...this.#early, message];
      this.#takeEarly();
    } else if (message.type === 'document' || message.type === 'records') this.#takeState(message);
    else if (message.type === 'answer') {
      this.#held = [...this.#held, message];
      if (this.#last !== null) this.#release(this.#last);
    }
  }

  /** Begins to request: the stored session was read. */
  begin(): void {
    this.#isRead = true;
    this.#asking.reset();
    this.ask();
  }

  ask(): void {
    const isAsking = this.#last === null && this.#asking.isWaiting();
    this.#last = null;
    if (!isAsking) this.check();
  }

  /** Asks whether anything is missing. */
  check(): void {
    if (this.#isRead) this.#asking.now();
  }

  /** Ends following and releases all held answers. */
  end(): void {
    this.#asking.stop();
    this.#release(Infinity);
  }

  #beginTerm(message: LeaderMessage): void {
    this.#term = message.term;
    [this.#newest, this.#last, this.#early] = [0, null, []];
    this.#asking.reset();
    this.#release(Infinity);
    this.#options.onTerm();
    const isState = message.type === 'document' || message.type === 'records';
    if (!isState || !this.#isNew(message)) this.ask();
  }

  /** Takes a state with the number of its last message, and the batches that arrived before it. */
  #takeState(message: Document | Records): void {
    if (!this.#isNew(message)) return;
    const { onDocument, onRecords } = this.#options;
    this.#asking.restart();
    this.#take(message.n, () => (message.type === 'document' ? onDocument(message) : onRecords(message)));
    this.#takeEarly();
  }

  /** True for an answer to this follower, or to all, that it does not have yet. */
  #isNew(message: Document | Records): boolean {
    const { n, to } = message;
    const { id, have } = this.#options;
    const isOld = n < this.#newest || n === this.#last;
    if ((to !== null && to !== id) || isOld) return false;
    return message.type === 'document' || isSame(message.from, have());
  }

  #take(n: number, apply: () => void): void {
    this.#last = this.#newest = n;
    apply();
    if (this.#last !== null) this.#release(this.#last);
  }

  /** Takes each batch once all before it are taken. */
  #takeEarly(): void {
    for (let from = this.#last; from !== null; from = this.#last) {
      const last = from;
      this.#early = this.#early.filter((batch) => batch.n > last);
      const next = this.#early.find((batch) => batch.n === last + 1);
      if (next === undefined) return this.#early.length > 0 ? this.ask() : undefined;
      this.#take(next.n, () => this.#options.onBatch(next));
    }
  }

  /** Releases the answers whose message number is at most `shown`. */
  #release(shown: number): void {
    const due = this.#held.filter(({ n }) => n <= shown);
    this.#held = this.#held.filter((answer) => !due.includes(answer));
    due.forEach(this.#options.onAnswer);
  }
}

function isSame(cursor: Cursor, other: Cursor | null): boolean {
  return cursor.journalId === other?.journalId && cursor.record === other.record;
}
