import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentSession, defineAgent } from '@vitrine/core';
import { createRecorder, exportTrace, sessionHub } from '@vitrine/inspect';
import { vitrine } from '@vitrine/proxy/vite';
import { scriptedInference } from '@vitrine/testing';
import { createLogger, createServer, defaultServerConditions } from 'vite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { root } from '../../scripts/root.ts';
import { folderOfTest } from '../folder-of-test.ts';

/** An agent whose model, on this machine, greets by name when its prompt says so. */
const agentFile = (prompt: string): string => `import { defineAgent, Usage } from '@vitrine/core';
const inference = {
  async *stream({ messages }) {
    const said = JSON.stringify(messages);
    yield { type: 'text-delta', delta: said.includes('by name') ? 'Hello, Ada.' : 'Hello.' };
    yield { type: 'finish', finishReason: 'stop', usage: Usage.none() };
  },
};
export const agent = defineAgent({ name: 'greeter', systemPrompt: ${JSON.stringify(prompt)}, inference });
`;

/** A run of the agent, kept with its expectation. */
async function keptCase(systemPrompt: string): Promise<string> {
  const inference = scriptedInference([{ text: 'Hello, Ada.' }]);
  const recorder = createRecorder();
  const session = createAgentSession({ agent: defineAgent({ name: 'greeter', systemPrompt, inference }) });
  await session.sendMessage('Hi, I am Ada.');
  const record = recorder.read(sessionHub().sources().at(-1)!);
  await session.dispose();
  recorder.dispose();
  return JSON.stringify(exportTrace(record, { name: 'greeter', expects: { says: 'Ada' } }).document);
}

/** A project in Vite with a case, what Vite tells of its cases, and a page of it. */
async function project(prompt: string): Promise<{
  readonly folder: string;
  readonly write: (prompt: string) => void;
  readonly next: (text: string) => Promise<void>;
  readonly keep: (name: string, file: string) => Promise<void>;
}> {
  // In Vitest the plugin does nothing.
  vi.stubEnv('VITEST', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  const folder = folderOfTest('cases');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const write = (text: string): void => writeFileSync(join(folder, 'agent.ts'), agentFile(text));
  write(prompt);
  mkdirSync(join(folder, 'cases'));
  writeFileSync(join(folder, 'cases/greets.case.json'), await keptCase(prompt));
  const said: string[] = [];
  const note = (text: string): void => void (text.startsWith('Vitrine: ') && said.push(text));
  const conditions = ['@vitrine/source', ...defaultServerConditions.filter((one) => one !== 'module')];
  const server = await createServer({
    root: folder,
    configFile: false,
    customLogger: { ...createLogger('silent'), info: note, warn: note },
    optimizeDeps: { noDiscovery: true },
    plugins: [vitrine({ cases: { agent: 'agent.ts#agent', calls: 2 } })],
    ssr: { resolve: { conditions } },
    server: { port: 0, host: '127.0.0.1' },
  });
  onTestFinished(() => server.close());
  await server.listen();
  const address = server.resolvedUrls?.local[0] ?? '';
  return {
    folder,
    write,
    next: (text) => vi.waitFor(() => expect(said.at(-1)).toEqual(text), { timeout: 100_000 }),
    async keep(name, file) {
      const client = /"([\w-]+)"/.exec(
        (await (await fetch(`${address}@vite/client`)).text()).split('wsToken =')[1] ?? '',
      );
      const page = new WebSocket(`${address.replace('http', 'ws')}?token=${client?.[1]}`, 'vite-hmr');
      await new Promise((resolve) => page.addEventListener('open', resolve, { once: true }));
      page.send(JSON.stringify({ type: 'custom', event: 'vitrine:keep-case', data: { name, file } }));
      onTestFinished(() => page.close());
    },
  };
}

it('Vite tells a case red when its prompt is broken in the editor, and green when it is mended', async () => {
  const prompt = 'Greet people by name.';
  const { folder, write, next } = await project(prompt);
  await next('Vitrine: 1 case, 0 red.');
  write('Greet people.');
  await next('Vitrine: 1 case, 1 red.\n  greets: It does not say "Ada".');
  write(prompt);
  await next('Vitrine: 1 case, 0 red.');
  rmSync(join(folder, 'cases/greets.case.json'));
  write('Greet them by name.');
  await next('Vitrine: 0 cases, 0 red.');
}, 120_000);

it('a case that a page keeps stands beside one of the same name, and a folder that is a file is told', async () => {
  const prompt = 'Greet people by name.';
  const { folder, next, keep } = await project(prompt);
  await next('Vitrine: 1 case, 0 red.');
  const kept = await keptCase(prompt);
  await keep('Greets!', kept);
  await next('Vitrine: 2 cases, 0 red.');
  expect(readdirSync(join(folder, 'cases')).toSorted()).toEqual(['greets-2.case.json', 'greets.case.json']);
  rmSync(join(folder, 'cases'), { recursive: true });
  writeFileSync(join(folder, 'cases'), '');
  await keep('Greets', kept);
  await next(expect.stringMatching(/^Vitrine: A case cannot be kept in .*EEXIST/) as string);
}, 120_000);
