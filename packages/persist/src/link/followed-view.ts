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
import type { Stored } from '../writer/plan-write.ts';
import type { SessionRecord } from '@vitrine/core/internal/session/store/session-store';
import { createOutbox, isRunning, type Outbox } from './outbox.ts';
import { createFollower, type Follower, type FollowerOptions } from './follower.ts';
import type { Answer } from './protocol.ts';
import type { LinkedSession, LinkParts } from './link-parts.ts';

/** One update that a follower takes from the leader. */
type Followed = Omit<OutcomeOf<'followed'>, 'type'>;

/** A stored state of the leader that a follower can go back to. */
type Base = { readonly cursor: Cursor; readonly state: AgentState };

/** The states of a follower by its place: the last stored one, and those of later live messages. */
type FollowedStates = {
  readonly base: () => Base | null;
  readonly setBase: (base: Base | null) => void;
  /** Notes the state after an update. */
  readonly note: (followed: Followed, state: AgentState) => void;
};

/** The number of live messages behind a stored record whose states are kept. */
const maxStates = 500;

function createFollowedStates(): FollowedStates {
  let base: Base | null = null;
  let states = new Map<number, AgentState>();

  function setBase(next: Base | null): void {
    base = next;
    states = new Map();
  }

  return {
    base: () => base,
    setBase,
    note({ mark = {}, view }, state) {
      const { at, n } = mark;
      if (at !== undefined) setBase(at && { cursor: at, state });
      if (n !== undefined) states.set(n, state);
      if (states.size > maxStates) states.delete(states.keys().next().value as number);
      const stored = view.stored ?? null;
      const known = stored === null ? undefined : states.get(stored.n);
      if (stored === null || known === undefined) return;
      const { journalId, record, n: place } = stored;
      base = { cursor: { journalId, record }, state: known };
      states = new Map([...states].filter(([entry]) => entry >= place));
    },
  };
}

/** The part of the view of a leader that is neither of the model nor of the state. */
export type ShownView = RunnerLimits & { readonly title: string; readonly persistence: PersistenceState };

/** The state that a follower has of the leader, and the requests that it sends. */
export type FollowedView = Pick<Follower, 'receive' | 'check'> & {
  readonly outbox: Outbox;
  /** Begins to follow on the stored session that was read. */
  readonly begin: () => void;
  /** Requests the whole document: an event does not fit the state. */
  readonly requestDocument: () => void;
  /** Shows why the session cannot be followed, until the next message of a leader. */
  readonly fail: (error: ErrorInfo) => void;
  /** Called after an update of the leader was taken. */
  readonly onFollowed: (followed: OutcomeOf<'followed'>) => void;
  /** True when the leader is known. */
  readonly isKnown: () => boolean;
  /** The title, the persistence, the limits and the version of the agent to show; null before the first message of a leader. */
  readonly shownView: () => ShownView | null;
  /** The followed state when it is newer than the stored record; null otherwise. */
  readonly unstoredState: (record: SessionRecord | null) => AgentState | null;
  /** Begins a leadership term of this tab and returns its number. */
  readonly beginTerm: () => number;
  /** Tells the leader that this follower leaves. */
  readonly leave: () => void;
  /** Stops all requests and repeated commands. */
  readonly end: () => void;
};

