import { connect } from 'node:net';
import { createInferenceProxy, modelsFromEnv, type StreamReport } from '@vitrine/proxy';
import { type InferenceServer, serveInferenceProxy } from '@vitrine/proxy/node';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type BillingUpstream,
  type Ending,
  type Plan,
  questionFor,
  startBillingUpstream,
} from './billing-upstream.ts';
import { type Allowance, type LimitStore, limitStores } from './limit-stores.ts';

const allowance: Allowance = { requests: 40, cost: 40_000, concurrent: 6 };
const runs = Number(process.env['PROVE_RUNS'] ?? 6);

const endings: readonly Ending[] = [
  'usage',
  'no-usage',
  'cut',
  'cut-after-end',
  'hang',
  'status-500',
  'status-429',
];

/** The ways to read an answer. */
const readings = ['whole', 'leaves', 'leaves-early', 'aborts', 'cancels', 'resumes'] as const;

const plan: fc.Arbitrary<Plan> = fc.record({
  thinks: fc.integer({ min: 0, max: 3000 }),
  says: fc.integer({ min: 0, max: 600 }),
  ends: fc.constantFrom(...endings),
});

const question = fc.record({
  kind: fc.constant('ask' as const),
  plan,
  reading: fc.constantFrom(...readings),
  maxOutputTokens: fc.option(fc.integer({ min: 1, max: 5000 })),
  padding: fc.integer({ min: 0, max: 3000 }),
  fileBytes: fc.option(fc.integer({ min: 1, max: 9000 })),
  tools: fc.integer({ min: 0, max: 20 }),
  key: fc.option(fc.constantFrom('a', 'b', 'c')),
});

const command = fc.oneof(
  { arbitrary: question, weight: 6 },
  {
    arbitrary: fc.record({
      kind: fc.constant('upload' as const),
      bytes: fc.integer({ min: -1, max: 2_000_000 }),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('junk' as const),
      body: fc.constantFrom('', '{', '[]', '{"messages":[]}', '['.repeat(500), `"${'x'.repeat(2_000_000)}"`),
      type: fc.constantFrom('application/json', 'text/plain'),
    }),
    weight: 1,
  },
);

type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;
type Question = Extract<Command, { kind: 'ask' }>;

let upstream: BillingUpstream;
beforeAll(async () => {
  upstream = await startBillingUpstream();
});
afterAll(() => upstream.close());

describe.each(Object.keys(limitStores))('a principal who sends whatever it likes, counted in %s,', (name) => {
  let store: LimitStore | null = null;
  let server: InferenceServer;
  let open = (): number => 0;
  const reports: StreamReport[] = [];
  beforeAll(async () => {
    store = (await limitStores[name]?.()) ?? null;
    if (store === null) return;
    const proxy = createInferenceProxy({
      models: modelsFromEnv({
        OPENAI_COMPATIBLE_BASE_URL: upstream.url,
        VITRINE_MODELS: 'openai-compatible:llama3.3',
      }),
      authorize: (request) => ({ id: request.headers.get('authorization') ?? 'nobody' }),
      quotas: await store.quotas(allowance),
      limits: { maxOutputTokens: 2500, firstEventMs: 60, idleMs: 60, resumeGraceMs: 0, bodyMs: 300 },
      streamLog: store.log,
      log: () => undefined,
      metrics: { count: () => undefined, watch: (size) => (open = size), answer: async () => null },
      onStreamEnd: (report) => reports.push(report),
    });
    server = await serveInferenceProxy(proxy, { port: 0 });
  }, 200_000);
  afterAll(async () => {
    await server?.close({ graceMs: 0 });
    await store?.stop();
  });

  let users = 0;
  it('a principal spends no more than the quota', { timeout: 36_000_000 }, async ({ skip }) => {
    if (store === null) return skip(`${name} cannot be had here`);
    const groups = fc.array(fc.array(command, { minLength: 1, maxLength: 10 }), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(groups, async (all) => {
        const user = `${name}${users++}`;
        reports.length = 0;
        // Those of a group at once, one group after the other.
        for (const group of all) await Promise.all(group.map((one) => run(server.url, user, one)));
        await vi.waitFor(() => expect(open()).toBe(0), { timeout: 20_000, interval: 5 });
        const bills = upstream.bills(user);
        const billed = bills.reduce((sum, bill) => sum + bill, 0);
        const charged = reports.reduce((sum, { usage }) => sum + usage.totalTokens, 0);
        expect(bills.length).toBeLessThanOrEqual(allowance.requests);
        expect(charged, 'what is counted is no less than the bill').toBeGreaterThanOrEqual(billed);
        expect(billed).toBeLessThanOrEqual(allowance.cost + Math.max(0, ...bills));
        expect(billed, 'what is set aside bounds every call').toBeLessThanOrEqual(allowance.cost);
      }),
      { numRuns: runs },
    );
  });

  it(
    'a principal cannot spend more with 200 concurrent requests whose answers nobody reads',
    { timeout: 120_000 },
    async ({ skip }) => {
      if (store === null) return skip(`${name} cannot be had here`);
      const user = `${name}${users++}`;
      const silent: Question = {
        kind: 'ask',
        plan: { thinks: 9000, says: 0, ends: 'hang' },
        reading: 'leaves',
        maxOutputTokens: null,
        padding: 0,
        fileBytes: null,
        tools: 0,
        key: null,
      };
      for (let round = 0; round < 4; round++)
        await Promise.all(Array.from({ length: 50 }, () => run(server.url, user, silent)));
      await vi.waitFor(() => expect(open()).toBe(0), { timeout: 20_000 });
      const billed = upstream.bills(user).reduce((sum, bill) => sum + bill, 0);
      expect(billed).toBeGreaterThan(2500);
      expect(billed).toBeLessThanOrEqual(allowance.cost);
    },
  );
});

