import {
  Conversation,
  createAgentSession,
  defineAgent,
  type InferenceClient,
  proxyInference,
} from '@vitrine/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { serveInferenceProxy } from '../node/serve-inference-proxy.ts';
import { proveRuns, proxyOf } from './served.fixture.ts';

const words = ['w0 ', 'w1 ', 'w2 ', 'w3 '];
const mostCalls = 3;

/** The words that a phone has each time it is locked while one answer comes. */
type Locks = {
  /** Locked until the proxy has ended the answer, which is then asked for again. */
  readonly long: readonly number[];
  /** Locked for a moment. */
  readonly short: readonly number[];
  /** Locked until the answer is complete. */
  readonly finished: readonly number[];
};

const times = (maxLength: number): fc.Arbitrary<readonly number[]> =>
  fc.array(fc.integer({ min: 1, max: words.length - 1 }), { maxLength });
const locks: fc.Arbitrary<Locks> = fc.record({ long: times(4), short: times(2), finished: times(1) });

type Latch = { readonly open: () => void; readonly opened: Promise<void> };

function createLatch(): Latch {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

/** A model that says as many words as it may. */
type Model = {
  readonly client: InferenceClient;
  readonly say: (most: number) => void;
  readonly asked: () => number;
};

function createModel(): Model {
  let [most, asked] = [0, 0];
  let moved = createLatch();
  return {
    asked: () => asked,
    say(next) {
      most = next;
      moved.open();
      moved = createLatch();
    },
    client: {
      async *stream(_request, { signal }) {
        asked += 1;
        const aborted = createLatch();
        signal.addEventListener('abort', aborted.open);
        for (const [at, delta] of words.entries()) {
          while (most <= at && !signal.aborted) await Promise.race([moved.opened, aborted.opened]);
          signal.throwIfAborted();
          yield { type: 'text-delta', delta };
        }
        yield { type: 'finish', finishReason: 'stop', usage: {} as never };
      },
    },
  };
}

/** The network of a phone. While it is locked no code of the page hears of it; then its connections are broken. */
type Network = { readonly fetch: typeof fetch; readonly lock: () => void; readonly unlock: () => void };

/** @param homeOf The address of the proxy for a new answer. */
function createNetwork(homeOf: () => string): Network {
  const homes = new Map<string, string>();
  let unlocked: Latch | null = null;
  let locked = createLatch();

  /** Breaks a body when the phone is unlocked after it was locked. */
  function breaking(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    const cut = locked.opened.then(() => null);
    void cut.then(() => reader.cancel().catch(() => undefined));
    return new ReadableStream<Uint8Array>({
      async pull(controller) {
        const next = await Promise.race([cut, reader.read()]);
        if (next?.done === false) return controller.enqueue(next.value);
        await unlocked?.opened;
        if (next === null) controller.error(new TypeError('Load failed'));
        else controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    });
  }

  return {
    async fetch(input, init) {
      await unlocked?.opened;
      const { pathname } = new URL(String(input));
      const known = homes.get(pathname.split('/').at(-1) ?? '');
      const home = known ?? homeOf();
      const response = await fetch(`${home}${pathname}`, init);
      homes.set(response.headers.get('x-inference-id') ?? '', home);
      const { status, headers, body } = response;
      return body === null ? response : new Response(breaking(body), { status, headers });
    },
    lock() {
      unlocked = createLatch();
      locked.open();
      locked = createLatch();
    },
    unlock() {
      unlocked?.open();
      unlocked = null;
    },
  };
}

/** A session on a phone with the proxies of its answers: a hasty one for those that are ended, and a patient one. */
async function openPhone({ long }: Locks, model: Model) {
  let ended = 0;
  const serve = (resumeGraceMs: number): ReturnType<typeof serveInferenceProxy> =>
    serveInferenceProxy(
      proxyOf(model.client, { limits: { resumeGraceMs }, onStreamEnd: () => void (ended += 1) }),
      { port: 0 },
    );
  const [patient, hasty] = await Promise.all([serve(120_000), serve(20)]);
  const network = createNetwork(() => (model.asked() < long.length ? hasty.url : patient.url));
  const inference = proxyInference({ url: patient.url, fetch: network.fetch });
  const agent = defineAgent({ name: 'a', inference, retry: { maxAttempts: mostCalls, baseDelayMs: 1 } });
  const session = createAgentSession({ agent, publish: 'immediate' });
  return {
    session,
    network,
    ended: () => ended,
    text: () =>
      Conversation.messages(session.store.getState().state)
        .flatMap(({ role, parts }) => (role === 'assistant' ? parts : []))
        .map((part) => (part.type === 'text' ? part.text : ''))
        .join(''),
    async close() {
      await session.dispose();
      await Promise.all([patient, hasty].map(({ close }) => close({ graceMs: 0 })));
    },
  };
}

const soon = { interval: 5 };

async function lockDuringAnswer(plan: Locks): Promise<void> {
  const model = createModel();
  const { session, network, ended, text, close } = await openPhone(plan, model);
  async function hear(count: number): Promise<void> {
    model.say(count);
    await expect.poll(text, soon).toContain(words.slice(0, count).join(''));
  }
  const sent = session.sendMessage('Hi');
  for (const [at, count] of plan.long.slice(0, mostCalls).entries()) {
    await expect.poll(() => [model.asked(), text()], soon).toEqual([at + 1, '']);
    await hear(count);
    network.lock();
    await expect.poll(ended, soon).toBe(at + 1);
    expect(text()).toBe(words.slice(0, count).join(''));
    model.say(0);
    network.unlock();
  }
  const calls = Math.min(plan.long.length + 1, mostCalls);
  if (plan.long.length < mostCalls) {
    await expect.poll(() => [model.asked(), text()], soon).toEqual([calls, '']);
    for (const count of [...plan.short].sort()) {
      await hear(count);
      network.lock();
      model.say(count + 1);
      network.unlock();
    }
    for (const count of plan.finished) {
      await hear(count);
      network.lock();
      model.say(words.length);
      await expect.poll(ended, soon).toBe(calls);
      network.unlock();
    }
    model.say(words.length);
    expect([(await sent).outcome, text()]).toEqual(['completed', words.join('')]);
  } else {
    // What came stays, and the person is asked.
    expect((await sent).error).toMatchObject({ code: 'stream-incomplete' });
    expect(text()).toBe(words.slice(0, plan.long[mostCalls - 1]).join(''));
  }
  expect(model.asked()).toBe(calls);
  await close();
}

it('an answer goes on by itself on a phone that was locked, and the model is asked again only for what is gone', async () => {
  const always = [[2], [1, 2, 3, 1]].map((long): Locks => ({ long, short: [], finished: [] }));
  await Promise.all([...always, ...fc.sample(locks, proveRuns(10))].map(lockDuringAnswer));
});
