import type { Env } from '../../graph/env.ts';
import type { AgentEvent } from '../../run/events.ts';
import { mergeDeltas } from '../../run/merge-deltas.ts';
import type { TabDocument } from '../machine/tab-document.ts';
import type { Place, TabMessage } from './tab-message.ts';
import { changedView, isOtherTree, type TabView } from '../machine/tab-view.ts';

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
