import type { Env } from '@vitrine/core/internal/graph/env';
import { of as errorInfo } from '@vitrine/core/internal/graph/error-info';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { mergeDeltas } from '@vitrine/core/internal/run/merge-deltas';
import type { SessionCommand } from '@vitrine/core/internal/session/machine/session-input';
import {
  type SessionModel,
  type MirroredModel,
  mirroredFields,
  type TabDocument,
  type TabView,
} from '@vitrine/core/internal/session/machine/session-model';
import { isKnown, maxTaken } from '../session/stored-commands.ts';
import { isUnanswered, kindOf, needsRead } from './outbox.ts';
import type { Answer, LinkMessage } from './protocol.ts';
import type { LinkParts } from './link-parts.ts';
import type { RecordLog } from './record-log.ts';

/** The parts of a session while it leads: the broadcast to followers and the command receiver. */
export type Leader = { readonly broadcast: Broadcast; readonly receiver: CommandReceiver };

/** Creates the parts of a leadership term. The number is higher than every term before. */
export function createLeader(term: number, parts: LinkParts): Leader {
  const { session, saver, taken, journals, records, say } = parts;

  function moment(): Moment {
    const { model, state, agent } = session;
    const stored = records.settle(saver.latest());
    const shown = { shownTitle: saver.title(), persistence: saver.persistence(), stored };
    const { version: agentVersion, budget, sessionBudget } = agent;
    const view = { ...mirrorOf(model), ...shown, agentVersion, budget, sessionBudget, taken: taken.ids() };
    const document = { journalId: journals.current(), earlier: journals.earlier(), state, tree: model.tree };
    return { document, view };
  }

  const broadcast = createBroadcast({
    env: session.env,
    term,
    moment,
    records,
    unread: taken.unread,
    post: say,
  });
  return { broadcast, receiver: createCommandReceiver(term, parts, broadcast) };
}

/** The session as it is told. */
type Moment = { readonly document: TabDocument; readonly view: TabView };

/**
 * The delay before a batch, in milliseconds: about one frame. A timer is used because a hidden page
 * gets no frames.
 */
const frameMs = 16;

/**
 * Publishes the events of the leader to its followers, one message a frame. Sends nothing while
 * there are no followers. One that dies says no goodbye, and counts until the term ends.
 */
type Broadcast = {
  readonly onEvent: (event: AgentEvent) => void;
  /** Notes that the view may have changed. */
  readonly touch: () => void;
  /**
   * Notes that a new journal begins. The next message is a whole document, since events do not fit
   * the old one.
   */
  readonly renew: () => void;
  /** Sends the pending batch now. @returns the number of the last message */
  readonly flush: () => number;
  /**
   * Answers a follower with the events that it lacks, with the whole document where they are not known, or with the term
   * alone when the follower is up to date.
   */
  readonly greet: (hello: Hello) => void;
  /** Notes that a follower has left. */
  readonly leave: (id: string) => void;
  /** Sends the pending batch and then nothing more. */
  readonly end: () => void;
};

type Hello = Extract<LinkMessage, { readonly type: 'hello' }>;

type BroadcastOptions = {
  readonly env: Env;
  readonly term: number;
  readonly moment: () => Moment;
  readonly records: RecordLog;
  /** The commands that a reader of the store may not find there. */
  readonly unread: () => readonly string[];
  readonly post: (message: LinkMessage) => void;
};

