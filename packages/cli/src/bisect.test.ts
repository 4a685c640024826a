import { execFileSync } from 'node:child_process';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAgentSession, type AgentDefinition } from '@vitrine/core';
import { createRecorder, exportTrace, sessionHub } from '@vitrine/inspect';
import { describe, expect, it } from 'vitest';

const commits = 64;
/** The commits that each change one agent, and so break the trace of that agent. */
const regressions = Array.from({ length: 20 }, (_, index) => 3 * index + 3);
/** Number of regressions that are searched; `npm run prove -- traces` searches all. */
const searched = Math.min(regressions.length, Math.ceil(Number(process.env['PROVE_RUNS'] ?? 2)));

const program = fileURLToPath(new URL('vitrine.ts', import.meta.url));
/** A module that ends the process when anything opens a connection. */
const noNetwork = `import net from 'node:net';
net.Socket.prototype.connect = () => process.exit(200);
globalThis.fetch = () => process.exit(200);
`;

/** The part of an agent that a regression changes: its prompt, its tool, a hook or its budget. */
const faults = [
  (is: boolean) => `systemPrompt: ${is ? `'Help quickly.'` : `'Help.'`}`,
  (is: boolean) => `tools: [tool(${is ? `'Looks it up'` : `'Looks'`})]`,
  (is: boolean) => `tools: [tool('Looks')], hooks: [note(${is ? `'b'` : `'a'`})]`,
  (is: boolean) => `tools: [tool('Looks')], budget: { maxSteps: ${is ? 1 : 5} }`,
] as const;

/** The file of all agents at a commit. */
function agents(commit: number): string {
  return `import { AgentState, defineAgent, defineHook, defineTool } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import * as z from 'zod';
const tool = (description) => defineTool({ name: 'look', description, input: z.object({}), execute: () => 'found' });
const note = (value) => defineHook({ name: 'note', on: 'before-step', run: (state) => AgentState.withMetadata(state, { note: value }) });
const inference = () => scriptedInference([{ toolCalls: [{ name: 'look', input: {} }] }, { text: 'Done' }]);
const unrelated = ${commit};
${regressions
  .map((at, index) => {
    const init = faults[index % faults.length]?.(commit >= at);
    return `export const agent${index} = defineAgent({ name: 'agent${index}', inference: inference(), ${init} });`;
  })
  .join('\n')}
`;
}

function git(folder: string, ...args: readonly string[]): string {
  const quiet = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...quiet, ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function repository(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-bisect-'));
  symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(folder, 'node_modules'));
  writeFileSync(join(folder, '.gitignore'), 'node_modules\ntrace*\nno-network.js\n');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'no-network.js'), noNetwork);
  git(folder, 'init', '-q', '-b', 'main');
  for (let commit = 0; commit < commits; commit++) {
    writeFileSync(join(folder, 'agents.js'), agents(commit));
    git(folder, 'add', '-A');
    git(folder, 'commit', '-q', '-m', `change ${commit}`);
  }
  // The traces are those of the first commit.
  writeFileSync(join(folder, 'traces.js'), agents(0));
  const loaded = (await import(join(folder, 'traces.js'))) as Readonly<Record<string, AgentDefinition>>;
  for (let index = 0; index < searched; index++)
    writeFileSync(
      join(folder, `trace${index}.json`),
      await traceOf(loaded[`agent${index}`] as AgentDefinition),
    );
  return folder;
}

async function traceOf(agent: AgentDefinition): Promise<string> {
  const recorder = createRecorder();
  const session = createAgentSession({ agent });
  await session.sendMessage('Go');
  const record = recorder.read(sessionHub().sources().at(-1)!);
  await session.dispose();
  recorder.dispose();
  return JSON.stringify(exportTrace(record, { name: agent.name }).document);
}

describe('vitrine check in git bisect', () => {
  // Each search starts about six processes, one after the other.
  const timeout = Math.max(600_000, 120_000 * searched);
  it(
    'git bisect run names the commit of each planted regression, without a connection',
    { timeout },
    async () => {
      const folder = await repository();
      for (let index = 0; index < searched; index++) {
        git(folder, 'bisect', 'start', 'main', 'main~63');
        const check = [
          process.execPath,
          '--conditions=@vitrine/source',
          '--import',
          './no-network.js',
          program,
          'check',
        ];
        const out = git(
          folder,
          'bisect',
          'run',
          ...check,
          `trace${index}.json`,
          '--agent',
          `agents.js#agent${index}`,
        );
        git(folder, 'bisect', 'reset');
        expect(out, `regression ${index}`).toContain('is the first bad commit');
        expect(out).toContain(`change ${regressions[index]}\n`);
      }
    },
  );
});
