import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as settle } from 'node:timers/promises';

/** A clock that only tests move on. Tasks run in order of their times. */
export type VirtualClock = {
  readonly now: () => number;
  readonly after: (ms: number, task: () => void) => () => void;
  /** Runs everything that is due within a time, one task after the other. */
  readonly advance: (ms: number) => Promise<void>;
};

/** The number of tasks of one advance after which it counts as an endless loop. */
const mostTasks = 20_000;

export function createVirtualClock(): VirtualClock {
  let [now, serial] = [0, 0];
  const due = new Map<number, { readonly at: number; readonly task: () => void }>();

  function next(until: number): number | null {
    let first: number | null = null;
    for (const [id, { at }] of due)
      if (at <= until && (first === null || at < due.get(first)!.at)) first = id;
    return first;
  }

  return {
    now: () => now,
    after(ms, task) {
      const id = serial++;
      due.set(id, { at: now + Math.max(0, ms), task });
      return () => void due.delete(id);
    },
    async advance(ms) {
      const until = now + ms;
      let count = 0;
      await settle();
      for (let id = next(until); id !== null; id = next(until)) {
        const { at, task } = due.get(id)!;
        due.delete(id);
        now = at;
        task();
        await settle();
        if (++count > mostTasks) throw new Error('The tasks of the browser do not come to an end.');
      }
      now = until;
    },
  };
}

/** A tab: its own document, and the tasks that wait while it is frozen. */
export type VirtualTab = {
  readonly document: EventTarget & { visibilityState: 'visible' | 'hidden'; readonly baseURI: string };
  readonly window: EventTarget;
  readonly browser: VirtualBrowser;
  readonly waiting: (() => void)[];
  readonly channels: Set<VirtualChannel>;
  isFrozen: boolean;
  isDead: boolean;
};

/** A browser: the locks and channels of its tabs, as web pages have them. */
export type VirtualBrowser = {
  readonly clock: VirtualClock;
  readonly tabs: Set<VirtualTab>;
  readonly locks: Map<string, HeldLock>;
};

type LockRequest = {
  readonly tab: VirtualTab;
  readonly callback: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (thrown: unknown) => void;
};
type HeldLock = { held: LockRequest | null; readonly queue: LockRequest[] };

/** The tab whose code runs. */
const running = new AsyncLocalStorage<VirtualTab>();

/** The delay of messages between tabs and of granted locks, in milliseconds. */
const latencyMs = 1;

export function createVirtualBrowser(clock: VirtualClock): VirtualBrowser {
  return { clock, tabs: new Set(), locks: new Map() };
}

export function openTab(browser: VirtualBrowser): VirtualTab {
  const document = Object.assign(new EventTarget(), {
    visibilityState: 'visible' as const,
    baseURI: 'https://chat.test/',
  });
  const parts = { window: new EventTarget(), waiting: [], channels: new Set<VirtualChannel>() };
  const tab: VirtualTab = { ...parts, document, browser, isFrozen: false, isDead: false };
  browser.tabs.add(tab);
  return tab;
}

/** Runs a task of a tab: later when it is frozen, never when it is dead. */
export function runIn(tab: VirtualTab, task: () => void): void {
  if (tab.isDead) return;
  if (tab.isFrozen) tab.waiting.push(task);
  else running.run(tab, task);
}

export function showTab(tab: VirtualTab, visibilityState: 'visible' | 'hidden'): void {
  if (tab.document.visibilityState === visibilityState) return;
  tab.document.visibilityState = visibilityState;
  runIn(tab, () => void tab.document.dispatchEvent(new Event('visibilitychange')));
}

export function thawTab(tab: VirtualTab): void {
  tab.isFrozen = false;
  for (const task of tab.waiting.splice(0)) runIn(tab, task);
}

/** Ends a tab as a crash does: no code of it runs any more, and the browser gives back its locks. */
export function killTab(tab: VirtualTab): void {
  tab.isDead = true;
  tab.browser.tabs.delete(tab);
  for (const [name, lock] of tab.browser.locks) {
    for (const request of lock.queue.filter((queued) => queued.tab === tab)) leaveQueue(lock, request);
    if (lock.held?.tab === tab) passLock(tab.browser, name);
  }
}

function leaveQueue({ queue }: HeldLock, request: LockRequest): boolean {
  const at = queue.indexOf(request);
  if (at >= 0) queue.splice(at, 1);
  return at >= 0;
}

