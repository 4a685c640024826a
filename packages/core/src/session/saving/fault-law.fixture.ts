import { expect } from 'vitest';
import { messages } from '../../graph/agent-state/accessors.ts';
import { text, toolCalls } from '../../graph/message.ts';
import * as AgentState from '../../faces/agent-state.ts';
import { liveRecord } from '../stores/live-record.ts';
import { effectKey } from './fault-agent.fixture.ts';
import type { Version } from './fault-places.fixture.ts';
import type { Seen } from './fault-simulation.fixture.ts';

/** What has to hold of a session whatever happened to its pages. */
export function assertKept(seen: Seen): void {
  const { versions, last } = seen;
  const { state } = liveRecord(last);
  for (const [at, version] of versions.slice(1).entries()) assertFollows(versions[at] as Version, version);
  expect(seen.faults).toEqual([]);
  assertEffects(seen);
  assertSaid(seen);
  expect(AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))))).toEqual(state);
}

/** Nothing that was stored is gone, or in another order. */
function assertFollows(before: Version, after: Version): void {
  const [all, settled, old] = [new Set(after.ids), new Set(after.settled), new Set(before.settled)];
  for (const id of [...before.settled, ...before.queued])
    if (!all.has(id))
      throw new Error(`message ${id} of version ${before.version} is not in ${after.version}`);
  const [left, right] = [
    before.settled.filter((id) => settled.has(id)),
    after.settled.filter((id) => old.has(id)),
  ];
  if (left.join() !== right.join()) throw new Error(`version ${after.version} has another order`);
}

/** Nothing has its effect twice, nor without a record of it: the message that asked for it, and that it was called. */
function assertEffects({ effects, insisted, last }: Seen): void {
  const { state } = liveRecord(last);
  const called = new Set(
    messages(state).flatMap((message) =>
      toolCalls(message).flatMap(({ input }) => ('words' in (input as object) ? [effectKey(input)] : [])),
    ),
  );
  const answered = new Map(
    messages(state).flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === 'tool-result' ? [[part.toolCallId, part.outcome] as const] : [],
      ),
    ),
  );
  for (const [key, count] of effects) {
    expect(count, `effects of ${key}`).toBeLessThanOrEqual(1 + (insisted.get(key) ?? 0));
    // What a subagent has called stands in its own messages.
    const isTop = !key.startsWith('pay ask');
    if (isTop && !insisted.has(key)) expect(called, 'what has had its effect').toContain(key);
  }
  for (const call of messages(state).flatMap(toolCalls)) {
    if (answered.get(call.toolCallId) !== 'completed' || !('words' in (call.input as object))) continue;
    if (call.toolName !== 'look')
      expect(effects.get(effectKey(call.input)), `${effectKey(call.input)} is completed`).toBeGreaterThan(0);
  }
}

/** What was said stands there once, unless its page went away. */
function assertSaid({ said, last }: Seen): void {
  const { state } = liveRecord(last);
  const texts = [...messages(state).map(text), ...last.queue.map((entry) => entry.text)];
  for (const { text: words, page, turn } of said) {
    const isOff = turn?.status === 'cancelled' || turn?.status === 'refused';
    const times = texts.filter((found) => found === words).length;
    expect(times, words).toBeLessThanOrEqual(1);
    if (!page.isGone && !isOff) expect(times, words).toBe(1);
  }
}
