import type { Env } from '../../graph/env.ts';
import { of as errorInfo } from '../../graph/error-info.ts';
import { type AgentEvent, mergeDeltas } from '../../run/events.ts';
import type { SessionCommand } from '../machine/session-input.ts';
import {
  type SessionModel,
  type MirroredModel,
  mirroredFields,
  type TabDocument,
  type TabView,
} from '../machine/session-model.ts';
import { isKnown, maxTaken } from '../stored-commands.ts';
import { isTold, kindOf, needsRead } from './outbox.ts';
import type { Answer, LinkMessage, Place } from './protocol.ts';
import type { LinkParts } from './link-parts.ts';

/** The parts of a session while it leads: the broadcast to followers and the command receiver. */
export type Leader = { readonly broadcast: Broadcast; readonly receiver: CommandReceiver };

/** Creates the parts of a leadership term. The number is higher than every term before. */
export function createLeader(term: number, parts: LinkParts): Leader {
  const { session, taken, journals, say } = parts;

  function document(): TabDocument {
    const { saver, model, state, agent } = session;
    const shown = { shownTitle: saver.title(), persistence: saver.persistence() };
    const view = { ...mirrorOf(model), ...shown, agentVersion: agent.version, taken: taken.ids() };
    return { journalId: journals.current(), earlier: journals.earlier(), state, view };
  }

  const broadcast = createBroadcast({ env: session.env, term, document, post: say });
  return { broadcast, receiver: createCommandReceiver(term, parts, broadcast) };
}

/**
 * The delay before a batch, in milliseconds: about one frame. A timer is used because a hidden page
 * gets no frames.
 */
const frameMs = 16;

/**
 * Publishes the events of the leader to its followers, one message a frame. Sends nothing while
 * there are no followers.
 */
type Broadcast = {
  readonly hear: (event: AgentEvent) => void;
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
   * Answers a new follower with the whole document, or with the term alone when the follower is up
   * to date.
   */
  readonly greet: (have?: Place) => void;
  /** Sends the pending batch and then nothing more. */
  readonly end: () => void;
};

function createBroadcast(options: {
  readonly env: Env;
  readonly term: number;
  readonly document: () => TabDocument;
  readonly post: (message: LinkMessage) => void;
}): Broadcast {
  const { env, term, post } = options;
  let events: AgentEvent[] = [];
  let told: { readonly journalId: string; readonly view: TabView } | null = null;
  let n = 0;
  let cancel: (() => void) | null = null;

  /**
   * A document for all followers gets a new number; a document for one newcomer repeats the current
   * number.
   */
  function tellAll(): void {
    const document = options.document();
    events = [];
    told = document;
    post({ type: 'document', term, n: ++n, document });
  }

  function greet(have?: Place): void {
    if (told === null) return tellAll();
    flush();
    if (have?.term === term && have.n === n) return post({ type: 'term', term });
    post({ type: 'document', term, n, document: options.document() });
  }

  function flush(): number {
    cancel?.();
    cancel = null;
    if (told === null) return n;
    const { journalId, view } = options.document();
    if (journalId !== told.journalId || isOtherTree(told.view, view)) {
      tellAll();
      return n;
    }
    const changed = changedView(told.view, view);
    if (changed === null && events.length === 0) return n;
    const merged = mergeDeltas(events);
    events = [];
    told = { journalId, view };
    post({ type: 'batch', term, n: ++n, events: merged, view: changed ?? {} });
    return n;
  }

  function touch(): void {
    if (told !== null) cancel ??= env.schedule(frameMs, flush);
  }

  return {
    hear(event) {
      if (told === null) return;
      events.push(event);
      touch();
    },
    touch,
    renew() {
      if (told !== null) told = { ...told, journalId: '' };
      touch();
    },
    flush,
    greet,
    end() {
      flush();
      told = null;
    },
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
      if (!isTold(command))
        void replies.expect(commandId).then(
          (turn) => answer({ ...given, turn }),
          (thrown: unknown) => answer({ ...given, error: errorInfo(thrown) }),
        );
      enter(command.type === 'move' ? { ...command, isOfOtherTab: true } : command);
      if (isTold(command)) answer(given);
    },
    isAnswering: (commandId) => answers.get(commandId) === null,
    takeOwn: enter,
  };
}

/**
 * The changed fields, or null. The tree is left out: events carry checkpoints, and a document carries
 * branches.
 */
function changedView(before: TabView, view: TabView): Partial<TabView> | null {
  const keys = [...mirroredFields, 'shownTitle', 'persistence', 'agentVersion', 'taken'] as const;
  const changed = keys.filter((key) => before[key] !== view[key]);
  return changed.length === 0 ? null : Object.fromEntries(changed.map((key) => [key, view[key]]));
}

/** True when the tree changed in another way than by events. */
function isOtherTree({ tree: before }: MirroredModel, { tree }: MirroredModel): boolean {
  return before.branches !== tree.branches || tree.checkpoints.length < before.checkpoints.length;
}

/** The view of a model. */
function mirrorOf(model: SessionModel): MirroredModel {
  const keys = [...mirroredFields, 'tree'] as const;
  return Object.fromEntries(keys.map((key) => [key, model[key] ?? null])) as unknown as MirroredModel;
}
