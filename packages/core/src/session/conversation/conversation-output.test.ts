import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import type { AgentInit } from '../../agent/agent-definition.ts';
import type { Schema } from '../../agent/schema.ts';
import { workUnits } from '../../kit/work.ts';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import type { AgentSession } from '../agent-session.ts';
import { createAgentSession } from '../create-agent-session.ts';
import { memorySessions } from '@vitrine/persist/internal/drivers/memory/memory-sessions';
import { output, type SomeOutput } from './conversation.ts';

const schema = z.object({ items: z.array(z.number()) }) as Schema;
const outputOf = (session: AgentSession): SomeOutput => output(session.store.getState().state, schema);

function createStructured(script: readonly ScriptedEntry[], init: Partial<AgentInit> = {}): AgentSession {
  const agent = scriptedAgent(script, { responseFormat: schema, retry: { maxOutputRetries: 0 }, ...init });
  return createAgentSession({ agent, sessionId: 'a', publish: 'immediate', sessions: memorySessions() });
}

/** Runs an answer and records each output that an observer sees, and the units that reading took. */
async function watched(
  text: string,
  size = 40,
): Promise<{ seen: SomeOutput[]; units: number; last: SomeOutput }> {
  const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );
  const session = createStructured([{ text, chunks }]);
  const seen: SomeOutput[] = [];
  const before = workUnits();
  session.store.subscribe(() => seen.push(outputOf(session)));
  await session.sendMessage('Numbers, please');
  return { seen, units: workUnits() - before, last: outputOf(session) };
}

describe('an answer as data', () => {
  it.each([6_000, 1_000_000])(
    'an answer of %d brackets is shown to a bounded depth and never becomes final',
    async (count) => {
      const { last } = await watched('['.repeat(count), count);
      expect(last.final).toBeNull();
      expect(JSON.stringify(last.partial)).toBe('['.repeat(100) + ']'.repeat(100));
    },
  );

  it('an answer of a fence and 400,000 newlines ends its run', async () => {
    const { last } = await watched(`\`\`\`${'\n'.repeat(400_000)}x`, 400_004);
    expect(last).toEqual({ partial: null, final: null });
  });

  it('a streaming answer is parsed incrementally, never from its beginning', async () => {
    const answer = (count: number): string => `{"items": [${'12345678, '.repeat(count)}1]}`;
    const [half, whole] = [await watched(answer(10_000)), await watched(answer(20_000))];
    expect(whole.units).toBeLessThan(2.2 * half.units);
    expect(whole.units).toBeLessThan(40 * 200_000);
    expect(whole.seen.length).toBeGreaterThan(1_000);
    expect((whole.last.final as { items: number[] }).items).toHaveLength(20_001);
  });

  it('a streaming answer shows each value as it comes', async () => {
    const { seen } = await watched('{"items": [1, 22, 3]}', 1);
    const shown = seen.map(({ partial }) => JSON.stringify(partial));
    expect(shown).toEqual(
      expect.arrayContaining(['{"items":[]}', '{"items":[1]}', '{"items":[1,22]}', '{"items":[1,22,3]}']),
    );
  });
});
