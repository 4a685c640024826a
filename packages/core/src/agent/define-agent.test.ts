import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import * as zm from 'zod/mini';
import { checkedDataPart } from './checked-data-part.ts';
import { defineAgent } from './define-agent.ts';
import { defineHook } from './hook.ts';
import { responseFormatOf } from './json-schema-of.ts';
import { inputSchema } from './tools.ts';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import { createAgentSession } from '../session/create-agent-session.ts';
import { type Plugin } from './plugin/plugin.ts';
import { defineTool } from './tool.ts';
import { definePlugin } from '../features/define-plugin.ts';

const invalid = (message: RegExp): unknown =>
  expect.objectContaining({ code: 'agent-invalid', message: expect.stringMatching(message) as string });
const tool = (init: object = {}): ReturnType<typeof defineTool> =>
  defineTool({ name: 'tool', description: '', input: z.object({}), execute: () => 1, ...init });
const plugin = (id: string): Plugin => definePlugin({ id, state: z.string() });

describe('the definition of an agent', () => {
  it('an agent needs no options: it uses the proxy below /api, with 20 steps at most', async () => {
    const agent = defineAgent({});
    expect(agent).toMatchObject({
      name: 'agent',
      systemPrompt: '',
      description: '',
      version: null,
      budget: { maxSteps: 20, maxTokens: null, maxCost: null },
      toolConcurrency: 4,
      hookTimeoutMs: 30_000,
      redactError: null,
      dataParts: null,
    });
    const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('offline'));
    const { signal } = new AbortController();
    const request = {
      model: null,
      messages: [],
      tools: [],
      toolChoice: 'auto' as const,
      responseFormat: null,
      settings: {},
    };
    const events = [];
    for await (const event of agent.inference.stream(request, { signal })) events.push(event.type);
    expect([fetched.mock.calls[0]?.[0], events]).toEqual(['/api/v1/inference', ['error']]);
    fetched.mockRestore();
  });

  it('an agent keeps its 20 steps beside other limits, and null removes them', () => {
    expect(defineAgent({ budget: { maxTokens: 5 } }).budget).toMatchObject({ maxSteps: 20, maxTokens: 5 });
    expect(defineAgent({ budget: { maxSteps: null } }).budget.maxSteps).toBe(null);
    expect(defineAgent({ budget: { maxSteps: 0 } }).budget.maxSteps).toBe(0);
  });

  it('an agent rejects a limit that is NaN, negative, infinite, undefined or unknown', () => {
    for (const maxCost of [NaN, -1, Infinity, undefined, '5']) {
      expect(() => defineAgent({ budget: { maxCost } as never })).toThrow(
        invalid(/budget\.maxCost is .*null for no limit/),
      );
    }
    expect(() => defineAgent({ budget: { maxStep: 3 } as never })).toThrow(
      invalid(/maxStep is not a limit. The limits are maxSteps/),
    );
  });

  it('an agent rejects counts and times that no loop could keep', () => {
    for (const toolConcurrency of [NaN, 0, -1, 1.5, Infinity]) {
      expect(() => defineAgent({ toolConcurrency })).toThrow(invalid(/toolConcurrency/));
    }
    expect(() => defineAgent({ hookTimeoutMs: NaN })).toThrow(invalid(/hookTimeoutMs is NaN/));
    expect(() => defineAgent({ retry: { maxAttempts: 0 } })).toThrow(invalid(/retry\.maxAttempts/));
    expect(() => defineAgent({ retry: { baseDelayMs: -5 } })).toThrow(invalid(/retry\.baseDelayMs/));
    expect(() => defineAgent({ subagentPolicy: { maxDepth: NaN } })).toThrow(invalid(/maxDepth/));
    expect(defineAgent({ hookTimeoutMs: Infinity }).hookTimeoutMs).toBe(Infinity);
  });

  it('an agent rejects settings with a secret or invalid JSON, and invalid prices', () => {
    for (const settings of [
      { apiKey: 'k' },
      { 'x-api-key': 'k' },
      { headers: { Authorization: 'b' } },
      { token: '' },
    ]) {
      expect(() => defineAgent({ llmConfig: { settings } as never })).toThrow(
        expect.objectContaining({
          code: 'llm-settings-secret',
          message: expect.stringMatching(/Agent "agent": llmConfig\.settings\.\S+ looks like a secret/),
        }),
      );
    }
    expect(() => defineAgent({ llmConfig: { settings: { at: new Date() } as never } })).toThrow(
      invalid(/settings\.at is not JSON/),
    );
    expect(() => defineAgent({ llmConfig: { model: '' } })).toThrow(invalid(/model is ""/));
    expect(() => defineAgent({ llmConfig: { prices: { m: { input: -1, output: 1 } } } })).toThrow(
      invalid(/prices\["m"\]\.input/),
    );
    const long = (above: object): unknown => ({ input: 1, output: 2, above });
    for (const [price, fault] of [
      [long({ tokens: 9, input: 1 }), /prices\["m"\]\.above\.output is undefined/],
      [long({ input: 1, output: 1 }), /prices\["m"\]\.above\.tokens is undefined/],
      [long({ tokens: Number.NaN, input: 1, output: 1 }), /prices\["m"\]\.above\.tokens is NaN/],
      [
        { input: 1, output: 2, cacheWriteHour: -1 },
        /prices\["m"\]\.cacheWriteHour is -1; give a number of 0/,
      ],
    ] as const)
      expect(() => defineAgent({ llmConfig: { prices: { m: price as never } } })).toThrow(invalid(fault));
    for (const price of [{ input: 1 }, {}, null])
      expect(() => defineAgent({ llmConfig: { prices: { m: price as never } } })).toThrow(
        invalid(/prices\["m"\]\.(?:in|out)put is undefined/),
      );
    const settings = { max_tokens: 5, maxOutputTokens: 5, stopSequences: ['x'] };
    const defined = defineAgent({ llmConfig: { settings } }).llmConfig;
    expect(defined).toEqual({ model: null, settings });
    expect(defined?.settings).not.toBe(settings);
  });

  it('an agent rejects two plugins, tools or subagents of one name', () => {
    expect(() => defineAgent({ plugins: [plugin('p'), plugin('p')] })).toThrow(invalid(/plugin p twice/));
    expect(() => defineAgent({ subagents: [defineAgent({}), defineAgent({})] })).toThrow(
      invalid(/subagent agent twice/),
    );
    const duplicate = expect.objectContaining({ code: 'tools-duplicate' }) as unknown;
    expect(() => defineAgent({ tools: [tool(), tool()] })).toThrow(duplicate);
    expect(() => defineAgent({ tools: [tool({ name: 'delegate' })], subagents: [defineAgent({})] })).toThrow(
      duplicate,
    );
  });

  it('an agent validates data parts against its declarations', () => {
    const agent = defineAgent({ dataParts: { chart: z.object({ points: z.array(z.number()) }) } });
    expect(checkedDataPart(agent, 'chart', { points: [1], more: 2 })).toEqual({ points: [1] });
    const refused = expect.objectContaining({ code: 'message-invalid' }) as unknown;
    expect(() => checkedDataPart(agent, 'chart', { points: ['x'] })).toThrow(refused);
    expect(() => checkedDataPart(agent, 'toString', {})).toThrow(/Declared: chart/);
    expect(checkedDataPart(defineAgent({}), 'any', { at: new Date(0) })).toEqual({
      at: '1970-01-01T00:00:00.000Z',
    });
  });
});

