import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { loadedSession, resolveRecord } from '@vitrine/core';
import { toAgUiMessages } from '@vitrine/ag-ui';
import { expect, it, onTestFinished } from 'vitest';
import { byOwner, clients, cutFetch } from './ag-ui-clients.ts';
import { temporaryDatabase } from '../../packages/proxy/src/sessions/sqlite-faults.fixture.ts';
import { sqliteSessions } from '../../packages/proxy/src/sessions/sqlite/sqlite-sessions.ts';

/** Starts the backend as a process of its own. */
async function startProcess(path: string) {
  const script = fileURLToPath(
    new URL('../../packages/proxy/src/sessions/ag-ui-process.fixture.ts', import.meta.url),
  );
  const child = spawn(process.execPath, ['--conditions=@vitrine/source', script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const over = once(child, 'close');
    child.kill('SIGKILL');
    await over;
  };
  onTestFinished(kill);
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: `http://127.0.0.1:${port.toString().trim()}/agent`, kill };
}

it.each(
  clients.flatMap(([version, Client]) => [2, 9, 14, 40, 200].map((after) => ({ version, Client, after }))),
)(
  'a client of $version goes on where the process was killed behind event $after, and in its place',
  { timeout: 120_000 },
  async ({ Client, after }) => {
    const { path, erase } = temporaryDatabase();
    onTestFinished(erase);
    let backend = await startProcess(path);
    const request = (_url: string, init: RequestInit): Promise<Response> => fetch(backend.url, init);
    const peer = cutFetch(request, [{ after, dies: true }], async () => {
      await backend.kill();
      backend = await startProcess(path);
    });
    const client = new Client({ url: backend.url });
    Object.assign(client, { fetch: peer.fetch });
    client.addMessage({ id: 'u1', role: 'user', content: 'Write' });
    await client.runAgent();
    expect(peer.lost()).toBe(0);
    expect(client.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'word '.repeat(300) });
    const store = sqliteSessions({ path });
    onTestFinished(() => store.close());
    await expect
      .poll(async () => {
        const record = loadedSession(await store.load('s1'));
        return record && byOwner(toAgUiMessages(resolveRecord(record).state));
      })
      .toEqual(byOwner(client.messages));
  },
);
