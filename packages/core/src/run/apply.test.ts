import { describe, expect, it } from 'vitest';
import * as AgentState from './agent-state.ts';
import { defineTool } from '../agent/tool.ts';
import type { AgentState as State } from '../graph/types.ts';
import * as z from 'zod';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { apply } from './apply.ts';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import type { AgentEvent } from './events.ts';

describe('an event that is already part of a state', () => {
  it('an event that is already part of a state leaves the same object, also for a subagent', async () => {
    const kid = scriptedAgent([{ toolCalls: [{ name: 'look', input: {} }] }, { text: 'Seen' }], {
      name: 'kid',
      tools: [fakeTool('look', 1)],
    });
    const delegate = { toolCalls: [{ name: 'delegate', input: { agent: 'kid', task: 'Look' } }] };
    const told: { readonly event: AgentEvent; readonly state: State }[] = [];
    const agent = scriptedAgent([delegate, { text: 'Done' }], { subagents: [kid] });
    const onEvent = (event: AgentEvent, state: State): void => void told.push({ event, state });
    await createAgentLoop(agent, { onEvent }).execute(ask());
    for (const { event, state } of told) expect(apply(state, event)).toBe(state);
    expect(told.filter(({ event }) => event.path.length > 0).length).toBeGreaterThan(10);
  });
});

describe.each(['tagged', 'separate'] as const)('a removed answer, with the tool trace %s', (toolTrace) => {
  it('an answer that the application removed does not return when its step ends', async () => {
    const forget = defineTool({
      name: 'forget',
      description: 'Takes the answer that called it out of the conversation',
      input: z.object({}),
      execute: (_input, ctx) =>
        ctx.update((state) => ({
          ...state,
          context: {
            ...state.context,
            store: {
              ...state.context.store,
              sections: state.context.store.sections.map((section) => ({
                ...section,
                messages: section.messages.filter(({ parts }) =>
                  parts.every(({ type }) => type !== 'tool-call'),
                ),
              })),
            },
          },
        })),
    });
    const agent = scriptedAgent(
      [{ text: 'I forget', toolCalls: [{ name: 'forget', input: {} }] }, { text: 'Gone' }],
      {
        tools: [forget],
        toolTrace,
      },
    );
    const state = await createAgentLoop(agent).execute(ask());
    expect(AgentState.status(state)).toBe('completed');
    const all = state.context.store.sections.flatMap(({ messages }) => messages);
    const said = all.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    );
    expect(said).toEqual(['Hello', 'Gone']);
  });
});