describe('the definition of a tool', () => {
  it('a tool rejects names that providers reject', () => {
    for (const name of ['', 'a b', 'ä', 'x'.repeat(65)])
      expect(() => tool({ name })).toThrow(invalid(/1 to 64/));
  });

  it('a tool takes a time limit above 0, and one beyond every timer counts as none', () => {
    for (const timeoutMs of [0, -1, NaN, '5'])
      expect(() => tool({ timeoutMs })).toThrow(invalid(/timeoutMs is/));
    expect(tool({ timeoutMs: 5 }).timeoutMs).toBe(5);
    for (const timeoutMs of [Infinity, 2 ** 31, undefined]) expect(tool({ timeoutMs }).timeoutMs).toBe(null);
  });

  it('a tool takes schemas of zod, of zod/mini, and any other with a JSON Schema', async () => {
    const wanted = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    expect(tool({ input: z.object({ a: z.number() }) }).inputSchema).toEqual(wanted);
    expect(await inputSchema(tool({ input: zm.object({ a: zm.number() }) }))).toEqual(wanted);
    const bare = { '~standard': { version: 1, vendor: 'mine', validate: (value: unknown) => ({ value }) } };
    expect(() => tool({ input: bare })).toThrow(invalid(/\(mine\) has no JSON Schema.*inputSchema/));
    expect(tool({ input: bare, inputSchema: wanted }).inputSchema).toBe(wanted);
    for (const { object, number } of [z, zm] as (typeof z)[]) {
      const agent = defineAgent({ responseFormat: object({ a: number() }) });
      const schema = { ...wanted, additionalProperties: false };
      expect(responseFormatOf(agent)).toEqual({ type: 'json', schema });
    }
  });

  it('a tool without execute is answered by the user interface', () => {
    expect(defineTool({ name: 'ask', description: '', input: z.object({}) }).execute).toBe(null);
  });
});

describe('the definition of a plugin', () => {
  it('a plugin rejects ids that the library or every object uses', () => {
    for (const id of ['', 'constructor', '__proto__', 'prototype', 'toString', 'vitrine:x', 'quarantine:x']) {
      expect(() => plugin(id)).toThrow(invalid(/^Plugin id/));
    }
    expect(plugin('vitrine').id).toBe('vitrine');
  });
});

