import { apply } from '@vitrine/core/internal/run/apply';
import type { ErrorInfo } from '@vitrine/core/internal/graph/error-info';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { PersistenceState } from '@vitrine/core/internal/session/agent-session';
import { branchMessages } from '@vitrine/core/internal/session/branches/branch-messages';
import type { OutcomeOf, SessionCommand } from '@vitrine/core/internal/session/machine/session-input';
import type {
  Cursor,
  RunnerLimits,
  TabDocument,
  TabView,
} from '@vitrine/core/internal/session/machine/session-model';
import { liveMessages } from '@vitrine/core/internal/session/machine/state-facts';
import type { SessionRecord } from '@vitrine/core/internal/session/store/session-store';
import { isRunning, Outbox } from './outbox.ts';
import { Follower } from './follower.ts';
import type { LeaderMessage } from './protocol.ts';
import type { LinkedSession, LinkParts } from './link-parts.ts';

/** One update that a follower takes from the leader. */
type Followed = Omit<OutcomeOf<'followed'>, 'type'>;

/** A stored state of the leader that a follower can go back to. */
type Base = { readonly cursor: Cursor; readonly state: AgentState };

/** The number of live messages behind a stored record whose states are kept. */
const maxStates = 500;

/** The states of a follower by its place: the last stored one, and those of later live messages. */
class FollowedStates {
  #base: Base | null = null;
  #states = new Map<number, AgentState>();

  get base(): Base | null {
    return this.#base;
  }

  set base(base: Base | null) {
    this.#base = base;
    this.#states = new Map();
  }

  note({ mark = {}, view }: Followed, state: AgentState): void {
    const { at, n } = mark;
    if (at !== undefined) this.base = at && { cursor: at, state };
    const states = this.#states;
    if (n !== undefined) states.set(n, state);
    if (states.size > maxStates) states.delete(states.keys().next().value as number);
    const stored = view.stored ?? null;
    const known = stored === null ? undefined : states.get(stored.n);
    if (stored === null || known === undefined) return;
    const { journalId, record, n: place } = stored;
    this.#base = { cursor: { journalId, record }, state: known };
    this.#states = new Map([...states].filter(([entry]) => entry >= place));
  }
}

/** The part of the view of a leader that is neither of the model nor of the state. */
export type ShownView = RunnerLimits & { readonly title: string; readonly persistence: PersistenceState };

/** The state that a follower has of the leader, and the requests that it sends. */
export class FollowedView {
  readonly outbox: Outbox;
  isKnown = false;
  readonly #parts: LinkParts;
  readonly #states = new FollowedStates();
  /** The view of the leader; null before its first message. */
  #view: TabView | null = null;
  readonly #id: string;
  #follower: Follower;

