import { expect, it, vi } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../agent/tool.ts';
import { systemEnv } from '../../graph/env.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { createJournal } from '../journal.ts';
import { runOnJournal } from '../../agent-loop/run-on-journal.ts';

it.each([
  ['session-conflict', 'asks nobody', []],
  ['session-storage', 'asks a person', ['approval-request']],
] as const)(
  'a call whose start fails to be stored with %s %s and does not run',
  async (code, _what, asking) => {
    const execute = vi.fn();
    const pay = defineTool({ name: 'pay', description: '', input: z.object({}), execute });
    const agent = scriptedAgent([{ toolCalls: [{ name: 'pay', input: {} }] }, { text: 'ok' }], {
      tools: [pay],
    });
    const journal = createJournal(ask());
    const events: string[] = [];
    journal.subscribe(({ type }) => void events.push(type));
    const whenStored = (): Promise<void> => Promise.reject(new AgentError(code, 'It was not stored.'));
    await runOnJournal({ agent, lease: journal.lease().lease, env: systemEnv, whenStored });
    expect(events.filter((type) => type === 'approval-request')).toEqual(asking);
    expect(execute).not.toHaveBeenCalled();
  },
);
