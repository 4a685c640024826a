import { existsSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import inspector from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { root } from '../root.ts';

// Counts the files and functions of core that parts of a session pass, by V8's coverage of a scripted session:
//   node --conditions=@vitrine/source scripts/house/walks.ts [CHECKOUT] [--json | --files]

/** The files and functions of core that ran, and the number of calls. */
type Walk = { readonly files: readonly string[]; readonly functions: number; readonly calls: number };

const [checkout = root] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
/** The state of the journey is read by hand: an older checkout may lack the names of today. */
type Session = {
  readonly ready: Promise<unknown>;
  readonly store: {
    readonly getState: () => { readonly state: object };
    readonly subscribe: (listener: () => void) => () => void;
  };
  readonly sendMessage: (text: string) => Promise<{ readonly status: string }>;
  readonly approve: (id: string) => Promise<{ readonly status: string }>;
  readonly rename: (title: string) => Promise<unknown>;
  readonly setDraft: (draft: string) => void;
  readonly flush: () => Promise<unknown>;
};
type Core = {
  readonly createAgentSession: (options: object) => Session;
  readonly defineAgent: (options: object) => object;
  readonly defineTool: (options: object) => object;
  readonly proxyInference: (options: object) => object;
  readonly memorySessions: () => object;
  readonly AgentState: { readonly pendingApprovals: (state: object) => readonly { readonly id: string }[] };
};
const entries = ['core/src/index.ts', 'persist/src/index.ts'];
const core = Object.assign(
  {},
  ...(await Promise.all(
    entries
      .map((entry) => `${checkout}/packages/${entry}`)
      .filter((path) => existsSync(path))
      .map((path) => import(pathToFileURL(path).href) as Promise<object>),
  )),
) as Core;

const usage = {
  inputTokens: 1,
  outputTokens: 1,
  reasoningTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  totalTokens: 2,
  cost: null,
};
const deltas = [' one', ' two', ' three'];
/** The answers of the model, in the order of the requests; each sends its events itself. */
const answers: ((send: (event: object) => void) => void | Promise<void>)[] = [];
const text = (send: (event: object) => void): void => {
  send({ type: 'text-delta', delta: 'Hello' });
  send({ type: 'finish', finishReason: 'stop', usage });
};
const call = (send: (event: object) => void): void => {
  send({ type: 'tool-call', toolCallId: 'call', toolName: 'pay', input: { amount: 1 } });
  send({ type: 'finish', finishReason: 'tool-calls', usage });
};

const listening = new Set<() => void>();
let requests = 0;
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => void answer(request.method ?? '', response));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
const profiler = new inspector.Session();
profiler.connect();
await profiler.post('Profiler.enable');

const walks = await travel();
server.close();
server.closeAllConnections();
if (process.argv.includes('--json')) process.stdout.write(JSON.stringify(walks));
else
  for (const [name, { files, functions, calls }] of Object.entries(walks)) {
    process.stdout.write(`${name}: ${files.length} files, ${functions} functions, ${calls} calls\n`);
    if (process.argv.includes('--files')) process.stdout.write(`  ${files.join('\n  ')}\n`);
  }
process.exit(0);

async function answer(method: string, response: ServerResponse): Promise<void> {
  if (method === 'DELETE') return void response.writeHead(204).end();
  requests++;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-inference-id': `stream-${requests}` });
  const send = (event: object): void => void response.write(`data: ${JSON.stringify(event)}\n\n`);
  send({ type: 'start', id: `answer-${requests}`, model: 'm' });
  await (answers.shift() ?? text)(send);
  response.end();
}

