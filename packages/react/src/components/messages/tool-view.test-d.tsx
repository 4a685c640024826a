import { defineAgent, defineTool, type JsonValue } from '@vitrine/core';
import { scriptedInference } from '@vitrine/core/testing';
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

test('the interface of a tool knows its input, progress and output', () => {
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

test('what a person answers is of the type of the output', () => {
  toolView(ask, ({ status, input, respond }) => {
    if (status !== 'awaiting-output') return null;
    expectTypeOf(input).toEqualTypeOf<{ question: string }>();
    void respond({ colour: 'green' });
    // @ts-expect-error -- no output of this tool
    void respond({ color: 'green' });
    return null;
  });
});

test('a tool of an agent is known by its name, and others are not', () => {
  toolView<typeof agent, 'ask'>('ask', ({ toolName, respond }) => {
    expectTypeOf(toolName).toEqualTypeOf<'ask'>();
    expectTypeOf(respond).parameter(0).toEqualTypeOf<{ colour: string }>();
    return null;
  });
  // @ts-expect-error -- the agent has no such tool
  toolView<typeof agent, 'asc'>('asc', () => null);
});