  constructor(parts: LinkParts) {
    this.#parts = parts;
    this.outbox = new Outbox(parts, (command) => this.#needsLock(command));
    this.#id = parts.session.env.id();
    this.#follower = this.#followerAfter(0, false);
  }

  /** The title, the persistence, the limits and the version of the agent to show; null before the first message of a leader. */
  get shown(): ShownView | null {
    return this.#view && { ...this.#view, title: this.#view.shownTitle };
  }

  receive(message: LeaderMessage): void {
    this.#follower.receive(message);
  }

  /** Asks whether anything is missing. */
  check(): void {
    this.#follower.check();
  }

  /** Begins to follow on the stored session that was read. */
  begin(): void {
    const stored = this.#parts.saver.writer.latest;
    const cursor = stored && { journalId: stored.journalId, record: stored.records };
    this.#states.base = cursor && { cursor, state: stored.state };
    this.#follower.begin();
  }

  /** Requests the whole document: an event does not fit the state. */
  requestDocument(): void {
    this.#states.base = null;
    this.#follower.ask();
  }

  /** Shows why the session cannot be followed, until the next message of a leader. */
  fail(error: ErrorInfo): void {
    // The view of the next answer takes the error back.
    this.#follower.ask();
    this.#parts.session.post({ type: 'followed', document: null, events: [], view: { error } });
  }

  /** Called after an update of the leader was taken. */
  onFollowed(followed: OutcomeOf<'followed'>): void {
    if (this.#follower.isInSync) this.#states.note(followed, this.#parts.session.state);
  }

  /** The followed state when it is newer than the stored record; null otherwise. */
  unstoredState(record: SessionRecord | null): AgentState | null {
    if (this.#view === null) return null;
    const { session, journals } = this.#parts;
    return record === null || journals.isLater(session.state, record) ? session.state : null;
  }

  /** Begins a leadership term of this tab and returns its number. */
  beginTerm(): number {
    // The term is higher than every known one; the clock covers terms that this tab never heard of.
    const term = Math.max(this.#follower.term + 1, this.#parts.session.env.now());
    this.isKnown = false;
    this.#follower.end();
    this.#states.base = null;
    this.#follower = this.#followerAfter(term, true);
    return term;
  }

  leave(): void {
    this.#parts.say({ type: 'bye', id: this.#id });
  }

  /** Stops all requests and repeated commands. */
  end(): void {
    this.#follower.end();
    this.outbox.end();
  }

  #followerAfter(term: number, isRead: boolean): Follower {
    const { session, say: post } = this.#parts;
    return new Follower({
      env: session.env,
      id: this.#id,
      term,
      isRead,
      post,
      have: () => this.#states.base?.cursor ?? null,
      onBatch: ({ n, events, view }) => {
        this.#takeView(view);
        this.#follow({ document: null, events, view, mark: { n } });
      },
      onDocument: ({ n, at, document, view }) => {
        this.#parts.journals.learn(document.journalId, document.earlier);
        this.#takeView(view);
        this.#follow({ document, events: [], view, mark: { at, n } });
      },
      // Goes back to the last stored state: what was shown behind it was a preview.
      onRecords: ({ n, at, records, preview, view }) => {
        const { base } = this.#states;
        if (base === null) return;
        this.#takeView(view);
        // All of it is one update: between the records and the preview the view would not fit the state.
        const document = documentOf(base, session);
        this.#states.base = { cursor: at, state: records.reduce(apply, base.state) };
        this.#follow({ document, events: [...records, ...preview], view, mark: { n } });
      },
      // Shows the effects of a command before its promise settles.
      onAnswer: (answer) => {
        session.publisher.flush();
        this.outbox.receive(answer);
      },
      onTerm: () => void (this.isKnown = false),
    });
  }

  #takeView(changed: Partial<TabView>): void {
    this.#view = { ...(this.#view as TabView), ...changed };
    this.#parts.taken.add(...(changed.taken ?? []));
  }

  /** Passes an update of the leader to the session. */
  #follow(followed: Followed): void {
    const { outbox } = this;
    // A draft that is typed here wins over an older draft of the leader.
    const { draft, ...rest } = followed.view;
    const view = outbox.has('set-draft') || draft === undefined ? rest : { ...rest, draft };
    const isFirst = !this.isKnown;
    this.isKnown = true;
    this.#parts.session.post({ type: 'followed', ...followed, view });
    if (isFirst) outbox.all.forEach((command) => outbox.send(command));
  }

  /**
   * True for a command that only this tab can do: a function cannot be posted, and a run needs an
   * agent of this version.
   */
  #needsLock(command: SessionCommand): boolean {
    const { transport, session } = this.#parts;
    // A server does all that it takes with its own agent, and refuses the rest in a sentence.
    if (transport.tabs.where === 'server') return false;
    const isOther = this.#view !== null && this.#view.agentVersion !== session.agent.version;
    return command.type === 'update' || (isOther && isRunning(command));
  }
}

/** The stored state as a document, with the branches of now and the checkpoints of then. */
function documentOf({ cursor, state }: Base, { model }: LinkedSession): TabDocument {
  const said = new Set([...branchMessages(state), ...liveMessages(state)].map(({ id }) => id));
  const { checkpoints } = model.tree;
  const last = checkpoints.findLastIndex(({ messageId }) => said.has(messageId));
  const tree =
    last === checkpoints.length - 1
      ? model.tree
      : { ...model.tree, checkpoints: checkpoints.slice(0, last + 1) };
  return { journalId: cursor.journalId, earlier: [], state, tree };
}