function createBroadcast(options: BroadcastOptions): Broadcast {
  const { env, term, records, post } = options;
  let events: AgentEvent[] = [];
  let lastSent: Moment | null = null;
  let n = 0;
  let cancel: (() => void) | null = null;
  const followers = new Set<string>();

  /** Begins to tell: events before are part of the moment, and nobody who followed before has it. */
  function begin(): Moment {
    [events, n] = [[], n + 1];
    return (lastSent = options.moment());
  }

  function postDocument(to: string | null, { document, view }: Moment): void {
    post({ type: 'document', term, n, to, at: records.current(), document, view });
  }

  function greet({ id, have, seen }: Hello): void {
    followers.add(id);
    flush();
    const moment = lastSent ?? begin();
    if (seen?.term === term && seen.n === n) return post({ type: 'term', term });
    const missing = have === null ? null : records.since(have);
    if (have === null || missing === null) return postDocument(id, moment);
    // The follower has read the other commands in the store.
    const view = { ...moment.view, taken: options.unread() };
    post({ type: 'records', term, n, to: id, from: have, ...missing, view });
  }

  function flush(): number {
    cancel?.();
    cancel = null;
    if (lastSent === null) return n;
    const before = lastSent;
    const { document, view } = options.moment();
    if (document.journalId !== before.document.journalId || isOtherTree(before.document, document)) {
      if (document.journalId === before.document.journalId) records.clear();
      postDocument(null, begin());
      return n;
    }
    const changed = changedView(before.view, view);
    if (changed === null && events.length === 0) return n;
    const merged = mergeDeltas(events);
    events = [];
    lastSent = { document, view };
    post({ type: 'batch', term, n: ++n, events: merged, view: changed ?? {} });
    return n;
  }

  function touch(): void {
    if (lastSent !== null) cancel ??= env.schedule(frameMs, flush);
  }

  function end(): void {
    flush();
    lastSent = null;
  }

  return {
    onEvent(event) {
      if (lastSent === null) return;
      events.push(event);
      touch();
    },
    touch,
    renew() {
      if (lastSent !== null) lastSent = { ...lastSent, document: { ...lastSent.document, journalId: '' } };
      touch();
    },
    flush,
    greet,
    leave: (id) => (followers.delete(id) && followers.size === 0 ? end() : undefined),
    end,
  };
}

/** The receiver of commands in the leader. Commands of other tabs get an answer message. */
type CommandReceiver = {
  /** Takes a command of another tab. A repeated command gets the stored answer again. */
  readonly take: (command: SessionCommand) => void;
  /** True for a command of another tab that has no answer yet. */
  readonly isAnswering: (commandId: string) => boolean;
  /** Takes a command of this tab that was given while another tab led. */
  readonly takeOwn: (command: SessionCommand) => void;
};

function createCommandReceiver(
  term: number,
  { session, replies, taken, say }: LinkParts,
  broadcast: Broadcast,
): CommandReceiver {
  const answers = new Map<string, Omit<Answer, 'n'> | null>();

  function answer(given: Omit<Answer, 'n'>): void {
    answers.set(given.commandId, given);
    if (answers.size > maxTaken) answers.delete(answers.keys().next().value as string);
    // Followers receive the effects of the command before its answer.
    say({ ...given, n: broadcast.flush() });
  }

  function enter(command: SessionCommand): void {
    const { id } = command;
    const isDone = taken.ids().includes(id) || isKnown(session, id);
    // Its message is on a branch, so the command leaves the store too.
    if (isDone) taken.add(id);
    session.post(isDone ? { type: 'attach', commandId: id, kind: kindOf(command) } : command);
  }

  return {
    take(command) {
      const { id: commandId } = command;
      const known = answers.get(commandId);
      if (known !== undefined) return known === null ? undefined : answer(known);
      // A session that is being disposed begins nothing new; the next leader takes the command.
      if (session.model.isDisposed && command.type !== 'stop') return;
      // One that cannot be read does not know what is stored.
      if (session.model.phase === 'unreadable' && needsRead(command)) return;
      answers.set(commandId, null);
      const given = { type: 'answer' as const, term, commandId, turn: null, error: null };
      if (!isUnanswered(command))
        void replies.expect(commandId).then(
          (turn) => answer({ ...given, turn }),
          (thrown: unknown) => answer({ ...given, error: errorInfo(thrown) }),
        );
      enter(command.type === 'move' ? { ...command, isOfOtherTab: true } : command);
      if (isUnanswered(command)) answer(given);
    },
    isAnswering: (commandId) => answers.get(commandId) === null,
    takeOwn: enter,
  };
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

/** The view of a model. */
function mirrorOf(model: SessionModel): MirroredModel {
  return Object.fromEntries(
    mirroredFields.map((key) => [key, model[key] ?? null]),
  ) as unknown as MirroredModel;
}
