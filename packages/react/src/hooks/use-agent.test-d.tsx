import {
  type AgentState,
  type ChatMessage,
  createAgentSession,
  defineAgent,
  definePlugin,
  defineTool,
  type JsonValue,
  type ToolExecution,
  type Turn,
} from '@vitrine/core';
import type { MessageBranches } from '@vitrine/core/types';
import { scriptedInference } from '@vitrine/testing';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import {
  AgentSessionProvider,
  type SessionStatus,
  useAgent,
  useAgentOutput,
  useAgentState,
  useMessage,
  usePluginState,
  useTool,
} from '../index.ts';

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
  output: z.string(),
});
const recipe = z.object({ title: z.string(), parts: z.array(z.object({ name: z.string() })) });
const notes = definePlugin({ id: 'notes', state: z.array(z.string()) });
const agent = defineAgent({
  name: 'a',
  systemPrompt: '',
  inference: scriptedInference([{}]),
  tools: [weather, ask],
  plugins: [notes],
  responseFormat: recipe,
});
const plain = defineAgent({ name: 'b', systemPrompt: '', inference: scriptedInference([{}]) });

test('useAgent returns the typed fields and commands of a session', () => {
  const chat = useAgent(agent, { sessionId: 'one', onBusy: 'steer', publish: 100, resume: true });
  expectTypeOf(chat.id).toEqualTypeOf<string | null>();
  expectTypeOf(chat.messages).toEqualTypeOf<readonly ChatMessage<typeof agent>[]>();
  expectTypeOf(chat.status).toEqualTypeOf<SessionStatus>();
  expectTypeOf(chat.sendMessage).returns.toEqualTypeOf<Promise<Turn>>();
  expectTypeOf(chat.draft).toEqualTypeOf<string>();
  // @ts-expect-error fields are read, not written
  chat.status = 'ready';
  // @ts-expect-error a message is text or an object with text
  void chat.sendMessage(5);
  expectTypeOf(chat.edit('m', { text: 'again' }, { model: 'small' })).resolves.toEqualTypeOf<Turn>();
  expectTypeOf(chat.regenerate).parameter(0).toEqualTypeOf<string | undefined>();
  expectTypeOf(chat.switchBranch).returns.resolves.toEqualTypeOf<Turn>();
  expectTypeOf(chat.fork({ stepId: 's' })).resolves.toEqualTypeOf<string>();
  expectTypeOf(chat.branches('m')).toEqualTypeOf<MessageBranches>();
  // @ts-expect-error an edit needs a message
  void chat.edit('m');
  // @ts-expect-error a fork names a message or a step
  void chat.fork('m');
});

test('answers of a person are typed by the tools of the agent', () => {
  const { approve, respond, pendingApprovals } = useAgent(agent);
  void approve('id', { input: { city: 'Bonn' }, remember: 'session' });
  void approve('id', { input: { question: 'Where?' } });
  // @ts-expect-error no tool of the agent has this input
  void approve('id', { input: { order: 5 } });
  // @ts-expect-error an input of the wrong type
  void approve('id', { input: { city: 5 } });
  void respond('id', 'an answer');
  // @ts-expect-error no tool of the agent has this output
  void respond('id', 5);
  for (const { toolCall } of pendingApprovals) {
    expectTypeOf(toolCall.name).toEqualTypeOf<'weather' | 'ask'>();
    if (toolCall.name === 'weather') expectTypeOf(toolCall.input).toEqualTypeOf<{ city: string }>();
    // @ts-expect-error the agent has no such tool
    void (toolCall.name === 'wether');
  }
  const any = useAgent(plain);
  void any.approve('id', { input: { order: 5 } });
  void any.respond('id', 5);
  expectTypeOf(any.pendingApprovals).toEqualTypeOf<readonly ToolExecution[]>();
});

