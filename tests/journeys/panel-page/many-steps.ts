import {
  type AgentDefinition,
  type AgentSession,
  AgentState,
  createAgentSession,
  defineAgent,
  type JsonObject,
  Usage,
} from '@vitrine/core';
import { sessionHub } from '@vitrine/inspect';
import { fakeTool, scriptedInference } from '@vitrine/testing';

/** A session with a run of so many steps, each with a result of so many characters. */
export async function manySteps(steps: number, resultLength: number): Promise<AgentSession> {
  const calls = Array.from({ length: steps }, (_, number) => ({
    toolCalls: [{ name: 'look', input: { number } }],
  }));
  const agent = defineAgent({
    name: 'walker',
    systemPrompt: 'Walk.',
    inference: scriptedInference([...calls, { text: 'All steps are taken.' }]),
    tools: [fakeTool('look', 'x'.repeat(resultLength))],
    budget: { maxSteps: steps + 2 },
    compileMessages: () => [],
  });
  const session = createAgentSession({ agent });
  await session.sendMessage('Take the steps');
  return session;
}

/** A session in whose metadata an object has so many names. */
export async function manyNames(count: number): Promise<void> {
  const many = Object.fromEntries(Array.from({ length: count }, (_, index) => [`name ${index}`, index]));
  const agent = defineAgent({ name: 'keeper', inference: scriptedInference([{ text: 'Kept.' }]) });
  const initialState = AgentState.withMetadata(AgentState.create(), { many });
  await createAgentSession({ agent, initialState }).sendMessage('Keep them');
}

/** A session whose agent asks twenty subagents at once, each of which asks twenty more. */
export async function threeLevels(): Promise<void> {
  const usage = Usage.of({ inputTokens: 10, outputTokens: 5 });
  const asks = Array.from({ length: 20 }, () => ({
    name: 'delegate',
    input: { agent: 'below', task: 'Look' },
  }));
  const level = (name: string, below: AgentDefinition | null): AgentDefinition =>
    defineAgent({
      name,
      inference: scriptedInference([
        ({ messages }) =>
          below === null || messages.some(({ role }) => role === 'tool')
            ? { text: 'Done', usage }
            : { toolCalls: asks, usage },
      ]),
      ...(below && { subagents: [below] }),
    });
  const agent = level('top', level('below', level('below', null)));
  await createAgentSession({ agent }).sendMessage('Look');
}

/** Announces an agent of another library whose metadata has values that no JSON can hold. */
export async function oddValues(): Promise<void> {
  const agent = defineAgent({ name: 'odd', inference: scriptedInference([{ text: 'Kept.' }]) });
  const session = createAgentSession({ agent });
  await session.sendMessage('Keep them');
  const { state } = session.store.getState();
  await session.dispose();
  const throws = (): never => {
    throw new Error('The trap was touched');
  };
  const odd: Record<string, unknown> = {
    map: new Map([['key', 1]]),
    set: new Set(['member']),
    date: new Date(0),
    error: new TypeError('It broke'),
    big: 10n,
    symbol: Symbol('sign'),
    absent: undefined,
    fn: function named() {},
    get trap() {
      return throws();
    },
    proxy: new Proxy({}, { ownKeys: throws, get: throws, getOwnPropertyDescriptor: throws }),
    long: 'x'.repeat(10_000),
  };
  odd['cycle'] = odd;
  const base = AgentState.withMetadata(state, {});
  const shown = { ...base, context: { ...base.context, metadata: odd as JsonObject } };
  const journal = { id: 'odd', base: shown, state: () => shown, subscribe: () => () => undefined };
  sessionHub().register({ id: 'odd', name: 'odd', journal });
}
