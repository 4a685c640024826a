import { createRepeated, type Repeated } from '../session/repeated.ts';
import type { Turn } from '@vitrine/core/internal/session/agent-session';
import { isKept, type SessionCommand } from '@vitrine/core/internal/session/machine/session-input';
import { newTurn } from '@vitrine/core/internal/session/machine/transition';
import { toThrown, plainInfo } from '@vitrine/core/internal/session/replies';
import { awaitStore } from '../writer/save-queue.ts';
import type { OutboxCommand, SessionOutbox } from '@vitrine/core/internal/session/store/session-outbox';
import type { Answer } from './protocol.ts';
import type { LinkParts } from './link-parts.ts';

/** Pauses before a command is sent again, in milliseconds; each is twice the one before. */
const pauses = { first: 1000, longest: 30_000 };

/** The unanswered commands of a tab, in memory and in the store, where the next leader finds them. */
export class Outbox {
  readonly #parts: LinkParts;
  /** True for a command that only this tab can do. */
  readonly #needsLock: (command: SessionCommand) => boolean;
  readonly #store: SessionOutbox | undefined;
  readonly #sessionId: string;
  readonly #pending = new Map<string, SessionCommand>();
  readonly #stored = new Set<string>();
  readonly #resending = new Map<string, Repeated>();
  #storing: Promise<unknown> = Promise.resolve();

  constructor(parts: LinkParts, needsLock: (command: SessionCommand) => boolean) {
    this.#parts = parts;
    this.#needsLock = needsLock;
    this.#store = parts.session.sessions?.outbox;
    this.#sessionId = parts.session.id() ?? '';
  }

  get all(): readonly SessionCommand[] {
    return [...this.#pending.values()];
  }

  add(command: SessionCommand): void {
    this.#pending.set(command.id, command);
  }

  has(wanted: SessionCommand['type']): boolean {
    return this.all.some(({ type }) => type === wanted);
  }

  settle(commandId: string): void {
    this.#pending.delete(commandId);
    this.#resending.get(commandId)?.stop();
    this.#resending.delete(commandId);
    if (this.#stored.delete(commandId)) this.#write(() => this.#drop(commandId));
  }

  /** Sends a command to the leader, or requests the lock, and repeats this until the command is answered. */
  send(command: SessionCommand): void {
    if (!this.#pending.has(command.id)) return;
    this.#resending.get(command.id)?.stop();
    const repeated = createRepeated(this.#parts.session.env, pauses, () => this.#sendNow(command));
    this.#resending.set(command.id, repeated);
    repeated.now();
  }

  keep(command: SessionCommand): void {
    const store = this.#store;
    if (store === undefined || !mayWait(command)) return;
    const { id } = command;
    this.#write(async () => {
      if (!this.#pending.has(id)) return;
      const kept = command as unknown as OutboxCommand;
      await awaitStore(this.#parts.session.env, store.put(this.#sessionId, kept));
      if (this.#pending.has(id)) this.#stored.add(id);
      else await this.#drop(id);
    });
  }

  /** Resolves when the outbox is written: false when a command that can be stored is not in the store. */
  async whenKept(): Promise<boolean> {
    await this.#storing;
    return this.all.every((command) => !mayWait(command) || this.#stored.has(command.id));
  }

  receive({ commandId, turn, error }: Answer): void {
    const { replies } = this.#parts;
    const command = this.#pending.get(commandId);
    if (command === undefined) return;
    this.settle(commandId);
    const kind = kindOf(command);
    if (error === null) replies.resolve(commandId, turn);
    // A server may refuse a command that no session has seen; its turn says so.
    else if (kind !== null) replies.resolve(commandId, { ...newTurn(commandId, kind, 'refused'), error });
    else replies.reject(commandId, toThrown(error));
  }

  /** Stops all repeats. Promises resolve; the turns of stored commands are reported as queued. */
  end(): void {
    this.#resending.forEach((repeated) => repeated.stop());
    this.#resending.clear();
    for (const command of this.all) {
      const kind = kindOf(command);
      const turn = kind && { ...newTurn(command.id, kind), stored: this.#stored.has(command.id) };
      this.#parts.replies.resolve(command.id, turn);
    }
  }

  /** Writes run one after the other, so the store keeps the order of the commands. */
  #write(work: () => Promise<unknown>): void {
    this.#storing = this.#storing.then(work).catch(() => undefined);
  }

  async #drop(commandId: string): Promise<void> {
    const dropped = this.#store?.drop(this.#sessionId, [commandId]);
    await (dropped && awaitStore(this.#parts.session.env, dropped));
  }

  #sendNow(command: SessionCommand): void {
    const { say, replies } = this.#parts;
    if (this.#needsLock(command)) return say({ type: 'wanted' });
    try {
      say({ type: 'command', command });
    } catch (thrown) {
      // The command holds a value that cannot be cloned.
      this.settle(command.id);
      replies.refuse([command], plainInfo(thrown));
    }
  }
}

/** True for commands without a promise to settle. */
export function isUnanswered(command: SessionCommand): boolean {
  const { type } = command;
  if (type === 'resume') return command.isAutomatic;
  return type === 'set-draft' || type === 'clear-error' || type === 'cancel-queued';
}

/** The kind of the turn that a command makes; null for commands that make none. */
export function kindOf(command: SessionCommand): Turn['kind'] | null {
  switch (command.type) {
    case 'send':
    case 'resume':
    case 'retry':
    case 'continue':
    case 'answer':
      return command.type;
    case 'move':
      return command.kind;
    case 'debug':
      return command.action.type === 'release' ? 'answer' : null;
    default:
      return null;
  }
}

/** True for a command that begins a run, so the version of the agent matters. */
export function isRunning({ type }: SessionCommand): boolean {
  return type === 'send' || type === 'move' || type === 'retry' || type === 'continue';
}

/** True for a command that any later leader may do. A function cannot be stored. */
function mayWait(command: SessionCommand): boolean {
  if (command.type === 'resume' && command.isAutomatic) return false;
  return isKept(command) && command.type !== 'update';
}

/** True for a command that another tab may have done, so only a session that was read can tell. */
export function needsRead(command: SessionCommand): boolean {
  return mayWait(command) && command.type !== 'retry';
}
