import type { Env } from '../../graph/env.ts';
import type { AgentEvent } from '../../run/events.ts';
import { mergeDeltas } from '../../run/merge-deltas.ts';
import { changedView, isOtherTree, type TabDocument, type TabView } from '../machine/tab-view.ts';
import type { ErrorInfo } from '../../graph/error-info.ts';
import type { Turn } from '../agent-session.ts';
import type { SessionCommand } from '../machine/session-input.ts';
import { browserTabs } from './browser-tabs.ts';
import type { TabLink } from '../stores/tab-link.ts';

/**
 * The delay before a batch, in milliseconds: about one frame. A timer is used because a hidden page
 * gets no frames.
 */
const frameMs = 16;

/**
 * Publishes the events of the leader to its followers, one message a frame. Sends nothing while
 * there are no followers.
 */
export type Broadcast = {
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

export function createBroadcast(options: {
  readonly env: Env;
  readonly term: number;
  readonly document: () => TabDocument;
  readonly post: (message: TabMessage) => void;
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

/** The format number of messages between tabs. Messages of another format are ignored. */
const tabFormat = 2;

/**
 * The position of a message: the leadership term, higher with every leader, and the message number
 * within it.
 */
type Place = { readonly term: number; readonly n: number };

export type TabMessage =
  /** From a follower, with its last message. Without `have` it requests the document. */
  | { readonly type: 'hello'; readonly have?: Place }
  /** From a follower with a command that only it can do: requests the lock. */
  | { readonly type: 'wanted' }
  | { readonly type: 'command'; readonly command: SessionCommand }
  /** From a new leader, and the answer to a follower that is up to date. */
  | { readonly type: 'term'; readonly term: number }
  | ({ readonly type: 'document'; readonly document: TabDocument } & Place)
  /** The merged events since the message before, and the changed fields of the view. */
  | ({
      readonly type: 'batch';
      readonly events: readonly AgentEvent[];
      readonly view: Partial<TabView>;
    } & Place)
  /** The result of a command, shown after the message with the same number. */
  | ({
      readonly type: 'answer';
      readonly commandId: string;
      readonly turn: Turn | null;
      readonly error: ErrorInfo | null;
    } & Place);

/** The messages that a leader sends. */
export type LeaderMessage = Exclude<TabMessage, { readonly type: 'hello' | 'wanted' | 'command' }>;

type Sealed = { readonly format: typeof tabFormat; readonly message: TabMessage };

export function sealed(message: TabMessage): Sealed {
  return { format: tabFormat, message };
}

/** The message of another tab; null when it has another format. */
export function opened(data: unknown): TabMessage | null {
  const given = data as Partial<Sealed> | null;
  return given?.format === tabFormat ? (given.message ?? null) : null;
}

/**
 * The link between the tabs of a session and its channel name; null where tabs cannot find each
 * other.
 */
export function linkOf(
  shared: string | TabLink,
  sessionId: string,
): { readonly link: TabLink; readonly name: string } | null {
  const link = typeof shared === 'string' ? browserTabs() : shared;
  const store = typeof shared === 'string' ? shared : 'shared';
  return link && { link, name: `vitrine:${store}:${sessionId}` };
}
