import { AsyncLocalStorage } from 'node:async_hooks';
import { type AgentSession, createAgentSession } from '@vitrine/core';
import { expect, it, onTestFinished } from 'vitest';
import { type ServedClerk, serveClerk, textOf } from './served-clerk.fixture.ts';

/** The storage of the page that runs, so that many pages run at once. */
const storages = new AsyncLocalStorage<
  Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>
>();
const text = 'look:typed';

/** A browser of one device. Its storage stays when its pages are closed. */
type Browser = { readonly kept: Map<string, string>; readonly sessionId: string };
type Page = {
  readonly session: AgentSession;
  /** Resolves when the page was closed, or the promise has. */
  readonly ended: (promise: Promise<unknown>) => Promise<unknown>;
  /** Lets the requests of the page reach the server, as a person. */
  readonly connect: (name: string) => void;
  readonly within: <Value>(work: () => Value) => Value;
  readonly isClosed: () => boolean;
  /** Resolves when the server has refused a request. */
  readonly refused: Promise<void>;
};

/** Opens a page that is closed at one of its steps: each access to its storage, each request and each answer is one. */
function openPage(
  { remoteOf }: ServedClerk,
  { kept, sessionId }: Browser,
  { name, closedAt }: { readonly name: string | null; readonly closedAt: number },
): Page {
  let [steps, person] = [0, name];
  let close = (): void => undefined;
  let refuse = (): void => undefined;
  const closed = new Promise<void>((resolve) => (close = resolve));
  const refused = new Promise<void>((resolve) => (refuse = resolve));
  function step(): void {
    if (steps++ < closedAt) return;
    close();
    throw new TypeError('The page was closed.');
  }
  const storage = {
    getItem: (key: string) => (step(), kept.get(key) ?? null),
    setItem: (key: string, value: string) => (step(), void kept.set(key, value)),
    removeItem: (key: string) => (step(), void kept.delete(key)),
    key: (at: number) => [...kept.keys()][at] ?? null,
    get length() {
      return kept.size;
    },
  };
  const request: typeof fetch = async (input, init) => {
    step();
    if (person === null) throw new TypeError('The network is away.');
    const response = await fetch(input, {
      ...init,
      headers: { ...init?.headers, authorization: `Bearer ${person}` },
    });
    step();
    if (response.status === 403) refuse();
    return response;
  };
  const within: Page['within'] = (work) => storages.run(storage, work);
  const session = within(() => {
    const remote = remoteOf('nobody', request);
    return createAgentSession({
      agent: remote.agents.clerk,
      sessions: remote.sessions,
      sessionId,
      publish: 'immediate',
    });
  });
  void within(() => session.ready);
  return {
    session,
    within,
    refused,
    ended: (promise) => Promise.race([promise, closed]),
    connect: (next) => void (person = next),
    isClosed: () => steps > closedAt,
  };
}

/** Resolves when a session has taken what was sent. */
async function whenTaken({ store }: AgentSession): Promise<void> {
  await expect.poll(() => store.getState().unsent.length, { interval: 5 }).toBe(1);
}

/** Sends a text without a network, and comes back as a person. @returns what was kept, and whether the page was closed */
async function sendAndClose(
  served: ServedClerk,
  browser: Browser,
  { back, closedAt }: { readonly back: string; readonly closedAt: number },
): Promise<{ readonly wasKept: boolean; readonly wasClosed: boolean }> {
  const page = openPage(served, browser, { name: null, closedAt });
  const sent = page.within(() => page.session.sendMessage(text));
  await page.ended(whenTaken(page.session));
  await page.ended(page.within(() => page.session.flush()));
  const wasKept = [...browser.kept.values()].some((value) => value.includes(text));
  page.connect(back);
  // Without a person who may give it, the text stays where it is.
  await page.ended(back === 'anna' ? sent : page.refused);
  const wasClosed = page.isClosed();
  await page.within(() => page.session.dispose());
  const turn = await sent;
  if (wasKept) expect(turn, `closed at ${closedAt}`).toMatchObject({ stored: true });
  if (!wasKept) browser.kept.clear();
  return { wasKept, wasClosed };
}

