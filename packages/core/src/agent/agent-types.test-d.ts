import { describe, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import * as zm from 'zod/mini';
import type { JsonValue } from '../kit/json.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { AgentDefinition, AgentInit } from './agent-definition.ts';
import type { PluginStateOf } from './agent-types.ts';
import type { AgentOutput, DataOf, ToolInput, ToolNames, ToolOutput } from './types-of.ts';
import type { ChatMessage, ChatToolCall } from './chat-message.ts';
import { defineAgent } from './define-agent.ts';
import { defineTool } from './tool.ts';
import { definePlugin } from '../features/define-plugin.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds',
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  execute: ({ a, b }) => ({ sum: a + b }),
});
const time = defineTool({
  name: 'time',
  description: 'The time',
  input: zm.object({ zone: zm.optional(zm.string()) }),
  execute: async () => ({ at: new Date() }),
});
const secret = defineTool({
  name: 'secret',
  description: 'Hides',
  input: z.object({}),
  output: z.object({ id: z.number(), key: z.string() }).transform(({ id }) => ({ id })),
  execute: () => ({ id: 1, key: 'x' }),
});
const choose = defineTool({
  name: 'choose',
  description: 'The user chooses',
  input: z.object({ options: z.array(z.string()) }),
  output: z.object({ chosen: z.string() }),
});
const free = defineTool({ name: 'free', description: 'Anything', input: z.object({}) });
const remember = defineTool({
  name: 'remember',
  description: 'Keeps',
  input: z.object({ fact: z.string() }),
  execute: ({ fact }, ctx) => ctx.own<string[]>().update((facts = []) => [...facts, fact]),
});
const forget = defineTool({ name: 'forget', description: 'Forgets', input: z.object({}), execute: () => 1 });
const memory = definePlugin({
  id: 'memory',
  state: z.array(z.string()),
  initial: [],
  tools: [remember],
  prepare: (ctx) => (ctx.get() ? { tools: [forget], instructions: 'x' } : { context: [] }),
});
const settings = definePlugin({ id: 'settings', state: z.object({ dark: z.boolean() }) });
const helper = defineAgent({ name: 'helper' });
const agent = defineAgent({
  name: 'a',
  tools: [add, time, secret, choose, free],
  plugins: [memory, settings],
  subagents: [helper],
  responseFormat: z.object({ answer: z.string() }),
  dataParts: { chart: z.object({ points: z.array(z.number()) }) },
});
type Agent = typeof agent;

describe('the type of an agent', () => {
  it('the type of an agent knows the names of its tools, those of plugins, of prepare and of delegation', () => {
    expectTypeOf<ToolNames<Agent>>().toEqualTypeOf<
      'add' | 'time' | 'secret' | 'choose' | 'free' | 'remember' | 'forget' | 'delegate'
    >();
    expectTypeOf<ToolNames<typeof helper>>().toEqualTypeOf<never>();
    // @ts-expect-error there is no such tool
    expectTypeOf<ToolInput<Agent, 'subtract'>>().toEqualTypeOf<unknown>();
  });

  it('the type of an agent knows inputs as the model sends them', () => {
    expectTypeOf<ToolInput<Agent, 'add'>>().toEqualTypeOf<{ a: number; b?: number | undefined }>();
    expectTypeOf<ToolInput<Agent, 'time'>>().toEqualTypeOf<{ zone?: string | undefined }>();
    expectTypeOf<ToolInput<Agent, 'delegate'>['task']>().toEqualTypeOf<string>();
  });

  it('the type of an agent knows outputs as messages hold them', () => {
    expectTypeOf<ToolOutput<Agent, 'add'>>().toEqualTypeOf<{ sum: number }>();
    expectTypeOf<ToolOutput<Agent, 'time'>>().toEqualTypeOf<{ at: string }>();
    expectTypeOf<ToolOutput<Agent, 'secret'>>().toEqualTypeOf<{ id: number }>();
    expectTypeOf<ToolOutput<Agent, 'choose'>>().toEqualTypeOf<{ chosen: string }>();
    expectTypeOf<ToolOutput<Agent, 'free'>>().toEqualTypeOf<unknown>();
    expectTypeOf<ToolOutput<Agent, 'remember'>>().toEqualTypeOf<null>();
    // @ts-expect-error the key was taken out by the output schema
    expectTypeOf<ToolOutput<Agent, 'secret'>['key']>().toEqualTypeOf<string>();
  });

  it('the type of an agent knows plugin state, the output and data parts', () => {
    expectTypeOf<PluginStateOf<typeof memory>>().toEqualTypeOf<string[]>();
    expectTypeOf<NonNullable<Agent['~types']>['plugins']>().toEqualTypeOf<{
      readonly memory: string[];
      readonly settings: { dark: boolean };
    }>();
    expectTypeOf<AgentOutput<Agent>>().toEqualTypeOf<{ answer: string }>();
    expectTypeOf<AgentOutput<typeof helper>>().toEqualTypeOf<undefined>();
    expectTypeOf<DataOf<Agent, 'chart'>>().toEqualTypeOf<{ points: number[] }>();
  });

  it('the type argument may be omitted: any agent fits a function of agents', () => {
    const take = (given: AgentDefinition): string => given.name;
    expectTypeOf(take).toBeCallableWith(agent);
    expectTypeOf(take).toBeCallableWith(helper);
    expectTypeOf<readonly AgentDefinition[]>().toEqualTypeOf<readonly AgentDefinition[]>();
    const list: AgentDefinition[] = [agent, helper];
    expectTypeOf(list).toEqualTypeOf<AgentDefinition[]>();
    expectTypeOf<ToolNames<AgentDefinition>>().toEqualTypeOf<string>();
    const wide: Partial<AgentInit> = { tools: [add] };
    expectTypeOf(defineAgent(wide)).toExtend<AgentDefinition>();
    // @ts-expect-error an agent of any tools is not one with these
    const narrow: Agent = list[0] as AgentDefinition;
    expectTypeOf(narrow).toEqualTypeOf<Agent>();
  });
});

