import { defineAgent, defineTool, type JsonValue } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { toolView } from './tool-view.ts';

const weather = defineTool({
  name: 'weather',
  description: '',
  input: z.object({ city: z.string() }),
  output: z.object({ degrees: z.number() }),
  execute: () => ({ degrees: 1 }),
});
const ask = defineTool({
  name: 'ask',
  description: '',
  input: z.object({ question: z.string() }),
  output: z.object({ colour: z.string() }),
});
const agent = defineAgent({ inference: scriptedInference([]), tools: [weather, ask] });

test('a custom interface of a tool knows the types of its input, progress and output', () => {
  toolView(weather, ({ status, input, output, progress, respond }) => {
    expectTypeOf(progress).toEqualTypeOf<JsonValue | null>();
    expectTypeOf(respond).parameter(0).toEqualTypeOf<{ degrees: number }>();
    if (status === 'completed') {
      expectTypeOf(input).toEqualTypeOf<{ city: string }>();
      expectTypeOf(output).toEqualTypeOf<{ degrees: number }>();
    } else expectTypeOf(output).toEqualTypeOf<null>();
    return null;
  });
});

test("a person's answer to a call has the type of the tool's output", () => {
  toolView(ask, ({ status, input, respond }) => {
    if (status !== 'awaiting-output') return null;
    expectTypeOf(input).toEqualTypeOf<{ question: string }>();
    void respond({ colour: 'green' });
    // @ts-expect-error -- no output of this tool
    void respond({ color: 'green' });
    return null;
  });
});

test('a tool of an agent is found by its name, and other names are type errors', () => {
  toolView<typeof agent, 'ask'>('ask', ({ toolName, respond }) => {
    expectTypeOf(toolName).toEqualTypeOf<'ask'>();
    expectTypeOf(respond).parameter(0).toEqualTypeOf<{ colour: string }>();
    return null;
  });
  // @ts-expect-error -- the agent has no such tool
  toolView<typeof agent, 'asc'>('asc', () => null);
});
