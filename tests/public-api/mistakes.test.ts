import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInferenceProxy, modelsFromEnv, type ProxyLogEntry } from '@vitrine/proxy';
import {
  AgentState,
  createAgentLoop,
  defineAgent,
  definePlugin,
  defineTool,
  PluginState,
  proxyInference,
  runAgent,
  useAgent,
  useMessageIds,
  useSessions,
} from '@vitrine/react';
import { scriptedInference } from '@vitrine/testing';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { run } from '../../scripts/run.ts';
import { root } from '../../scripts/root.ts';
import { startUpstream } from '../upstream/upstream.ts';

// Typical mistakes of a newcomer; those of components in a page are in mistakes-in-pages.test.tsx. Each message says
// what is wrong, where, and what to do.

/** The mistake, what its message says of the fault, the place and the remedy, and the code that makes it. */
type Mistake = readonly [
  mistake: string,
  what: RegExp,
  where: RegExp,
  remedy: RegExp,
  made: () => string | Promise<string>,
];

/** The message of what a function throws. */
function thrownBy(call: () => unknown): string {
  try {
    call();
  } catch (thrown) {
    return String(thrown);
  }
  return 'nothing was thrown';
}

/** Mistakes in a component that the compiler finds. */
const programs = {
  name: `return messages.map(({ parts }) => parts.map((p) => p.type === 'tool-call' && p.toolName === 'refnd'));`,
  input: `void approve('id', { input: { amuont: 5 } }); return null;`,
  list: `return defineAgent({ systemPrompt: 'Be kind.', tools: { refund } }).name;`,
  description: `return defineTool({ name: 'pay', input: z.object({}), execute: () => 1 }).name;`,
};

let output: Promise<string> | null = null;

/** The complaints of the compiler about a program, which it reads together with the others. */
async function compiled(name: keyof typeof programs): Promise<string> {
  output ??= compile();
  return (await output)
    .split(/^(?=\S)/m)
    .filter((complaint) => complaint.includes(`${name}.tsx`))
    .join('');
}

async function compile(): Promise<string> {
  // Inside of the repository, so that the programs find the packages.
  const folder = join(root, 'tests/public-api/.mistakes');
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, code] of Object.entries(programs))
    writeFileSync(
      join(folder, `${name}.tsx`),
      `import { defineAgent, defineTool, useAgent } from '@vitrine/react';
import * as z from 'zod';
const refund = defineTool({ name: 'refund', description: '', input: z.object({ amount: z.number() }), output: z.string() });
const agent = defineAgent({ tools: [refund] });
export function Chat() {
  const { messages, approve } = useAgent(agent);
  ${code}
}
`,
    );
  const project = {
    extends: '../../../tsconfig.json',
    include: ['*.tsx'],
    compilerOptions: { noEmit: true },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  return (await run('tsc', ['-p', folder, '--pretty', 'false'], { cwd: root, quiet: true })).output;
}

/** The error of an answer that is asked of an address. */
async function errorAt(url: string): Promise<string> {
  const { error } = await runAgent(
    defineAgent({ inference: proxyInference({ url }), retry: { maxAttempts: 1 } }),
    'Hi',
  );
  return error?.message ?? 'no error';
}

/** A server without a proxy, by its address. */
async function otherServer(): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(404).end('Cannot POST'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
}

/** The texts of the page and of the server's log about a key that the provider refuses. */
async function withWrongKey(): Promise<string> {
  const upstream = await startUpstream();
  onTestFinished(() => upstream.close());
  upstream.behave = {
    kind: 'status',
    status: 401,
    body: '{"error":{"message":"Incorrect API key sk-wrong"}}',
  };
  const lines: ProxyLogEntry[] = [];
  const env = { OPENAI_API_KEY: 'sk-wrong', OPENAI_BASE_URL: upstream.url, VITRINE_MODELS: 'openai:gpt-5' };
  const proxy = createInferenceProxy({ models: modelsFromEnv(env), log: (line) => lines.push(line) });
  const inference = proxyInference({
    url: 'http://localhost/api',
    fetch: async (input, init) => proxy.fetch(new Request(input, init)),
  });
  const { error } = await runAgent(defineAgent({ inference }), 'Hi');
  await expect.poll(() => lines).toHaveLength(1);
  expect(JSON.stringify(lines)).not.toContain('sk-wrong');
  return `${error?.message} ${lines[0]?.hint}`;
}

/** The error of a run with a stored call whose tool is gone. */
async function withoutItsTool(): Promise<string> {
  const book = defineTool({ name: 'book', description: '', input: z.object({}), needsApproval: true });
  const script = [{ toolCalls: [{ name: 'book', input: {} }] }, { text: 'Sorry' }];
  const inference = scriptedInference(script);
  const { state } = await runAgent(defineAgent({ tools: [book], inference }), 'Book');
  const [call] = AgentState.pendingApprovals(state);
  const approved = AgentState.withApproval(state, call?.id ?? '');
  const end = await createAgentLoop(defineAgent({ inference })).execute(approved);
  expect(AgentState.status(end)).toBe('completed');
  return AgentState.errors(end)[0]?.message ?? 'no error';
}

