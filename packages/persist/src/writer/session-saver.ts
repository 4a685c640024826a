import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { Env } from '@vitrine/core/internal/graph/env';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { firstPersistence } from '@vitrine/core/internal/session/agent-session';
import { answeringStore, type SaveOutcome, SaveQueue } from './save-queue.ts';
import { runError } from '@vitrine/core/internal/graph/agent-state/ending-error';
import type {
  SessionLoad,
  SessionRecord,
  SessionStore,
} from '@vitrine/core/internal/session/store/session-store';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { ChangeLog, isSooner, writeDue } from './change-log.ts';
import type { Stored } from './plan-write.ts';
import type { Saved } from '@vitrine/core/internal/session/persistence';
import { type HeadChange, Writer } from './writer.ts';
import { isDeleted } from '@vitrine/core/internal/session/store/is-deleted';
import { SessionTitle } from '@vitrine/core/internal/session/conversation/session-title';

/** The shortest time between two background writes, in milliseconds. */
const intervalMs = 500;

export type SaverOptions = {
  readonly sessions: SessionStore;
  readonly env: Env;
  readonly read: () => Saved;
  readonly onChange: () => void;
  /** Called when a write takes all changes up to now. */
  readonly onWrite: () => void;
  /** Called when another writer changed the session. */
  readonly onConflict: () => void;
  /** Called when a late read finds a stored session and this session is still untouched. */
  readonly onLate: () => void;
  /** Takes over the change of the head by another device. False when that cannot be done at once. */
  readonly takeHead: (change: HeadChange) => boolean;
};

/** Keeps a session stored: it receives the events and writes them when they are due, one write at a time. */
export class SessionSaver {
  readonly writer: Writer;
  readonly queue: SaveQueue;
  readonly log: ChangeLog;
  readonly #options: SaverOptions;
  readonly #title = new SessionTitle();
  /** True while another tab writes; nothing is written then. */
  isPaused = false;

  constructor(options: SaverOptions) {
    const { sessions, env, read: current, takeHead } = options;
    this.#options = options;
    this.log = new ChangeLog(env);
    const { store, isSilent } = answeringStore(sessions, env);
    this.writer = new Writer({ store, env, log: this.log, title: this.#title, current, takeHead });
    this.queue = new SaveQueue({
      ...options,
      writer: this.writer,
      isSilent,
      isPaused: () => this.isPaused,
      isUnread: () => current().isUnread,
      reread: () => this.#reread(),
      isFailing: () => isFailing(current().state, this.writer.latest?.state),
      first: () => firstPersistence(sessions),
      onLate: () => void (!this.isPaused && isUntouched(current()) && options.onLate()),
    });
  }

  get title(): string {
    return this.#title.of(this.#options.read());
  }

  /** Reads the stored session; `begun` is a read under way. Rejects as `SaveQueue.read` does. */
  load(begun?: Promise<SessionLoad | null>): Promise<SessionRecord | null> {
    return this.queue.read(async () => begun ?? this.#load());
  }

  /**
   * Ends a conflict when the record that was read last is the result of a write of this session whose answer was lost.
   * False when another writer has the session.
   */
  recoverOwnWrite(): boolean {
    const isOwn = this.writer.recoverOwnWrite();
    if (isOwn) this.queue.goOn();
    return isOwn;
  }

  begin(journal: { readonly id: string; readonly base: AgentState }): void {
    if (this.writer.begin(journal)) this.queue.goOn();
  }

  /** Records an event of that journal with the state after it. */
  onEvent(event: AgentEvent, after: AgentState): void {
    const { log } = this;
    const { clock } = this.queue;
    if (event.seq === null || this.isPaused) return;
    const { length } = log.waiting;
    if (this.#title.forgetThatOf(log.onEvent(event, after))) return clock.request(0);
    const waiting = log.waiting;
    if (clock.isSet && !isSooner(event, length, waiting.length)) return;
    const ageMs = waiting.since === null ? 0 : this.#options.env.monotonic() - waiting.since;
    clock.request(writeDue(event, { length: waiting.length, ageMs, sinceWriteMs: clock.sinceWriteMs }));
  }

  /** Schedules a write. The write reads the session when it begins. */
  schedule(): void {
    this.queue.clock.request(this.#untilInterval());
  }

  /** Writes now and takes the writer epoch for a run that begins. Never rejects. */
  claim(): Promise<SaveOutcome> {
    this.writer.epoch.isClaimed = true;
    return this.queue.flush();
  }

  /** Erases the stored old messages at once after they were replaced, and the title derived from them. */
  erase(): void {
    this.log.erase();
    this.#title.forget();
    void this.queue.flush();
  }

  /** Repeats a failed write soon. */
  nudge(): void {
    const { queue } = this;
    // The store also reports the write in progress, so a busy queue is left alone.
    if (queue.persistence.status === 'degraded' && !queue.isBusy) queue.clock.hurry(this.#untilInterval());
  }

  /** True when the stored session was deleted. One that the browser evicted was not; it is saved anew. */
  async wasRemoved(): Promise<boolean> {
    const { found } = (await this.#look()) ?? {};
    return found !== undefined && isGone(found);
  }

  /** True when another page or device wrote since; null when that is not known now. */
  async hasMoved(): Promise<boolean | null> {
    const { known, found } = (await this.#look()) ?? {};
    return found?.kind === 'there' ? found.session.version !== known?.version : null;
  }

  /** True when the deleted session is stored again because the deletion was undone. */
  async isBack(): Promise<boolean> {
    const record = await this.#reread().catch(() => null);
    const known = this.writer.latest;
    // Another session may have taken the id of an erased one.
    return record !== null && !isDeleted(record) && (known === null || known.journalId === record.journal.id);
  }

  async #load(): Promise<SessionLoad | null> {
    const { read, sessions } = this.#options;
    const { id } = read();
    return id === null ? null : sessions.load(id);
  }

  async #reread(): Promise<SessionRecord | null> {
    const load = await this.#load();
    return load && loadedSession(load);
  }

  /** The stored session beside the known one; null when that is not known now. */
  async #look(): Promise<{ readonly known: Stored; readonly found: SessionLoad } | null> {
    const { writer, queue } = this;
    const known = writer.latest;
    if (known === null || queue.isBusy) return null;
    const found = await this.#options.sessions.load(known.head.id).catch(() => null);
    return found === null || writer.latest !== known || queue.isBusy ? null : { known, found };
  }

  #untilInterval(): number {
    return Math.max(0, intervalMs - this.queue.clock.sinceWriteMs);
  }
}

/** True for a session without messages, queue, draft or title. The stored session may replace it. */
function isUntouched({ state, queue, draft, title }: Saved): boolean {
  return messages(state).length === 0 && queue.length === 0 && draft === '' && title === null;
}

/** True for a failure that is not stored yet. */
function isFailing(state: AgentState, known: AgentState | undefined): boolean {
  return runError(state) !== null && (known === undefined || runError(known) === null);
}

function isGone(found: SessionLoad): boolean {
  if (found.kind === 'there') return isDeleted(found.session);
  return found.kind === 'absent' && found.removedAt !== null;
}
