import type { Env } from '../../graph/env.ts';
import type { AgentEvent } from '../../run/events.ts';
import { mergeDeltas } from '../../run/merge-deltas.ts';
import type { TabDocument } from '../machine/tab-document.ts';
import type { TabMessage } from './tab-message.ts';
import { changedView, isOtherTree, type TabView } from '../machine/tab-view.ts';

/** About a frame, in milliseconds. A page that is hidden has no frames, and goes on. */
const frameMs = 16;

/** Tells the tabs that follow what happens, one message a frame; says nothing as long as nobody follows. */
export type Broadcast = {
  readonly hear: (event: AgentEvent) => void;
  /** Something may have changed. */
  readonly touch: () => void;
  /** A journal begins: what was told is not what it stands on. */
  readonly renew: () => void;
  /** Tells now what waits. @returns the number of the last message */
  readonly flush: () => number;
  /** Somebody follows from now on: tells everything. */
  readonly greet: () => void;
  /** Tells what waits, and nothing more. */
  readonly end: () => void;
};

export function createBroadcast(options: {
  readonly env: Env;
  readonly reign: number;
  readonly document: () => TabDocument;
  readonly post: (message: TabMessage) => void;
}): Broadcast {
  const { env, reign, post } = options;
  let events: AgentEvent[] = [];
  let told: { readonly journalId: string; readonly view: TabView } | null = null;
  let n = 0;
  let cancel: (() => void) | null = null;

  /** A document that all take is numbered; who just came takes one that stands where the others are. */
  function tellAll(): void {
    const document = options.document();
    events = [];
    told = document;
    post({ type: 'document', reign, n: ++n, document });
  }

  function greet(): void {
    if (told === null) return tellAll();
    flush();
    post({ type: 'document', reign, n, document: options.document() });
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
    post({ type: 'batch', reign, n: ++n, events: merged, view: changed ?? {} });
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