export function createFollowedView(parts: LinkParts): FollowedView {
  const { session, saver, replies, journals, say } = parts;
  const { env, publisher } = session;
  const outbox = createOutbox({ session, replies, say, needsLock });
  const states = createFollowedStates();
  const updates = createUpdates(parts, states, outbox);
  const id = env.id();
  let follower = followerAfter(0, false);

  function followerAfter(term: number, isRead: boolean): Follower {
    const have = (): Cursor | null => states.base()?.cursor ?? null;
    const on = { ...updates.on, onAnswer, onTerm: updates.forget };
    return createFollower({ env, id, term, isRead, post: say, have, ...on });
  }

  /** Shows the effects of a command before its promise settles. */
  function onAnswer(answer: Answer): void {
    publisher.flush();
    outbox.receive(answer);
  }

  /**
   * True for a command that only this tab can do: a function cannot be posted, and a run needs an
   * agent of this version.
   */
  function needsLock(command: SessionCommand): boolean {
    // A server does all that it takes with its own agent, and refuses the rest in a sentence.
    if (parts.transport.tabs.where === 'server') return false;
    const view = updates.view();
    const isOther = view !== null && view.agentVersion !== session.agent.version;
    return command.type === 'update' || (isOther && isRunning(command));
  }

  return {
    outbox,
    receive: (message) => follower.receive(message),
    begin() {
      const stored = saver.latest();
      states.setBase(stored && { cursor: cursorOf(stored), state: stored.state });
      follower.begin();
    },
    requestDocument() {
      states.setBase(null);
      follower.ask();
    },
    check: () => follower.check(),
    fail(error) {
      // The view of the next answer takes the error back.
      follower.ask();
      session.post({ type: 'followed', document: null, events: [], view: { error } });
    },
    onFollowed(followed) {
      if (follower.isInSync()) states.note(followed, session.state);
    },
    isKnown: updates.isKnown,
    shownView: () => shownIn(updates.view()),
    unstoredState(record) {
      if (updates.view() === null) return null;
      const own = session.state;
      return record === null || journals.isLater(own, record) ? own : null;
    },
    beginTerm() {
      // The term is higher than every known one; the clock covers terms that this tab never heard
      // of.
      const term = Math.max(follower.term() + 1, env.now());
      updates.forget();
      follower.end();
      states.setBase(null);
      follower = followerAfter(term, true);
      return term;
    },
    leave: () => say({ type: 'bye', id }),
    end() {
      follower.end();
      outbox.end();
    },
  };
}

function shownIn(view: TabView | null): ShownView | null {
  return view && { ...view, title: view.shownTitle };
}

function cursorOf({ journalId, records }: Stored): Cursor {
  return { journalId, record: records };
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

/** Passes the messages of a leader to the session, and keeps its view. */
type Updates = {
  readonly on: Pick<FollowerOptions, 'onBatch' | 'onDocument' | 'onRecords'>;
  /** The view of the leader; null before its first message. */
  readonly view: () => TabView | null;
  /** True when the leader is known. */
  readonly isKnown: () => boolean;
  readonly forget: () => void;
};

function createUpdates(
  { session, taken, journals }: LinkParts,
  states: FollowedStates,
  outbox: Outbox,
): Updates {
  let view: TabView | null = null;
  let isKnown = false;

  function takeView(changed: Partial<TabView>): void {
    view = { ...(view as TabView), ...changed };
    taken.add(...(changed.taken ?? []));
  }

  function follow(followed: Followed): void {
    // A draft that is typed here wins over an older draft of the leader.
    const { draft, ...rest } = followed.view;
    const shown = outbox.has('set-draft') || draft === undefined ? rest : { ...rest, draft };
    const isFirst = !isKnown;
    isKnown = true;
    session.post({ type: 'followed', ...followed, view: shown });
    if (isFirst) outbox.all().forEach(outbox.send);
  }

  return {
    on: {
      onBatch({ n, events, view: changed }) {
        takeView(changed);
        follow({ document: null, events, view: changed, mark: { n } });
      },
      onDocument({ n, at, document, view: whole }) {
        journals.learn(document.journalId, document.earlier);
        takeView(whole);
        follow({ document, events: [], view: whole, mark: { at, n } });
      },
      // Goes back to the last stored state: what was shown behind it was a preview.
      onRecords({ n, at, records, preview, view: whole }) {
        const base = states.base();
        if (base === null) return;
        takeView(whole);
        // All of it is one update: between the records and the preview the view would not fit the state.
        const document = documentOf(base, session);
        states.setBase({ cursor: at, state: records.reduce(apply, base.state) });
        follow({ document, events: [...records, ...preview], view: whole, mark: { n } });
      },
    },
    view: () => view,
    isKnown: () => isKnown,
    forget: () => void (isKnown = false),
  };
}
