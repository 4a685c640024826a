import { memorySessions } from '@vitrine/persist/internal/drivers/memory/memory-sessions';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import { defineTool } from '../agent/tool.ts';
import type { ModelChoice } from '../graph/agent-state/chosen-model.ts';
import { pendingApprovals } from '../graph/agent-state/accessors.ts';
import { withLlmConfig, withUserMessage } from '../graph/agent-state/transitions.ts';
import { unlimited } from '../graph/execution-budget.ts';
import { type Message, text } from '../graph/message.ts';
import { section } from '../graph/message-store.ts';
import type { AgentSession } from './agent-session.ts';
import { createAgentSession } from './create-agent-session.ts';

const numRuns = Number(process.env['PROVE_RUNS'] ?? 40);

const choice: fc.Arbitrary<ModelChoice> = fc.record({
  model: fc.constantFrom('small', 'large', null),
  reasoning: fc.constantFrom('high', 'off', null),
});
const act = fc.record({
  type: fc.constantFrom(
    'choose',
    'choose',
    'send',
    'edit',
    'regenerate',
    'retry',
    'switch',
    'reload',
    'reset',
  ),
  choice,
  /** The choices while the turn goes on. */
  meanwhile: fc.array(choice, { maxLength: 2 }),
  words: fc.constantFrom('go', 'go', 'fail', 'ask'),
});

type Asked = { readonly model: string | null; readonly reasoning: unknown; readonly topP: unknown };

/** An agent that calls a tool, asked for it or not, then answers or fails, and notes what its requests ask for. */
function noting(asked: Asked[], think: () => Promise<void>): AgentDefinition {
  const tool = defineTool({
    name: 'think',
    description: 'Thinks',
    input: z.object({ isAsked: z.boolean() }),
    needsApproval: ({ isAsked }) => isAsked,
    execute: think,
  });
  return scriptedAgent(
    [
      ({ messages, model, settings }) => {
        asked.push({ model, reasoning: settings['reasoning'], topP: settings['topP'] });
        const said = text(messages.findLast(({ role }) => role === 'user') as Message);
        if (messages.at(-1)?.role === 'user')
          return { toolCalls: [{ name: 'think', input: { isAsked: said === 'ask' } }] };
        return said === 'fail' ? { error: new Error('gone') } : { text: 'Done.' };
      },
    ],
    { tools: [tool], retry: { maxAttempts: 1 }, llmConfig: { model: 'own', settings: { reasoning: 'low' } } },
  );
}

it('a run asks the model that was chosen before it began, over branches, failures and reloads', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 14 }), async (acts) => {
      const own: Asked = { model: 'own', reasoning: 'low', topP: undefined };
      let expected: Asked = { ...own, topP: 0.5 };
      let waiting: readonly ModelChoice[] = [];
      const asked: Asked[] = [];
      const agent = noting(asked, async () => {
        for (const one of waiting) await session.chooseModel(one);
        waiting = [];
      });
      const options = { agent, sessions: memorySessions(), sessionId: 's' };
      let session: AgentSession = createAgentSession(options);
      const take = ({ model, reasoning }: ModelChoice): void => {
        const effort = reasoning ?? (model === null ? 'low' : undefined);
        expected = { ...expected, model: model ?? 'own', reasoning: effort };
      };
      const config = { model: 'own', settings: { reasoning: 'low', topP: 0.5 } };
      await session.update((state) => withLlmConfig(withUserMessage(state, 'before'), config));
      for (const { type, choice: one, meanwhile, words } of acts) {
        const said = section(session.store.getState().state.context.store).filter(
          ({ role }) => role === 'user',
        );
        const from = asked.length;
        waiting = [...meanwhile];
        if (type === 'choose') {
          await session.chooseModel(one);
          take(one);
        } else if (type === 'send') await session.sendMessage(words);
        else if (type === 'edit' && said[0]) await session.edit(said[0].id, words);
        else if (type === 'regenerate' && said[0]) await session.regenerate();
        else if (type === 'retry') await session.retry();
        else if (type === 'switch' && said[0]) {
          const { ids } = session.branches(said[0].id);
          await session.switchBranch(ids.find((id) => id !== said[0]?.id) ?? said[0].id);
        } else if (type === 'reset') {
          await session.reset();
          expected = own;
        } else if (type === 'reload') {
          await session.dispose();
          session = createAgentSession(options);
          await session.ready;
        }
        const [call] = pendingApprovals(session.store.getState().state);
        if (call) {
          // The run that waits keeps its model.
          await session.chooseModel(one);
          waiting = [...meanwhile, one];
          await session.approve(call.id);
        }
        for (const request of asked.slice(from)) expect(request).toEqual(expected);
        if (waiting.length === 0) [...meanwhile, ...(call ? [one] : [])].forEach(take);
      }
      await session.dispose();
    }),
    { numRuns },
  );
});

it('a choice comes along to another branch, whose run that waits keeps its own model', async () => {
  const asked: Asked[] = [];
  const session = createAgentSession({ agent: noting(asked, async () => undefined) });
  await session.sendMessage('ask');
  const [said] = section(session.store.getState().state.context.store);
  await session.chooseModel({ model: 'small' });
  await session.edit(said?.id ?? '', 'go');
  await session.chooseModel({ model: 'large', reasoning: 'high' });
  await session.sendMessage('go');
  await session.switchBranch(said?.id ?? '');
  const [call] = pendingApprovals(session.store.getState().state);
  await session.approve(call?.id ?? '');
  await session.sendMessage('go');
  expect(asked.map(({ model, reasoning }) => `${model} ${reasoning as string}`)).toEqual([
    'own low',
    'small undefined',
    'small undefined',
    'large high',
    'large high',
    'own low',
    'large high',
    'large high',
  ]);
  await session.dispose();
});

it.each<unknown>([
  {},
  'small',
  { model: 5n },
  { model: '' },
  { model: 'x'.repeat(1_000_000) },
  { model: 'small', reasoning: 3 },
])('a choice that is none is refused in a sentence, and the model stays', async (given) => {
  const asked: Asked[] = [];
  const session = createAgentSession({ agent: noting(asked, async () => undefined) });
  const sentence = /model and reasoning must each be null or a text of 1 to 200 characters/;
  await expect(session.chooseModel(given as ModelChoice)).rejects.toThrow(sentence);
  await session.sendMessage('go');
  expect(asked[0]).toMatchObject({ model: 'own', reasoning: 'low' });
  await session.dispose();
});

it('a run that goes on after a reload, an answer or a limit keeps the model of its turn', async () => {
  const asked: Asked[] = [];
  const agent = { ...noting(asked, async () => undefined), budget: { ...unlimited(), maxSteps: 1 } };
  const options = { agent, sessions: memorySessions(), sessionId: 's' };
  const page = createAgentSession(options);
  await page.sendMessage('ask', { model: 'small' });
  await page.dispose();
  const session = createAgentSession(options);
  await session.ready;
  const [call] = pendingApprovals(session.store.getState().state);
  await session.chooseModel({ model: 'large' });
  await session.approve(call?.id ?? '');
  expect(await session.continueRun()).toMatchObject({ outcome: 'completed' });
  await session.sendMessage('go');
  expect(asked.map(({ model }) => model)).toEqual(['small', 'small', 'large']);
  await session.dispose();
});