function passLock(browser: VirtualBrowser, name: string): void {
  const lock = browser.locks.get(name)!;
  lock.held = null;
  const next = lock.queue.shift();
  if (next !== undefined) grant(browser, name, next);
}

function grant(browser: VirtualBrowser, name: string, request: LockRequest): void {
  const lock = browser.locks.get(name)!;
  lock.held = request;
  const giveBack = (): void => (lock.held === request ? passLock(browser, name) : undefined);
  browser.clock.after(latencyMs, () =>
    runIn(request.tab, () => {
      void Promise.resolve(request.callback()).then((value) => {
        giveBack();
        request.resolve(value);
      });
    }),
  );
}

type LockOptions = { readonly steal?: boolean; readonly signal?: AbortSignal };

function requestLock(
  tab: VirtualTab,
  name: string,
  options: LockOptions,
  callback: () => unknown,
): Promise<unknown> {
  const { browser } = tab;
  const lock = browser.locks.get(name) ?? { held: null, queue: [] };
  browser.locks.set(name, lock);
  return new Promise((resolve, reject) => {
    const request = { tab, callback, resolve, reject };
    const abort = (): void => reject(new DOMException('The request was aborted.', 'AbortError'));
    options.signal?.addEventListener('abort', () => (leaveQueue(lock, request) ? abort() : undefined));
    if (options.steal === true && lock.held !== null) {
      const { held } = lock;
      const stolen = new DOMException('The lock was stolen.', 'AbortError');
      browser.clock.after(latencyMs, () => runIn(held.tab, () => held.reject(stolen)));
    }
    if (lock.held === null || options.steal === true) grant(browser, name, request);
    else lock.queue.push(request);
  });
}

/** A channel between the tabs of a browser. */
class VirtualChannel extends EventTarget {
  readonly name: string;
  readonly #tab: VirtualTab;
  constructor(name: string) {
    super();
    this.name = name;
    this.#tab = currentTab();
    this.#tab.channels.add(this);
  }
  postMessage(message: unknown): void {
    const { browser } = this.#tab;
    const data: unknown = structuredClone(message);
    for (const tab of browser.tabs)
      for (const channel of tab.channels) {
        if (channel === this || channel.name !== this.name) continue;
        const deliver = (): void =>
          tab.channels.has(channel)
            ? void channel.dispatchEvent(new MessageEvent('message', { data }))
            : undefined;
        browser.clock.after(latencyMs, () => runIn(tab, deliver));
      }
  }
  close(): void {
    this.#tab.channels.delete(this);
  }
}

/** Gives the code of each tab its own document, locks, channels, clock and timers. @returns the function that ends this */
export function installVirtualGlobals(clock: VirtualClock): () => void {
  const setTimeout = (task: () => void, ms = 0): unknown => {
    const tab = currentTab();
    return { cancel: clock.after(ms, () => runIn(tab, task)) };
  };
  const clearTimeout = (timer: { readonly cancel: () => void } | undefined): void => timer?.cancel();
  const locks = {
    request: (name: string, options: LockOptions, callback: () => unknown) =>
      requestLock(currentTab(), name, options, callback),
  };
  const ofTab: Readonly<Record<string, (tab: VirtualTab) => unknown>> = {
    performance: () => ({ now: clock.now }),
    localStorage: () => null,
    navigator: () => ({ onLine: true, locks }),
    document: ({ document }) => document,
    addEventListener: ({ window }) => window.addEventListener.bind(window),
    removeEventListener: ({ window }) => window.removeEventListener.bind(window),
    BroadcastChannel: () => VirtualChannel,
    setTimeout: () => setTimeout,
    clearTimeout: () => clearTimeout,
  };
  const before = Object.keys(ofTab).map(
    (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
  );
  for (const [name, descriptor] of before) {
    let outside: unknown = descriptor?.get ? descriptor.get.call(globalThis) : descriptor?.value;
    Object.defineProperty(globalThis, name, {
      get() {
        const tab = running.getStore();
        return tab === undefined ? outside : ofTab[name]!(tab);
      },
      // The runner of tests sets timers while it reports.
      set(value: unknown) {
        outside = value;
      },
      configurable: true,
    });
  }
  return () => {
    for (const [name, descriptor] of before)
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, descriptor);
  };
}

/** The tab whose code runs now. */
export function currentTab(): VirtualTab {
  const tab = running.getStore();
  if (tab === undefined) throw new Error('No code of a tab runs.');
  return tab;
}
