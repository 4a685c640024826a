import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentState, defineTool } from '@vitrine/core';
import { expectRun } from '@vitrine/testing';
import { z } from 'zod';

test('the tool adds two numbers', async () => {
  const add = defineTool({
    name: 'add',
    description: '',
    input: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => a + b,
  });
  const script = [{ toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] }, { text: 'It is 3' }];
  const { state } = await expectRun(script, { tools: [add] }).toEnd('completed', 'completed', {
    text: 'It is 3',
  });
  assert.equal(AgentState.lastToolExecution(state)?.result, 3);
});
