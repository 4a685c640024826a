import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { of as errorInfo } from '@vitrine/core/internal/graph/error-info';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { mergeDeltas } from '@vitrine/core/internal/run/merge-deltas';
import type { SessionCommand } from '@vitrine/core/internal/session/machine/session-input';
import {
  type SessionModel,
  type MirroredModel,
  type RunnerLimits,
  mirroredFields,
  type TabDocument,
  type TabView,
} from '@vitrine/core/internal/session/machine/session-model';
import { isKnown, maxTaken } from '../session/stored-commands.ts';
import { isUnanswered, kindOf, needsRead } from './outbox.ts';
import type { Answer, LinkMessage } from './protocol.ts';
import type { LinkParts } from './link-parts.ts';

type Moment = { readonly document: TabDocument; readonly view: TabView };

/** The delay before a batch, in milliseconds: about one frame. A timer is used because a hidden page gets no frames. */
const frameMs = 16;

/**
 * A session while it leads. It publishes its events to its followers, one message a frame, and nothing while there are
 * none; one that dies says no goodbye, and counts until the term ends. Commands of other tabs get an answer message.
 */
export class Leader {
  /** The number of the leadership term, higher than every term before. */
  readonly #term: number;
  readonly #parts: LinkParts;
  #events: AgentEvent[] = [];
  #lastSent: Moment | null = null;
  #n = 0;
  #cancel: (() => void) | null = null;
  readonly #followers = new Set<string>();
  readonly #answers = new Map<string, Omit<Answer, 'n'> | null>();

  constructor(term: number, parts: LinkParts) {
    this.#term = term;
    this.#parts = parts;
  }