/** The texts that anna has in the end, at a page that is opened later. */
async function textLater(served: ServedClerk, browser: Browser, wasKept: boolean): Promise<string> {
  const { session, within } = openPage(served, browser, { name: 'anna', closedAt: Infinity });
  await within(() => session.ready);
  await expect.poll(() => session.store.getState().status, { timeout: 20_000 }).toBe('ready');
  if (wasKept) await expect.poll(() => textOf(session), { timeout: 20_000 }).toContain(text);
  const said = textOf(session);
  await within(() => session.dispose());
  return said;
}

function withStorages(): void {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');
  Object.defineProperty(globalThis, 'localStorage', {
    configurable: true,
    get: () => storages.getStore() ?? null,
  });
  onTestFinished(() => {
    if (before) Object.defineProperty(globalThis, 'localStorage', before);
    else Reflect.deleteProperty(globalThis, 'localStorage');
  });
}

const steps = Array.from({ length: 36 }, (_, at) => at);
const messagesIn = (said: string): number => said.split('|').filter((part) => part === text).length;

it('a message that was kept on a first visit is given once by a later page, wherever the first was closed', async () => {
  withStorages();
  const served = await serveClerk();
  const closings = steps.map(async (closedAt) => {
    const browser = { kept: new Map<string, string>(), sessionId: `s${closedAt}` };
    const { wasKept, wasClosed } = await sendAndClose(served, browser, { back: 'anna', closedAt });
    const said = await textLater(served, browser, wasKept);
    expect(messagesIn(said), `closed at ${closedAt}`).toBe(wasKept ? 1 : 0);
    return { wasKept, wasClosed };
  });
  const found = await Promise.all(closings);
  // Some pages were closed early and had kept nothing, and some were not closed before the answer.
  expect(found.filter(({ wasKept }) => wasKept).length).toBeGreaterThan(steps.length / 2);
  expect(found.some(({ wasClosed }) => !wasClosed)).toBe(true);
}, 60_000);

it('a message waits for its person when another one signs in on the device, wherever pages were closed', async () => {
  withStorages();
  const served = await serveClerk();
  const closings = steps.map(async (closedAt) => {
    const browser = { kept: new Map<string, string>(), sessionId: `s${closedAt}` };
    // The device knows anna from an earlier visit.
    const first = openPage(served, browser, { name: 'anna', closedAt: Infinity });
    await first.within(() => first.session.ready);
    await expect.poll(() => [...browser.kept.keys()].some((key) => key.endsWith(':person'))).toBe(true);
    await first.within(() => first.session.dispose());
    const { wasKept } = await sendAndClose(served, browser, { back: 'ben', closedAt });
    const ben = openPage(served, browser, { name: 'ben', closedAt: Infinity });
    await ben.within(() => ben.session.ready);
    await expect.poll(() => ben.session.store.getState().status).toBe('ready');
    expect(textOf(ben.session)).not.toContain(text);
    await ben.within(() => ben.session.dispose());
    const said = await textLater(served, browser, wasKept);
    expect(messagesIn(said), `closed at ${closedAt}`).toBe(wasKept ? 1 : 0);
    return wasKept;
  });
  expect((await Promise.all(closings)).filter(Boolean).length).toBeGreaterThan(steps.length / 2);
}, 60_000);

it('a message that the browser has no room for is not told as stored, and is given while its page is open', async () => {
  withStorages();
  const served = await serveClerk();
  const browser = { kept: new Map<string, string>(), sessionId: 's1' };
  browser.kept.set = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  const page = openPage(served, browser, { name: null, closedAt: Infinity });
  const sent = page.within(() => page.session.sendMessage(text));
  await whenTaken(page.session);
  expect(await page.within(() => page.session.flush())).toMatchObject({ stored: false });
  page.connect('anna');
  expect(await sent).toMatchObject({ outcome: 'completed' });
  await page.within(() => page.session.dispose());
});