describe('a message of an agent', () => {
  const message = {} as ChatMessage<Agent>;

  it('a message type tells tool calls apart by name and status', () => {
    for (const part of message.parts) {
      if (part.type !== 'tool-call') continue;
      if (part.toolName === 'add' && part.status === 'completed') {
        expectTypeOf(part.input).toEqualTypeOf<{ a: number; b?: number | undefined }>();
        expectTypeOf(part.output).toEqualTypeOf<{ sum: number }>();
        // @ts-expect-error add answers with a sum
        void part.output.difference;
      }
      if (part.toolName === 'choose' && part.status === 'awaiting-output') {
        expectTypeOf(part.input).toEqualTypeOf<{ options: string[] }>();
        expectTypeOf(part.output).toEqualTypeOf<null>();
      }
      if (part.toolName === 'add' && part.status === 'failed') {
        // The input of a failed call was not checked.
        expectTypeOf(part.input).toEqualTypeOf<unknown>();
        expectTypeOf(part.error).toEqualTypeOf<ErrorInfo | null>();
      }
      // @ts-expect-error no tool has this name
      void (part.toolName === 'subtract');
      // @ts-expect-error no call ends like this
      void (part.status === 'done');
    }
  });

  it('a switch over the tools of a message type can be exhaustive', () => {
    const title = (call: ChatToolCall<Agent>): string => {
      switch (call.toolName) {
        case 'add':
        case 'time':
        case 'secret':
        case 'choose':
        case 'free':
        case 'remember':
        case 'forget':
          return call.toolName;
        case 'delegate':
          return call.status === 'running' ? call.input.agent : 'delegate';
      }
    };
    expectTypeOf(title).returns.toEqualTypeOf<string>();
    expectTypeOf<ChatToolCall<Agent, 'add'>['toolName']>().toEqualTypeOf<'add'>();
  });

  it('a message type types data parts by name, and has no tool messages', () => {
    const data = message.parts.filter((part) => part.type === 'data');
    expectTypeOf<(typeof data)[number]['data']>().toEqualTypeOf<{ points: number[] }>();
    expectTypeOf(message.role).toEqualTypeOf<'system' | 'user' | 'assistant'>();
    // @ts-expect-error results are in their calls
    void message.parts.filter((part) => part.type === 'tool-result');
  });

  it('a message of any agent has calls of any name', () => {
    expectTypeOf<ChatToolCall['toolName']>().toEqualTypeOf<string>();
    expectTypeOf<ChatToolCall['output']>().toEqualTypeOf<unknown>();
    expectTypeOf<ChatMessage<typeof helper>['parts'][number]['type']>().toEqualTypeOf<
      'text' | 'reasoning' | 'file' | 'source' | 'data'
    >();
    expectTypeOf<DataOf<typeof helper, string>>().toEqualTypeOf<JsonValue>();
  });
});

describe('the type of a tool', () => {
  it('execute receives the output of the input schema', () => {
    defineTool({
      name: 't',
      description: '',
      input: z.object({ at: z.string().transform((text) => text.length) }),
      needsApproval: ({ at }) => (at > 3 ? { ask: 'long' } : { deny: 'short' }),
      execute: ({ at }) => {
        expectTypeOf(at).toEqualTypeOf<number>();
      },
    });
  });

  it('a tool type requires the input of the output schema, and decisions of the right shape', () => {
    const input = z.object({});
    // @ts-expect-error the schema wants a number
    defineTool({ name: 't', description: '', input, output: z.number(), execute: () => 'x' });
    // @ts-expect-error decisions have another shape
    defineTool({ name: 't', description: '', input, needsApproval: () => ({ kind: 'deny', reason: 'x' }) });
    // @ts-expect-error the arguments of a call are an object
    defineTool({ name: 't', description: '', input: { type: 'string' } });
  });

  it('the output of a tool is typed as JSON', () => {
    const tool = defineTool({
      name: 't',
      description: '',
      input: z.object({}),
      execute: () => ({
        big: 1n,
        map: new Map<string, number>(),
        deep: [{ at: new Date() }],
        json: {} as JsonValue,
      }),
    });
    type Output = NonNullable<(typeof tool)['~types']>['output'];
    expectTypeOf<Output>().toEqualTypeOf<{
      big: string;
      map: string;
      deep: { at: string }[];
      json: JsonValue;
    }>();
  });
});
