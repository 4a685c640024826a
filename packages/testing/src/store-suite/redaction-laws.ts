import { defineAgent } from '@vitrine/core/internal/agent/define-agent';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { fakeTool } from '../fake-tool.ts';
import { scriptedInference } from '../scripted-inference.ts';
import { assertSame } from './assert-same.ts';
import type { Law, SuiteContext } from './suite-context.ts';

const texts = ['first-input', 'first-result', 'edited-input'];

/** The laws of texts of calls that hooks or people replaced. */
export const redactionLaws: readonly Law[] = [
  {
    name: 'no text of a call remains after a hook or a person replaced it',
    needs: ['raw'],
    async run(context) {
      const found: string[][] = [];
      const agent = redactingAgent(async () => void found.push(await storedTexts(context)));
      const session = createAgentSession({ agent, sessions: context.reopen(), sessionId: 'a' });
      await session.sendMessage('Begin');
      const { activity } = session.store.getState();
      const [waiting = ''] = activity.type === 'waiting' ? activity.toolCallIds : [];
      await session.approve(waiting, { input: { text: 'masked' } });
      await session.flush();
      found.push(await storedTexts(context));
      // A tool runs once the former input of its call is in no text of the store.
      assertSame(
        found,
        [['edited-input'], [], []],
        'The replaced texts in the store, when tools run and at the end',
      );
      await session.dispose();
    },
  },
];

/** An agent whose hook replaces the input and the result of its first call; a person edits the second call. */
function redactingAgent(onCall: () => Promise<void>): ReturnType<typeof defineAgent> {
  const tool = (name: string, needsApproval: boolean): ReturnType<typeof fakeTool> => ({
    ...fakeTool(name, async () => {
      await onCall();
      return name === 'first' ? 'first-result' : 'done';
    }),
    effects: 'once',
    needsApproval: () => needsApproval,
  });
  return defineAgent({
    name: 'agent',
    tools: [tool('first', false), tool('edited', true)],
    hooks: [
      defineHook({
        name: 'input',
        on: 'before-tool-use',
        run(_state, { fields: { toolCall }, replace }) {
          if (toolCall?.name === 'first') replace('toolCall', { ...toolCall, input: { text: 'masked' } });
        },
      }),
      defineHook({
        name: 'result',
        on: 'after-tool-use',
        run(_state, { fields: { execution }, replace }) {
          if (execution?.toolCall.name === 'first') replace('execution', { ...execution, result: 'masked' });
        },
      }),
    ],
    inference: scriptedInference([
      {
        toolCalls: [
          { name: 'first', input: { text: 'first-input' } },
          { name: 'edited', input: { text: 'edited-input' } },
        ],
      },
      { text: 'Done.' },
    ]),
  });
}

async function storedTexts({ under: { raw } }: SuiteContext): Promise<string[]> {
  const keys = (await raw?.keys()) ?? [];
  const stored = await Promise.all(keys.map(async (key) => (await raw?.get(key)) ?? ''));
  return texts.filter((text) => stored.some((entry) => entry.includes(text)));
}
