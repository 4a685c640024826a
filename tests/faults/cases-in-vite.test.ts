import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentSession, defineAgent } from '@vitrine/core';
import { createRecorder, exportTrace, sessionHub } from '@vitrine/inspect';
import { vitrine } from '@vitrine/proxy/vite';
import { scriptedInference } from '@vitrine/testing';
import { createLogger, createServer, defaultServerConditions } from 'vite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { root } from '../../scripts/root.ts';

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

it('Vite tells a case red when its prompt is broken in the editor, and green when it is mended', async () => {
  // In Vitest the plugin does nothing.
  vi.stubEnv('VITEST', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-cases-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const prompt = 'Greet people by name.';
  const write = (text: string): void => writeFileSync(join(folder, 'agent.ts'), agentFile(text));
  write(prompt);
  mkdirSync(join(folder, 'cases'));
  writeFileSync(join(folder, 'cases/greets.case.json'), await keptCase(prompt));
  const said: string[] = [];
  const note = (text: string): void => void (text.includes(' red.') && said.push(text));
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
  const next = (text: string): Promise<void> =>
    vi.waitFor(() => expect(said.at(-1)).toBe(text), { timeout: 100_000 });
  await next('Vitrine: 1 case, 0 red.');
  write('Greet people.');
  await next('Vitrine: 1 case, 1 red.\n  greets: It does not say "Ada".');
  write(prompt);
  await next('Vitrine: 1 case, 0 red.');
}, 120_000);