test('useAgent rejects wrong arguments', () => {
  // @ts-expect-error an option that does not exist
  useAgent(agent, { session: 'one' });
  // @ts-expect-error a policy that does not exist
  useAgent(agent, { onBusy: 'drop' });
  // @ts-expect-error the library creates the store itself
  useAgent(agent, { createStore: () => undefined });
  // @ts-expect-error an agent is a definition, not its name
  useAgent('a');
  // @ts-expect-error a ready session has its options already
  useAgent({ session: createAgentSession({ agent }) }, { resume: true });
});

test('messages know the tools of the agent by name', () => {
  for (const { parts } of useAgent(agent).messages) {
    for (const part of parts) {
      if (part.type !== 'tool-call' || part.status !== 'completed') continue;
      expectTypeOf(part.toolName).toEqualTypeOf<'weather' | 'ask'>();
      if (part.toolName === 'weather') {
        expectTypeOf(part.input).toEqualTypeOf<{ city: string }>();
        expectTypeOf(part.output).toEqualTypeOf<{ degrees: number }>();
        // @ts-expect-error the output of this tool has no such field
        void part.output.fahrenheit;
      }
      // @ts-expect-error the agent has no such tool
      void (part.toolName === 'wether');
    }
  }
  expectTypeOf(useMessage<typeof agent>('one')).toEqualTypeOf<ChatMessage<typeof agent> | null>();
});

test('structured output has the type of its schema', () => {
  const { output } = useAgent(agent);
  expectTypeOf(output.final).toEqualTypeOf<z.infer<typeof recipe> | null>();
  expectTypeOf(output.partial?.parts?.[0]?.name).toEqualTypeOf<string | undefined>();
  // @ts-expect-error a part that is still streaming may be missing
  void output.partial.title;
  expectTypeOf(useAgent(plain).output).toEqualTypeOf<null>();
  expectTypeOf(useAgentOutput(recipe).final).toEqualTypeOf<z.infer<typeof recipe> | null>();
});

test('the calls of a tool are typed by the tool, or by the agent and a name', () => {
  const { pending, finished, respond } = useTool(ask);
  expectTypeOf(pending[0]?.toolName).toEqualTypeOf<'ask' | undefined>();
  for (const call of finished) {
    if (call.status === 'completed') expectTypeOf(call.output).toEqualTypeOf<string>();
  }
  void respond('id', 'answer');
  // @ts-expect-error the output of the tool is a text
  void respond('id', 5);
  const named = useTool<typeof agent, 'weather'>('weather').finished[0];
  if (named?.status === 'completed') expectTypeOf(named.output.degrees).toEqualTypeOf<number>();
  // @ts-expect-error the agent has no such tool
  useTool<typeof agent, 'wether'>('wether');
  const any = useTool('anything').finished[0];
  if (any?.status === 'completed') expectTypeOf(any.toolName).toExtend<string>();
});

test('plugin state has the type of its schema', () => {
  const [value, update] = usePluginState(notes);
  expectTypeOf(value).toEqualTypeOf<string[] | undefined>();
  expectTypeOf(usePluginState(notes, (list = []) => list.length)[0]).toEqualTypeOf<number>();
  expectTypeOf(update(() => ['x'])).toEqualTypeOf<Promise<void>>();
  // @ts-expect-error notes are texts
  void update(() => [1]);
});

test('a selector determines the type of useAgentState', () => {
  expectTypeOf(useAgentState((state) => ({ id: state.agentId }))).toEqualTypeOf<{ id: string }>();
  expectTypeOf(useAgentState((state) => state)).toEqualTypeOf<AgentState>();
  // @ts-expect-error the state has no such field
  useAgentState((state) => state.nothing);
});

test('<AgentSessionProvider> takes an agent or a session, and not both', () => {
  const session = createAgentSession({ agent });
  void (<AgentSessionProvider agent={agent} sessionId="one" onBusy="queue" />);
  void (<AgentSessionProvider session={session} />);
  // @ts-expect-error both
  void (<AgentSessionProvider agent={agent} session={session} />);
  // @ts-expect-error neither
  void (<AgentSessionProvider sessionId="one" />);
});

test('a tool takes its input type from its schema', () => {
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
  expectTypeOf<JsonValue>().not.toBeAny();
});
