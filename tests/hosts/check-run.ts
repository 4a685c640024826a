import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentState, type AgentSession, isAgentError, type Turn } from '@vitrine/core';
import pg from 'pg';
import { addressOf, type HostFleet } from './host-fleet.ts';
import { onceTools } from './scripted-agent.ts';

/**
 * Resolves once a condition holds. A database that is away for a moment makes it false. Rejects after five minutes: a proof
 * may run beside other work.
 */
export async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + 300_000;
  const holds = async (): Promise<boolean> => isTrue();
  while (!(await holds().catch(falseWhileAway))) {
    assert(performance.now() < end, `Waited for five minutes in vain until ${what}.`);
    await sleep(10);
  }
}

function falseWhileAway(thrown: unknown): false {
  if (isAgentError(thrown, 'session-storage') && thrown.data['retryable'] === true) return false;
  throw thrown;
}

/** Sends a message from one device, and approves what waits on another until the turn has ended. */
export async function wholeTurn(laptop: AgentSession, phone: AgentSession, text: string): Promise<Turn> {
  const given = new Set<string>();
  let turn = await laptop.sendMessage(text);
  while (turn.status === 'awaiting-input') {
    const waiting = (): string | undefined =>
      AgentState.pendingApprovals(phone.store.getState().state).find(({ id }) => !given.has(id))?.id;
    await until(() => waiting() !== undefined, 'the phone shows the call that waits');
    const id = waiting() ?? '';
    given.add(id);
    turn = await phone.approve(id);
  }
  return turn;
}

/** The calls of a state and of its subagents, as `pay a completed`, in order. */
export function callsOf(state: AgentState): readonly string[] {
  return AgentState.steps(state).flatMap(({ toolExecutions }) =>
    toolExecutions.flatMap(({ toolCall, status, childState }) => {
      if (childState !== null) return callsOf(childState);
      const { line } = toolCall.input as { readonly line?: string };
      return [`${toolCall.name} ${line ?? ''} ${status}`];
    }),
  );
}

/** The tool lines that a message asks for, as `pay a`. */
export function askedFor(text: string): readonly string[] {
  const words = text.split(' ').filter((word) => /^\w+:\S/.test(word) && !word.startsWith('say:'));
  return words.map((word) => {
    const [name = '', line = ''] = word.split(':');
    return line.includes('.') ? line.replace('.', ' ') : `${name} ${line}`;
  });
}

/**
 * Checks that all of a session of one message is there once: each effect, each message, each call, and the same state on every device
 * as in the store. @throws AssertionError
 */
export async function checkRun(
  fleet: HostFleet,
  sessionId: string,
  devices: readonly AgentSession[],
  text: string,
): Promise<void> {
  const asked = askedFor(text);
  const deeds = fleet.deeds(sessionId);
  for (const line of asked.filter((each) => onceTools.includes(each.split(' ')[0] ?? '')))
    assert(deeds.filter((deed) => deed === line).length <= 1, `${sessionId}: ${line} happened twice.`);
  await until(
    async () => (await fleet.host.pending(addressOf(sessionId))).length === 0,
    'no command is left',
  );
  const json = (device: AgentSession): string =>
    JSON.stringify(AgentState.toJSON(device.store.getState().state));
  await until(async () => {
    const stored = await fleet.stored(sessionId);
    return devices.every((device) => json(device) === stored);
  }, `all devices of ${sessionId} show what is stored`);
  const [first] = devices;
  if (first === undefined) return;
  const { state } = first.store.getState();
  const said = AgentState.messages(state).filter(({ role }) => role === 'user');
  const saidTexts = said.map(({ parts }) =>
    parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
  );
  assert.deepEqual(saidTexts, [text], `${sessionId}: the messages of the user`);
  const calls = callsOf(state);
  assert.deepEqual(
    calls.map((call) => call.split(' ').slice(0, 2).join(' ')),
    asked,
    `${sessionId}: the calls`,
  );
  for (const call of calls) {
    const [name = '', line = '', status = ''] = call.split(' ');
    const happened = deeds.filter((deed) => deed === `${name} ${line}`).length;
    if (status === 'completed') assert(happened > 0, `${sessionId}: ${call}, but it did not happen.`);
    else assert(onceTools.includes(name) && status === 'interrupted', `${sessionId}: ${call}`);
  }
}

/** Runs work within a limit. Prints what hangs, and rejects, when it takes longer. */
export async function withLimit<Value>(
  { what, ms, fleet, sessions }: { what: string; ms: number; fleet: HostFleet; sessions: readonly string[] },
  work: () => Promise<Value>,
): Promise<Value> {
  const timer = new AbortController();
  const late = sleep(ms, undefined, { signal: timer.signal }).then(async () => {
    process.stderr.write(`${what} did not end within ${ms} ms.\n${await describe(fleet, sessions)}\n`);
    throw new Error(`${what} did not end within ${ms} ms.`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work(), late]);
  } finally {
    timer.abort();
  }
}

/** The processes, the sessions that are not over, and what the database does. */
async function describe(fleet: HostFleet, sessions: readonly string[]): Promise<string> {
  const lines = fleet.members.map(({ child, url }) => `process ${child.pid} at ${url}`);
  for (const id of sessions) {
    const address = addressOf(id);
    const pending = (await fleet.host.pending(address)).map(({ command }) => `${command.type} ${command.id}`);
    if (pending.length === 0) continue;
    const epochs = (await fleet.host.epochs(address, 0)).map(({ epoch }) => epoch);
    lines.push(
      `${id}: waits for ${pending.join(', ')}; epochs ${epochs.join(', ')}; did ${fleet.deeds(id).join(', ')}`,
    );
  }
  if (fleet.database !== null) lines.push(...(await describeDatabase(fleet.database.url)));
  return lines.join('\n');
}

async function describeDatabase(url: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    const activity = await client.query(
      `SELECT application_name, state, wait_event, left(query, 100) AS query FROM pg_stat_activity
       WHERE state IS DISTINCT FROM 'idle' AND pid <> pg_backend_pid() AND datname IS NOT NULL`,
    );
    const wakes = await client.query(
      `SELECT wakes.*, status, executor_id FROM vitrine_host_wakes AS wakes
       LEFT JOIN dbos.workflow_status ON workflow_uuid = workflow LIMIT 20`,
    );
    const living = await client.query('SELECT id, name, version, beat FROM vitrine_host_executors');
    return [...activity.rows, ...wakes.rows, ...living.rows].map((row) => JSON.stringify(row));
  } catch (thrown) {
    return [`The database does not answer: ${String(thrown)}`];
  } finally {
    await client.end().catch(() => undefined);
  }
}
