import { expect } from 'vitest';
import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { text, toolCalls } from '@vitrine/core/internal/graph/message';
import * as AgentState from '@vitrine/core/internal/run/agent-state';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import { effectKey } from './fault-agent.fixture.ts';
import type { Version } from './fault-places.fixture.ts';
import type { Seen } from './fault-simulation.fixture.ts';

/** Asserts the law of a session after any faults of its pages and of the store. */
export function assertKept(seen: Seen): void {
  const { versions, last } = seen;
  const { state } = liveRecord(last);
  for (const [at, version] of versions.slice(1).entries()) assertFollows(versions[at] as Version, version);
  expect(seen.faults).toEqual([]);
  assertEffects(seen);
  assertSaid(seen);
  expect(AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))))).toEqual(state);
}

/** Asserts that no stored message disappeared or changed its place. */
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

/** Asserts that no effect happened twice, and none without a stored request and start. */
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
    // The calls of a subagent are in its own messages.
    const isTop = !key.startsWith('pay ask');
    if (isTop && !insisted.has(key)) expect(called, 'what has had its effect').toContain(key);
  }
  for (const call of messages(state).flatMap(toolCalls)) {
    if (answered.get(call.toolCallId) !== 'completed' || !('words' in (call.input as object))) continue;
    if (call.toolName !== 'look')
      expect(effects.get(effectKey(call.input)), `${effectKey(call.input)} is completed`).toBeGreaterThan(0);
  }
}

/** Asserts that a message is in the session once, or in a fork, unless its page went away. */
function assertSaid({ said, last, forked }: Seen): void {
  const { state } = liveRecord(last);
  const texts = [...messages(state).map(text), ...last.queue.map((entry) => entry.text)];
  for (const { text: words, page, turn } of said) {
    const isOff = turn?.status === 'cancelled' || turn?.status === 'refused';
    const times = texts.filter((found) => found === words).length;
    expect(times, words).toBeLessThanOrEqual(1);
    if (!page.isGone && !isOff && times === 0) expect(forked, words).toContain(words);
  }
}
