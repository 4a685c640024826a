import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { Schema } from '../../agent/schema.ts';
import type { AgentState } from '../../graph/types.ts';
import * as Conversation from './conversation.ts';
import { isAgentError } from '../../kit/agent-error.ts';
import { ask } from '@vitrine/testing/internal/fixtures';
import type { SessionSnapshot } from '../agent-session.ts';
import { selectors } from './selectors.ts';

afterEach(() => vi.unstubAllGlobals());

/** A state that no document can hold, as a defect of an application may leave. */
function damage(): AgentState {
  const state = ask('Hello');
  const [messages] = state.context.store.sections;
  const broken = { ...messages?.messages[0], parts: null };
  const execution = {
    status: 'completed',
    steps: null,
    stepExecutions: null,
    signals: null,
    currentStep: { outputMessages: [broken] },
  };
  const store = { sections: [{ name: 'messages', messages: [broken] }] };
  return { ...state, execution, context: { ...state.context, store } } as unknown as AgentState;
}

describe('selectors of an unreadable state', () => {
  it('selectors of an unreadable state return blank values and report each error once', () => {
    const reports: unknown[] = [];
    vi.stubGlobal('reportError', (thrown: unknown) => reports.push(thrown));
    const state = damage();
    const schema = z.object({}) as Schema;
    for (let round = 0; round < 3; round++) {
      expect(Conversation.messages(state)).toEqual([]);
      expect(Conversation.settledMessages(state)).toEqual([]);
      expect(Conversation.streamingMessage(state)).toBeNull();
      expect(Conversation.messageIds(state)).toEqual([]);
      expect(Conversation.message(state, 'a')).toBeNull();
      expect(Conversation.output(state, schema)).toEqual({ partial: null, final: null });
      for (const name of [
        'title',
        'usage',
        'steps',
        'stopReason',
        'stopSignals',
        'pendingApprovals',
      ] as const)
        expect(() => selectors[name](state)).not.toThrow();
    }
    const messages = reports.map((thrown) => (isAgentError(thrown, 'view-failed') ? thrown.message : ''));
    expect(messages).toContainEqual(expect.stringContaining('"settledMessages"'));
    expect(new Set(messages).size).toBe(messages.length);
  });

  it('selectors of a whole session return blank values for an unreadable state too', () => {
    vi.stubGlobal('reportError', () => undefined);
    const snapshot = { state: damage(), tree: { branches: [] }, budget: {} } as unknown as SessionSnapshot;
    expect(selectors.budget(snapshot)).toBeDefined();
    expect(selectors.branches(snapshot)('a')).toMatchObject({ ids: [] });
  });
});