/** Leads a session through a turn, a delta, a save, a draft and an approval. */
async function travel(): Promise<Record<string, Walk>> {
  const pay = core.defineTool({
    name: 'pay',
    description: 'Pays an amount',
    input: { '~standard': { version: 1, vendor: 'walks', validate: (value: unknown) => ({ value }) } },
    inputSchema: { type: 'object' },
    needsApproval: true,
    execute: () => ({ isPaid: true }),
  });
  const inference = core.proxyInference({ url });
  const agent = core.defineAgent({ name: 'traveller', inference, tools: [pay] });
  const sessions = core.memorySessions();
  const open = async (sessionId: string): Promise<Session> => {
    const session = core.createAgentSession({ agent, sessions, sessionId, publish: 'immediate' });
    session.store.subscribe(() => {
      for (const resolve of listening) resolve();
      listening.clear();
    });
    await session.ready;
    return session;
  };
  const warm = await open('warm');
  await warm.sendMessage('Hello');
  await warm.flush();
  const session = await open('measured');

  const turn = await leastOf(3, async () => {
    await session.sendMessage('Hello');
    await session.flush();
  });

  const gates = deltas.map(() => gate());
  const end = gate();
  answers.push(async (send) => {
    send({ type: 'text-delta', delta: 'zero' });
    for (const [index, delta] of deltas.entries()) {
      await gates[index]?.passed;
      send({ type: 'text-delta', delta });
    }
    await end.passed;
    send({ type: 'finish', finishReason: 'stop', usage });
  });
  const sent = session.sendMessage('Count');
  // The first delta has arrived, and the message of the person is written.
  await wait(300);
  let next = 0;
  const delta = await leastOf(deltas.length, async () => {
    const arrival = published();
    gates[next++]?.open();
    await arrival;
    // What follows the publication belongs to the walk too.
    await wait(60);
  });
  end.open();
  await sent;
  await session.flush();

  let title = 0;
  const save = await leastOf(3, async () => {
    await session.rename(`title ${title++}`);
    await session.flush();
  });
  const draft = await leastOf(3, async () => {
    session.setDraft(`draft ${title++}`);
    await wait(5);
  });
  await session.flush();
  const approval = await leastOf(3, async (measure) => {
    answers.push(call);
    const waiting = await session.sendMessage('Pay');
    const id = core.AgentState.pendingApprovals(session.store.getState().state)[0]?.id;
    if (id === undefined) throw new Error(`The call waits for no approval; the turn is ${waiting.status}.`);
    await session.flush();
    await measure(async () => {
      const { status } = await session.approve(id);
      if (status !== 'done') throw new Error(`The approved turn ended as ${status}.`);
    });
  });
  return { delta, turn, save, draft, approval };
}

function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open: () => open() };
}

/** Resolves when the session next publishes; it calls no function of core. */
function published(): Promise<void> {
  return new Promise((resolve) => void listening.add(resolve));
}

/**
 * Repeats a walk and keeps the smallest: a timer or a write in the background may run into one of them. The walk is the
 * whole function, or the part that it measures itself.
 */
async function leastOf(
  times: number,
  work: (measure: (part: () => Promise<void>) => Promise<void>) => Promise<void>,
): Promise<Walk> {
  const found: Walk[] = [];
  const measure = async (part: () => Promise<void>): Promise<void> => {
    found.push(await walkOf(part));
  };
  for (let index = 0; index < times; index++)
    await (work.length > 0 ? work(measure) : measure(() => work(measure)));
  const [least] = found.toSorted((a, b) => a.files.length - b.files.length || a.functions - b.functions);
  if (least === undefined) throw new Error('Nothing was measured.');
  return least;
}

async function walkOf(work: () => Promise<void>): Promise<Walk> {
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await profiler.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await profiler.post('Profiler.takePreciseCoverage');
  await profiler.post('Profiler.stopPreciseCoverage');
  const files = new Set<string>();
  let functions = 0;
  let calls = 0;
  for (const script of result) {
    const [, file] = script.url.split('/packages/');
    if (file === undefined) continue;
    for (const { functionName, ranges, isBlockCoverage } of script.functions) {
      const [range] = ranges;
      const isModule = functionName === '' && range?.startOffset === 0;
      if (range === undefined || range.count === 0 || isBlockCoverage || isModule) continue;
      files.add(file);
      functions++;
      calls += range.count;
    }
  }
  return { files: [...files].toSorted(), functions, calls };
}
