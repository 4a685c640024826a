import { defineAgent, definePlugin, defineTool, type Message, scriptedInference } from '@vitrine/core';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { useAgent, usePluginState } from '../index.ts';

const agent = defineAgent({ name: 'a', systemPrompt: '', inference: scriptedInference([{}]) });

test('useAgent is typed', () => {
  const { messages, sendMessage, status } = useAgent(agent);
  expectTypeOf(messages).toEqualTypeOf<readonly Message[]>();
  expectTypeOf(sendMessage).parameter(0).toExtend<string | { text: string }>();
  expectTypeOf(status).toEqualTypeOf<'ready' | 'submitted' | 'streaming' | 'awaiting-input' | 'error'>();
  // @ts-expect-error an option that does not exist
  useAgent(agent, { session: 'one' });
});

test('a tool takes its input from its schema', () => {
  defineTool({
    name: 't',
    description: '',
    input: z.object({ a: z.number() }),
    output: z.string(),
    execute(input) {
      expectTypeOf(input).toEqualTypeOf<{ a: number }>();
      return 'x';
    },
  });
  // @ts-expect-error the result does not fit the output schema
  defineTool({ name: 't', description: '', input: z.object({}), output: z.string(), execute: () => 1 });
});

test('plugin state has the type of its schema', () => {
  const plugin = definePlugin({ id: 'p', state: z.object({ n: z.number() }) });
  const [value] = usePluginState(plugin);
  expectTypeOf(value).toEqualTypeOf<{ n: number } | undefined>();
});