  onEvent(event: AgentEvent): void {
    if (this.#lastSent === null) return;
    this.#events.push(event);
    this.touch();
  }

  /** Notes that the view may have changed. */
  touch(): void {
    if (this.#lastSent !== null)
      this.#cancel ??= this.#parts.session.env.schedule(frameMs, () => void this.flush());
  }

  /** Notes that a new journal begins. The next message is a whole document, since events do not fit the old one. */
  renew(): void {
    const last = this.#lastSent;
    if (last !== null) this.#lastSent = { ...last, document: { ...last.document, journalId: '' } };
    this.touch();
  }

  /** Sends the pending batch now. @returns the number of the last message */
  flush(): number {
    this.#cancel?.();
    this.#cancel = null;
    const before = this.#lastSent;
    if (before === null) return this.#n;
    const { records, say } = this.#parts;
    const { document, view } = this.#moment();
    const isSameJournal = document.journalId === before.document.journalId;
    if (!isSameJournal || isOtherTree(before.document, document)) {
      if (isSameJournal) records.clear();
      this.#sayDocument(null, this.#begin());
      return this.#n;
    }
    const changed = changedView(before.view, view);
    if (changed === null && this.#events.length === 0) return this.#n;
    const events = mergeDeltas(this.#events);
    this.#events = [];
    this.#lastSent = { document, view };
    say({ type: 'batch', term: this.#term, n: ++this.#n, events, view: changed ?? {} });
    return this.#n;
  }

  /**
   * Answers a follower with the events that it lacks, with the whole document where they are not known, or with the term
   * alone when the follower is up to date.
   */
  greet({ id, have, seen }: Extract<LinkMessage, { readonly type: 'hello' }>): void {
    const { records, taken, say } = this.#parts;
    const term = this.#term;
    this.#followers.add(id);
    this.flush();
    const moment = this.#lastSent ?? this.#begin();
    if (seen?.term === term && seen.n === this.#n) return say({ type: 'term', term });
    const missing = have === null ? null : records.since(have);
    if (have === null || missing === null) return this.#sayDocument(id, moment);
    // The follower has read the other commands in the store.
    const view = { ...moment.view, taken: taken.unread };
    say({ type: 'records', term, n: this.#n, to: id, from: have, ...missing, view });
  }

  /** Notes that a follower has left. */
  leave(id: string): void {
    if (this.#followers.delete(id) && this.#followers.size === 0) this.end();
  }

  /** Sends the pending batch and then nothing more. */
  end(): void {
    this.flush();
    this.#lastSent = null;
  }

  /** Takes a command of another tab. A repeated command gets the stored answer again. */
  take(command: SessionCommand): void {
    const { session, replies } = this.#parts;
    const { id: commandId } = command;
    const known = this.#answers.get(commandId);
    if (known !== undefined) return known === null ? undefined : this.#answer(known);
    // A session that is being disposed begins nothing new; the next leader takes the command.
    if (session.model.isDisposed && command.type !== 'stop') return;
    // One that cannot be read does not know what is stored.
    if (session.model.phase === 'unreadable' && needsRead(command)) return;
    this.#answers.set(commandId, null);
    const given = { type: 'answer' as const, term: this.#term, commandId, turn: null, error: null };
    if (!isUnanswered(command))
      void replies.expect(commandId).then(
        (turn) => this.#answer({ ...given, turn }),
        (thrown: unknown) => this.#answer({ ...given, error: errorInfo(thrown) }),
      );
    this.takeOwn(command.type === 'move' ? { ...command, isOfOtherTab: true } : command);
    if (isUnanswered(command)) this.#answer(given);
  }

  /** True for a command of another tab that has no answer yet. */
  isAnswering(commandId: string): boolean {
    return this.#answers.get(commandId) === null;
  }

  /** Takes a command of this tab that was given while another tab led. */
  takeOwn(command: SessionCommand): void {
    const { session, taken } = this.#parts;
    const { id } = command;
    const isDone = taken.ids.includes(id) || isKnown(session, id);
    // Its message is on a branch, so the command leaves the store too.
    if (isDone) taken.add(id);
    session.post(isDone ? { type: 'attach', commandId: id, kind: kindOf(command) } : command);
  }

  #answer(given: Omit<Answer, 'n'>): void {
    const answers = this.#answers;
    answers.set(given.commandId, given);
    if (answers.size > maxTaken) answers.delete(answers.keys().next().value as string);
    // Followers receive the effects of the command before its answer.
    this.#parts.say({ ...given, n: this.flush() });
  }

  /** Begins to tell: events before are part of the moment, and nobody who followed before has it. */
  #begin(): Moment {
    [this.#events, this.#n] = [[], this.#n + 1];
    return (this.#lastSent = this.#moment());
  }

  #moment(): Moment {
    const { session, saver, taken, journals, records } = this.#parts;
    const { model, state, agent } = session;
    const stored = records.settle(saver.writer.latest);
    const shown = { shownTitle: saver.title, persistence: saver.queue.persistence, stored };
    const view = viewOf(model, agent, { ...shown, taken: taken.ids });
    const document = { journalId: journals.current, earlier: journals.earlier, state, tree: model.tree };
    return { document, view };
  }

  #sayDocument(to: string | null, { document, view }: Moment): void {
    const { records, say } = this.#parts;
    say({ type: 'document', term: this.#term, n: this.#n, to, at: records.current, document, view });
  }
}

const limits = ['budget', 'sessionBudget'] as const;

/** The changed fields, or null. Of the commands only the new ones are told. */
function changedView(before: TabView, view: TabView): Partial<TabView> | null {
  const keys = [...mirroredFields, 'shownTitle', 'persistence', 'agentVersion', 'stored', ...limits] as const;
  const changed = keys.filter((key) => before[key] !== view[key]);
  const fields = Object.fromEntries(changed.map((key) => [key, view[key]]));
  if (before.taken === view.taken) return changed.length === 0 ? null : fields;
  const known = new Set(before.taken);
  return { ...fields, taken: view.taken.filter((id) => !known.has(id)) };
}

/** True when the tree changed in another way than by events. */
function isOtherTree({ tree: before }: TabDocument, { tree }: TabDocument): boolean {
  return before.branches !== tree.branches || tree.checkpoints.length < before.checkpoints.length;
}

export function viewOf(
  model: SessionModel,
  { version: agentVersion, budget, sessionBudget }: AgentDefinition,
  shown: Omit<TabView, keyof MirroredModel | keyof RunnerLimits>,
): TabView {
  const mirrored = Object.fromEntries(mirroredFields.map((key) => [key, model[key] ?? null]));
  return { ...(mirrored as unknown as MirroredModel), ...shown, agentVersion, budget, sessionBudget };
}
