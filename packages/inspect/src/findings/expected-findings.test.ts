import { expect, it } from 'vitest';
import type { AgentInit } from '@vitrine/core/internal/agent/agent-definition';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { defineTool } from '@vitrine/core/internal/agent/tool';
import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { expectRun } from '@vitrine/testing/internal/expect-run';
import { diagnose } from './diagnose.ts';
import { calls, recordOf, says, type SessionRun } from './session-runs.fixture.ts';

const mask = (expects?: readonly string[]) =>
  defineHook({
    name: 'mask',
    on: 'after-tool-use',
    ...(expects === undefined ? {} : { expects }),
    run: (_state, ctx) => ctx.replace('execution', { ...ctx.fields.execution!, result: '[hidden]' }),
  });
const read = (expects: readonly string[] = []) =>
  defineTool({
    name: 'read',
    description: 'Reads',
    input: { type: 'object' },
    expects,
    execute: () => ({ ok: false, text: 'secret' }),
  });

/** The codes of a run by an agent, those that it expects with a mark. */
async function codesOf(init: Partial<AgentInit>, script: SessionRun['script'], play = ['Hi', 'And?']) {
  const agent = scriptedAgent(script, init);
  const found = diagnose(await recordOf({ script, init, play }), { agent });
  return [...new Set(found.map(({ code, isExpected }) => (isExpected === true ? `(${code})` : code)))];
}
const reading = [calls('read', {}), says('Done.'), says('Yes.')];

it('a hint that a hook, a tool or the agent expects is marked, and no other one', async () => {
  expect(await codesOf({ tools: [read()], hooks: [mask()] }, reading)).toEqual([
    'result-says-error',
    'tool-result-changed',
  ]);
  expect(
    await codesOf({ tools: [read()], hooks: [mask(['tool-result-changed', 'result-says-error'])] }, reading),
  ).toEqual(['result-says-error', '(tool-result-changed)']);
  expect(await codesOf({ tools: [read(['result-says-error'])], hooks: [mask()] }, reading)).toEqual([
    '(result-says-error)',
    'tool-result-changed',
  ]);
  const compileMessages: AgentInit['compileMessages'] = (state) => messages(state).slice(-1);
  expect(await codesOf({ compileMessages }, [says('One.'), says('Two.')])).toEqual(['messages-left-out']);
  expect(
    await codesOf({ compileMessages, expects: ['messages-left-out'] }, [says('One.'), says('Two.')]),
  ).toEqual(['(messages-left-out)']);
});

it('a hint of a subagent is expected by the subagent and not by its parent', async () => {
  const script = [calls('delegate', { agent: 'kid', task: 'Read' }), says('Done.')];
  const kid = (expects: readonly string[]) =>
    scriptedAgent([calls('read', {}), says('Read.')], { name: 'kid', tools: [read()], expects });
  expect(await codesOf({ subagents: [kid([])], expects: ['result-says-error'] }, script, ['Hi'])).toEqual([
    'result-says-error',
  ]);
  expect(await codesOf({ subagents: [kid(['result-says-error'])] }, script, ['Hi'])).toEqual([
    '(result-says-error)',
  ]);
});

it('a fault is never expected', async () => {
  const cut = [{ text: 'Half', finishReason: 'length' as const }];
  expect(await codesOf({ expects: ['answer-cut'] }, cut, ['Hi'])).toEqual(['answer-cut']);
});

it('a code that no detector has is named with its owner, and fails a test', async () => {
  const init = { hooks: [mask(['tool-reslt-changed'])] };
  const found = diagnose(await recordOf({ script: [says('Hi.')], init, play: ['Hi'] }), {
    agent: scriptedAgent([], init),
  });
  expect(found.map(({ sentence }) => sentence)).toEqual([
    'Hook "mask" expects "tool-reslt-changed", which no detector finds.',
  ]);
  await expect(expectRun([says('Hi.')], init).hasNoFindings()).rejects.toThrow('"tool-reslt-changed"');
});

it('a test for hints leaves the expected ones out', async () => {
  const script = [calls('read', {}), says('Done.')];
  await expect(
    expectRun(script, { tools: [read(['result-says-error'])] }).hasNoFindings({ hints: true }),
  ).resolves.toBeDefined();
  await expect(expectRun(script, { tools: [read()] }).hasNoFindings({ hints: true })).rejects.toThrow(
    'result-says-error',
  );
});