function run(url: string, user: string, what: Command): Promise<void> {
  if (what.kind === 'upload') return uploadPart(url, user, what.bytes);
  if (what.kind === 'junk') return send(url, user, what.body, { 'content-type': what.type }).then(readAll);
  return ask(url, user, what);
}

const readAll = async (response: Response): Promise<void> => void (await response.text().catch(() => ''));

const send = (
  url: string,
  user: string,
  body: string,
  headers: Record<string, string>,
  signal: AbortSignal | null = null,
): Promise<Response> =>
  fetch(`${url}/v1/inference`, {
    method: 'POST',
    headers: { authorization: user, 'content-type': 'application/json', ...headers },
    body,
    signal,
  });

async function ask(url: string, user: string, asked: Question): Promise<void> {
  const { maxOutputTokens, padding, fileBytes, tools, key, reading } = asked;
  const text = { type: 'text', text: `${questionFor(user, asked.plan)} ${'x '.repeat(padding / 2)}` };
  const data = Buffer.alloc(fileBytes ?? 0, 'file').toString('base64');
  const body = JSON.stringify({
    messages: [
      {
        role: 'user',
        parts: fileBytes === null ? [text] : [text, { type: 'file', mediaType: 'image/png', data }],
      },
    ],
    tools: Array.from({ length: tools }, (_, at) => ({ name: `t${at}`, inputSchema: { type: 'object' } })),
    settings: maxOutputTokens === null ? {} : { maxOutputTokens },
  });
  const client = new AbortController();
  if (reading === 'aborts') setTimeout(() => client.abort(), 3);
  try {
    const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': `${user}-${key}` };
    const response = await send(url, user, body, headers, client.signal);
    const id = response.headers.get('x-inference-id');
    if (id === null || reading === 'whole') return await readAll(response);
    await readAnswer(url, user, id, response, reading);
  } catch {
    // Whoever aborts is told so.
  }
}

async function readAnswer(
  url: string,
  user: string,
  id: string,
  response: Response,
  reading: Question['reading'],
): Promise<void> {
  const stream = `${url}/v1/inference/${id}`;
  const headers = { authorization: user };
  const reader = response.body?.getReader();
  if (reading === 'leaves-early' || reading === 'resumes') await reader?.read();
  if (reading === 'cancels') {
    await fetch(stream, { method: 'DELETE', headers });
    while (!(await reader?.read())?.done);
    return;
  }
  await reader?.cancel();
  if (reading === 'resumes')
    await readAll(await fetch(stream, { headers: { ...headers, 'last-event-id': '0' } }));
}

/** Announces so many bytes, none of them for -1, sends a few of them, and leaves after a while. */
function uploadPart(url: string, user: string, bytes: number): Promise<void> {
  const { hostname, port, host } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    const length = bytes < 0 ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes + 10}`;
    const head = `POST /v1/inference HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${user}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
    socket.write(head + (bytes < 0 ? '1\r\n{\r\n' : '{'));
    socket.on('error', () => undefined).on('close', () => resolve());
    setTimeout(() => socket.destroy(), 30);
  });
}
