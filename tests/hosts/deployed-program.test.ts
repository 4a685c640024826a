import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AgentDefinition,
  type AgentSession,
  AgentState,
  createAgentSession,
  Message,
} from '@vitrine/core';
import { agentServer } from '@vitrine/react/server';
import type { AgentServer } from '@vitrine/server';
import { expect, it, onTestFinished } from 'vitest';
import { examplesOf } from '../../scripts/docs/examples.ts';
import { root } from '../../scripts/root.ts';
import { folderOfTest } from '../folder-of-test.ts';
import { startPostgres } from '../servers/start-postgres.ts';
import { freePort, untilReady } from '../servers/test-server.ts';

const agents = `import { defineAgent } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
export const clerk = defineAgent({ name: 'clerk', inference: scriptedInference([{ text: 'Hello Anna' }]) });
`;

/** The program of the page on deployment and an agent, in a folder where Node finds the packages. */
function programOfPage(): string {
  const page = readFileSync(join(root, 'docs/deploy.md'), 'utf8');
  const program = examplesOf(page).find(({ title }) => title === 'server.ts');
  const folder = folderOfTest('deployed');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'agents.ts'), agents);
  writeFileSync(join(folder, 'server.ts'), program?.code ?? '');
  return join(folder, 'server.ts');
}

async function start(program: string, database: string): Promise<{ child: ChildProcess; url: string }> {
  const port = await freePort();
  const child = spawn(process.execPath, ['--conditions=@vitrine/source', program], {
    env: { ...process.env, DATABASE_URL: database, VERSION: '1', PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await untilReady(child, isReady);
  return { child, url };
}

it(
  'two processes of the program on the page about deployment are one server, and each ends by SIGTERM',
  { timeout: 300_000 },
  async ({ skip }) => {
    const database = await startPostgres();
    if (database === null) return skip('there is no PostgreSQL on this machine');
    onTestFinished(() => database.stop());
    const program = programOfPage();
    const one = await start(program, database.url);
    const two = await start(program, database.url);
    const device = (url: string): AgentSession => {
      const remote = agentServer<AgentServer<{ clerk: AgentDefinition }>>({
        url,
        headers: { 'x-user': 'anna' },
      });
      const session = createAgentSession({
        agent: remote.agents.clerk,
        sessions: remote.sessions,
        sessionId: 's1',
      });
      onTestFinished(async () => void (await session.dispose()));
      void session.ready;
      return session;
    };
    expect(await device(one.url).sendMessage('Hello')).toMatchObject({ outcome: 'completed' });
    const phone = device(two.url);
    const texts = (): readonly string[] =>
      AgentState.messages(phone.store.getState().state).map(Message.text);
    await expect.poll(texts, { timeout: 30_000 }).toEqual(['Hello', 'Hello Anna']);
    await phone.dispose();
    for (const { child } of [one, two]) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    }
  },
);
