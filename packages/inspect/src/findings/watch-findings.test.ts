import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '@vitrine/core/internal/agent/tool';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { pendingApprovals } from '@vitrine/core/internal/graph/agent-state/accessors';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { sessionHub } from '@vitrine/core/internal/session/hub';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { watchFindings } from './watch-findings.ts';

const count = defineTool({
  name: 'count',
  description: 'Counts people.',
  input: z.object({ people: z.coerce.number() }),
  execute: ({ people }) => people,
});
const script = (input: JsonValue) => [{ toolCalls: [{ name: 'count', input }] }, { text: 'Counted.' }];

/** Starts a run with a breakpoint on a finding. */
async function started(input: JsonValue, code: string | null) {
  const session = createAgentSession({ agent: scriptedAgent(script(input), { tools: [count] }) });
  await session.setBreakpoint({ type: 'finding', code });
  const end = watchFindings(sessionHub().sources().at(-1)!);
  const turn = session.sendMessage('How many?');
  return { session, turn, end };
}

describe('a breakpoint on a finding', () => {
  it('a run waits before its next call after a finding, and goes on when it is released', async () => {
    const { session, turn, end } = await started({ people: 4, tables: 1 }, null);
    await expect.poll(() => session.store.getState().status).toBe('awaiting-input');
    expect(session.store.getState().state.execution?.breakHit).not.toBeNull();
    expect(pendingApprovals(session.store.getState().state)).toEqual([]);
    await session.releaseWith();
    await turn;
    await expect.poll(() => session.store.getState().state.execution?.status).toBe('completed');
    end();
    await session.dispose();
  });

  it('a run without the finding of its breakpoint does not wait', async () => {
    for (const [input, code] of [
      [{ people: 4 }, null],
      [{ people: 4, tables: 1 }, 'answer-cut'],
    ] as const) {
      const { session, turn, end } = await started(input, code);
      await turn;
      expect(session.store.getState().state.execution?.status).toBe('completed');
      end();
      await session.dispose();
    }
  });
});