describe('the definition of a hook', () => {
  it('a hook takes a time limit of its own', () => {
    const run = (state: unknown): never => state as never;
    expect(defineHook({ name: 'h', on: 'all', run }).timeoutMs).toBe(null);
    expect(defineHook({ name: 'h', on: 'all', timeoutMs: 5, run }).timeoutMs).toBe(5);
    expect(() => defineHook({ name: 'h', on: 'all', timeoutMs: 0, run })).toThrow(
      invalid(/Hook "h": timeoutMs is 0/),
    );
  });
});

describe('the mistakes of plain JavaScript', () => {
  const js = (init: object): unknown => defineAgent(init as never);
  const jsTool = (init: object): unknown =>
    defineTool({ name: 't', description: '', execute: () => 1, ...init } as never);
  const jsPlugin = (init: object): unknown => definePlugin({ id: 'd', state: z.unknown(), ...init } as never);

  it.each<[string, () => unknown, RegExp]>([
    [
      'a misspelt option',
      () => js({ sytem: 1 }),
      /Agent "agent": there is no option sytem; use systemPrompt\.$/,
    ],
    [
      'a name of other libraries',
      () => js({ name: 'a', instructions: '' }),
      /Agent "a": .*instructions; use systemPrompt/,
    ],
    [
      'an option like no other',
      () => js({ colour: 1 }),
      /no option colour; the options are name, description, systemPrompt,/,
    ],
    ['an option of every object', () => js({ constructor: 1 }), /no option constructor/],
    [
      'a tool that is none',
      () => js({ tools: [{}] }),
      /tools\[0\] is not a definition; make it with defineTool/,
    ],
    [
      'tools by name',
      () => js({ tools: { refund: tool(), pay: tool() } }),
      /Agent "agent": tools is not a list; give \[refund, pay\]\.$/,
    ],
    [
      'a tool without a list',
      () => js({ tools: tool() }),
      /tools is not a list; give \[defineTool\(\{ … \}\)\]\.$/,
    ],
    [
      'plugins by name',
      () => js({ plugins: { notes: plugin('n') } }),
      /plugins is not a list; give \[notes\]/,
    ],
    [
      'subagents by name',
      () => js({ subagents: { writer: {} } }),
      /subagents is not a list; give \[writer\]/,
    ],
    ['a subagent alone', () => js({ subagents: defineAgent({}) }), /subagents .* give \[defineAgent\(/],
    ['hooks by name', () => js({ hooks: { log: {} } }), /hooks is not a list; give \[log\]/],
    ['a hook that is none', () => js({ hooks: [() => 1] }), /hooks\[0\] .* make it with defineHook/],
    [
      'a tool without a description',
      () => jsTool({ description: undefined, input: z.object({}) }),
      /Tool "t": it has no description; tell the model in `description` what the tool does and when to use it\.$/,
    ],
    [
      'a plugin that is none',
      () => js({ plugins: [plugin('p'), null] }),
      /plugins\[1\] .* make it with definePlugin/,
    ],
    [
      'a subagent that is none',
      () => js({ subagents: [{}] }),
      /a subagent is not a definition; make it with defineAgent/,
    ],
    [
      'the input of a tool as `parameters`',
      () => jsTool({ parameters: z.object({}) }),
      /Tool "t": there is no option parameters; use input/,
    ],
    [
      'a JSON Schema whose arguments are no object',
      () => jsTool({ input: { type: 'string' } }),
      /Tool "t": its input is not a schema; .*a JSON Schema of `type: 'object'`/,
    ],
    ['a tool without input', () => jsTool({ inputSchema: { type: 'object' } }), /its input is not a schema/],
    [
      'a session without an agent',
      () => createAgentSession({ agent: {} } as never),
      /createAgentSession: agent is not a definition; make it with defineAgent/,
    ],
    [
      'a loop without an agent',
      () => createAgentLoop(undefined as never),
      /createAgentLoop: agent is not a definition/,
    ],
  ])('%s is refused with the place and the remedy', (_, make, message) => {
    expect(make).toThrow(invalid(message));
  });

  it('an option that is undefined, and the fields of another definition, are no mistakes', () => {
    expect(() =>
      js({ sytem: undefined, ...defineAgent({ tools: [tool()] }), responseFormat: undefined }),
    ).not.toThrow();
  });

  it('an initial state that JSON cannot hold is refused with the sentence of update', () => {
    expect(() => jsPlugin({ initial: { at: new Date(0) } })).toThrow(
      expect.objectContaining({
        code: 'plugin-state-invalid',
        message:
          'State of plugin "d" is invalid: at is not JSON; keep plain data and convert where you use it.',
      }),
    );
    expect(() => jsPlugin({ initial: { at: 0 } })).not.toThrow();
  });
});
