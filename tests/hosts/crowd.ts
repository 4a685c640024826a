import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { AgentState } from '@vitrine/core';
import { callsOf, checkRun, withLimit } from './check-run.ts';
import { addressOf, type HostFleet } from './host-fleet.ts';

const limitMs = 1_800_000;
const script = 'pay:a look:b say:40';
/** The begin of each answer of the scripted agent, which nothing else in a session has. */
const firstText = 'Next ';
const answerType = '"type":"answer"';
/** The devices that look at the sessions at the same time, after the runs. */
const devices = 10;

/**
 * Milliseconds from sending to the first text in the stream of events, of each session. Whole devices would take as much
 * time of the processors as the server, so the requests are made without them, and devices check the sessions afterwards.
 */
export async function crowd(fleet: HostFleet, sessions: number): Promise<readonly number[]> {
  const ids = Array.from({ length: sessions }, (_, i) => `crowd-${process.pid}-${i}`);
  const what = `The run of ${sessions} sessions at once`;
  return withLimit({ what, ms: limitMs, fleet, sessions: ids }, async () => {
    const times = await Promise.all(ids.map((id) => firstTextMs(fleet, id)));
    const states = new Set<string>();
    const left = [...ids];
    const check = async (): Promise<void> => {
      for (let id = left.pop(); id !== undefined; id = left.pop()) states.add(await checkedState(fleet, id));
    };
    await Promise.all(Array.from({ length: devices }, check));
    assert.equal(states.size, 1, 'The sessions are not equal.');
    return times;
  });
}

/** Sends the script to a new session and reads its events until its run has ended. @returns the time to the first text */
async function firstTextMs(fleet: HostFleet, sessionId: string): Promise<number> {
  const url = `${fleet.url}/agents/clerk/sessions/${sessionId}`;
  const leaving = new AbortController();
  const at = performance.now();
  const command = { type: 'send', id: randomUUID(), message: { text: script }, options: {}, onBusy: 'queue' };
  const [stream, kept] = await Promise.all([
    fetch(`${url}/events`, { headers: { accept: 'text/event-stream' }, signal: leaving.signal }),
    fetch(`${url}/commands`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(command),
    }),
  ]);
  assert.equal(kept.status, 202, `${sessionId}: ${await kept.text()}`);
  let firstMs: number | null = null;
  let seen = '';
  // Whoever leaves early is told nothing more, and the server would have less to do.
  for await (const text of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    seen = seen.slice(-answerType.length) + text;
    if (seen.includes(firstText)) firstMs ??= performance.now() - at;
    if (seen.includes(answerType)) break;
  }
  leaving.abort();
  assert(firstMs !== null, `${sessionId}: the stream of events ended without a text.`);
  const answer = await fleet.host.answerOf(addressOf(sessionId), command.id);
  assert(
    answer !== null && answer !== 'waiting',
    `${sessionId}: the stream of events ended without an answer.`,
  );
  assert.equal(answer.turn?.outcome, 'completed', sessionId);
  return firstMs;
}

/** Checks a session on a device. @returns what all sessions have in common, as JSON text */
async function checkedState(fleet: HostFleet, sessionId: string): Promise<string> {
  const device = fleet.device(sessionId);
  await checkRun(fleet, sessionId, [device], script);
  const { state } = device.store.getState();
  await device.dispose();
  const messages = AgentState.messages(state).map(({ role, parts }) => ({
    role,
    parts: parts.map((part) => (part.type === 'text' ? part.text : part.type)),
  }));
  return JSON.stringify({ messages, calls: callsOf(state) });
}
