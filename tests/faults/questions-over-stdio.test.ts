import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createRecorder, exportTrace, sessionHub } from '@vitrine/inspect';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FaultyAgent } from '../../apps/demo/src/faults/faulty-agent.ts';
import { faultyAgents } from '../../apps/demo/src/faults/faulty-agents.ts';
import { root } from '../../scripts/root.ts';
import { runWithSecrets, secret } from './secret-run.ts';

const mostBytes = 2_048;
const client = new Client({ name: 'test', version: '1' });
let folder: string;

const fileOf = ({ id }: FaultyAgent): string => join(folder, `${id}.json`);

/** The trace of a run, as the panel saves it. */
async function traceOf(faulty: FaultyAgent): Promise<string> {
  const recorder = createRecorder();
  const session = await runWithSecrets(faulty);
  const record = recorder.read(sessionHub().sources().at(-1)!);
  await session.dispose();
  recorder.dispose();
  return JSON.stringify(exportTrace(record, { name: faulty.id, exportedAt: 5 }).document);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-faults-'));
  for (const faulty of faultyAgents) await writeFile(fileOf(faulty), await traceOf(faulty));
  const program = join(root, 'packages/cli/src/vitrine.ts');
  const args = ['--conditions=@vitrine/source', program, 'mcp', ...faultyAgents.map(fileOf)];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: folder }));
}, 120_000);
afterAll(async () => {
  await client.close();
  await rm(folder, { recursive: true, force: true });
});

it.each(faultyAgents)('a coding agent finds the fault $id over stdio in one call of 2 kB', async (faulty) => {
  const answer = await client.callTool({ name: 'findings', arguments: { session: fileOf(faulty) } });
  const text = JSON.stringify(answer.structuredContent);
  expect(answer.structuredContent).toHaveProperty('items.0.code', faulty.code);
  expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(mostBytes);
  expect(JSON.stringify(answer)).not.toContain(secret.slice(0, 20));
});