const dated = { at: new Date(0) };
const diary = definePlugin({ id: 'diary', state: z.any() });

it.each<Mistake>([
  [
    'a misspelt tool name in a view',
    /'"refnd"'|"refnd"/,
    /name\.tsx[(:]\d+/,
    /"refund"/,
    () => compiled('name'),
  ],
  [
    'an answer of the wrong type',
    /'amuont' does not exist/,
    /input\.tsx[(:]\d+/,
    /amount/,
    () => compiled('input'),
  ],
  [
    'an object of tools in place of a list',
    /property 'refund' are incompatible/,
    /list\.tsx\(7,\d+\)/,
    /is not assignable to type '"Write a list of what defineTool, .* made: \[a, b\], not \{ a, b \}\."'/,
    () => compiled('list'),
  ],
  [
    'an object of tools in JavaScript',
    /tools is not a list/,
    /Agent "agent"/,
    /give \[book\]/,
    () => thrownBy(() => defineAgent({ tools: { book: {} } } as never)),
  ],
  [
    'a tool without a description',
    /'description' is missing/,
    /description\.tsx\(7,/,
    /required in type 'ToolInit/,
    () => compiled('description'),
  ],
  [
    'a tool without a description in JavaScript',
    /has no description/,
    /Tool "pay"/,
    /tell the model in `description` what the tool does/,
    () => thrownBy(() => defineTool({ name: 'pay', input: z.object({}) } as never)),
  ],
  [
    'an option of another library',
    /there is no option instructions/,
    /Agent "agent"/,
    /use systemPrompt/,
    () => thrownBy(() => defineAgent({ instructions: 'Be brief.' } as never)),
  ],
  [
    'no proxy at the address',
    /There is no Vitrine proxy/,
    /POST http:\/\/127\.0\.0\.1:\d+\/api\/v1\/inference \(404\)/,
    /mount one \(guide\/proxy\), or set `proxyInference\(\{ url \}\)`/,
    async () => errorAt(await otherServer()),
  ],
  [
    'no inference in a script',
    /is not an address of a proxy/,
    /\/api\/v1\/inference/,
    /outside of a page give inference: .*fromLanguageModel/,
    async () => (await runAgent(defineAgent({}), 'Hi')).error?.message ?? '',
  ],
  [
    'the wrong address of the proxy',
    /cannot be reached/,
    /http:\/\/127\.0\.0\.1:9/,
    /see that it runs/,
    () => errorAt('http://127.0.0.1:9'),
  ],
  [
    'a hook without an agent, as in a circular import',
    /agent is not a definition/,
    /createAgentSession/,
    /make it with defineAgent/,
    () => thrownBy(() => renderToString(createElement(() => void useAgent(undefined as never)))),
  ],
  [
    'a hook outside of a session',
    /needs a session/,
    /useMessageIds/,
    /wrap the component in <AgentSessionProvider agent=\{…\}>/,
    () => thrownBy(() => renderToString(createElement(() => void useMessageIds()))),
  ],
  [
    'a hook outside of a provider',
    /needs a store/,
    /useSessions/,
    /wrap the component in <AgentProvider sessions=\{…\}>/,
    () => thrownBy(() => renderToString(createElement(() => void useSessions()))),
  ],
  [
    'a misspelt key in production',
    /No model is configured|no key|No key/i,
    /NODE_ENV is production/,
    /OPENAI_API_KEY/,
    () => thrownBy(() => modelsFromEnv({ NODE_ENV: 'production', OPENAI_KEY: 'sk-x' })),
  ],
  ['a key that the provider refuses', /refused the key/, /of this server/, /OPENAI_API_KEY/, withWrongKey],
  [
    'a plugin that begins with a value that is no JSON',
    /at is not JSON/,
    /State of plugin "diary"/,
    /keep plain data and convert where you use it/,
    () => thrownBy(() => definePlugin({ id: 'diary', state: z.any(), initial: dated })),
  ],
  [
    'a plugin that is given a value that is no JSON',
    /at is not JSON/,
    /State of plugin "diary"/,
    /keep plain data and convert where you use it/,
    () => thrownBy(() => PluginState.set(AgentState.create(), diary, dated)),
  ],
  ['a tool that is gone while its call waits', /not found/, /Tool "book"/, /Available: none/, withoutItsTool],
])(
  '%s is named, with its place and the remedy',
  { timeout: 60_000 },
  async (_, what, where, remedy, made) => {
    const message = await made();
    expect(message).toMatch(what);
    expect(message).toMatch(where);
    expect(message).toMatch(remedy);
  },
);
