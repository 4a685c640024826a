import { AgentState, defineAgent, defineTool, runAgent } from '@vitrine/core';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { offlineModel, type OfflineModelOptions } from './offline-model.ts';

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather in a city',
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `21 degrees in ${city}`,
});

async function run(
  replies: OfflineModelOptions['replies'],
  message: string,
): Promise<{ readonly text: string; readonly calls: unknown[]; readonly error: string | undefined }> {
  const agent = defineAgent({
    name: 'a',
    inference: offlineModel({ paceMs: 0, ...(replies && { replies }) }).client,
    tools: [weather],
  });
  const { state, text } = await runAgent(agent, message);
  const parts = AgentState.messages(state).flatMap((one) => one.parts);
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part.input] : []));
  return { text, calls, error: AgentState.steps(state)[0]?.errors[0]?.message };
}

it('the replies of an application decide, and the rules of the model reply where they are null', async () => {
  const replies: OfflineModelOptions['replies'] = ({ asked, results }) => {
    if (!/trip/.test(asked)) return null;
    const cities = ['Rome', 'Oslo'];
    return results.length === 0
      ? { toolCalls: cities.map((city) => ({ name: 'weather', input: { city } })) }
      : { reasoning: 'Warm', text: `Go: ${results.map(({ output }) => String(output)).join(', ')}.` };
  };
  expect(await run(replies, 'Plan a trip')).toEqual({
    text: 'Go: 21 degrees in Rome, 21 degrees in Oslo.',
    error: undefined,
    calls: [{ city: 'Rome' }, { city: 'Oslo' }],
  });
  const left = await run(replies, 'The weather in Bern');
  expect(left.calls).toHaveLength(1);
  expect(left).toEqual(await run(undefined, 'The weather in Bern'));
});

it('the replies of an application may change what the rules say, also to a request with fewer tools', async () => {
  const { text, calls } = await run(({ request }, ownReply) => {
    const own = ownReply({ ...request, tools: [] });
    return { ...own, text: `${own.text} (changed)` };
  }, 'The weather in Bern');
  expect(calls).toEqual([]);
  expect(text).toMatch(/You said: “The weather in Bern”[\s\S]*\(changed\)$/);
});

it('an error in a reply ends the run with its sentence', async () => {
  const error = { code: 'upstream-unavailable', message: 'The story ends.', retryable: false };
  const toolCalls = [{ name: 'weather', input: { city: 'Rome' } }];
  expect(await run(() => ({ text: 'Once', toolCalls, error }), 'Tell it')).toMatchObject({
    calls: [],
    error: 'The story ends.',
  });
});
