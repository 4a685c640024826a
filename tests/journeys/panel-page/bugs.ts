import {
  type AgentSession,
  AgentState,
  createAgentSession,
  defineAgent,
  defineHook,
  definePlugin,
  defineTool,
  guard,
  repeatedCallGuard,
  StopSignal,
} from '@vitrine/core';
import { fakeTool, scriptedInference, type ScriptedEntry } from '@vitrine/testing';
import * as z from 'zod';

// Pages with Trusted Types may not even be asked whether functions can be made of texts.
z.config({ jitless: true });

/** Each makes an agent with a fault in it, and runs it as far as it goes. */
type Bug = () => Promise<AgentSession>;

const call = (name: string, input: Record<string, string | number> = {}): ScriptedEntry => ({
  toolCalls: [{ name, input }],
});
const answer: ScriptedEntry = { text: 'Here you are.' };

async function run(
  init: Parameters<typeof defineAgent>[0],
  script: readonly ScriptedEntry[],
): Promise<AgentSession> {
  const agent = defineAgent({
    name: 'helper',
    systemPrompt: 'Be kind.',
    inference: scriptedInference(script),
    ...init,
  });
  const session = createAgentSession({ agent });
  await session.sendMessage('Please help');
  return session;
}

const weather = defineTool({
  name: 'weather',
  description: 'The weather of a city',
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `No city is called ${city}`,
});
const notes = definePlugin({ id: 'notes', state: z.record(z.string(), z.string()), initial: {}, tools: [] });
const write = (name: string, text: string): ReturnType<typeof defineTool> =>
  defineTool({
    name,
    description: '',
    input: z.object({}),
    execute: (_input, ctx) => {
      ctx.plugin(notes).set({ owner: text });
      return 'done';
    },
  }) as ReturnType<typeof defineTool>;
const slow = defineTool({
  name: 'slow',
  description: '',
  input: z.object({}),
  execute: () => new Promise((resolve) => setTimeout(() => resolve('at last'), 1300)),
});
const guarded = defineTool({
  name: 'pay',
  description: '',
  input: z.object({ amount: z.number() }),
  needsApproval: ({ amount }) => (amount > 100 ? { deny: 'more than 100 is never paid' } : true),
  execute: () => 'paid',
});
const child = defineAgent({
  name: 'researcher',
  description: 'Looks things up',
  budget: { maxSteps: 9 },
  tools: [fakeTool('look', 'nothing')],
  inference: scriptedInference([call('look')]),
});

export const bugs: Readonly<Record<string, Bug>> = {
  'wrong argument': () => run({ tools: [weather] }, [call('weather', { city: 'Pariss' }), answer]),
  'message left out by the compiler': () =>
    run({ compileMessages: (state) => AgentState.messages(state).slice(1), tools: [weather] }, [answer]),
  'budget cut by the parent': () =>
    run({ subagents: [child], budget: { maxSteps: 3 } }, [
      { toolCalls: [{ name: 'delegate', input: { agent: 'researcher', task: 'Find it' } }] },
      answer,
    ]),
  'plugin key overwritten': () =>
    run({ plugins: [notes], tools: [write('first', 'me'), write('second', 'you')], toolConcurrency: 1 }, [
      {
        toolCalls: [
          { name: 'first', input: {} },
          { name: 'second', input: {} },
        ],
      },
      answer,
    ]),
  'approval that nobody has given': () => run({ tools: [guarded] }, [call('pay', { amount: 5 })]),
  'stale approval': async () => {
    const script = [call('pay', { amount: 5 }), call('pay', { amount: 50 }), answer];
    const session = await run({ tools: [guarded] }, script);
    const [asked] = AgentState.pendingApprovals(session.store.getState().state);
    await session.approve(asked?.id ?? '', { remember: 'execution' });
    return session;
  },
  'call refused by its own rule': () => run({ tools: [guarded] }, [call('pay', { amount: 500 }), answer]),
  'signal overridden': () =>
    run(
      {
        tools: [fakeTool('look', 'nothing')],
        hooks: [
          guard(
            'impatient',
            (state) =>
              AgentState.stepCount(state) === 1
                ? StopSignal.stopRequested({ message: 'One is enough' })
                : null,
            { on: 'after-step' },
          ),
          defineHook({
            name: 'stubborn',
            on: 'after-step',
            run: (state) =>
              AgentState.stepCount(state) < 2 ? AgentState.withExecutionContinued(state) : undefined,
          }),
        ],
      },
      [call('look'), answer],
    ),
  'stopped before it began': () =>
    run({ hooks: [guard('never', () => StopSignal.stopRequested({ message: 'Not today' }))] }, [answer]),
  'steps used up': () =>
    run({ tools: [fakeTool('look', 'nothing')], budget: { maxSteps: 2 } }, [call('look')]),
  'tokens used up': () =>
    run({ tools: [fakeTool('look', 'nothing')], budget: { maxTokens: 50 } }, [
      { toolCalls: [{ name: 'look', input: {} }], usage: { inputTokens: 40, outputTokens: 20 } },
    ]),
  'the same call again and again': () =>
    run({ tools: [fakeTool('look', 'nothing')], hooks: [repeatedCallGuard()] }, [call('look')]),
  'provider that fails': () =>
    run({ retry: { maxAttempts: 1 } }, [
      { error: { code: 'upstream-failed', message: 'The model is away', retryable: false } },
    ]),
  'system prompt changed by a hook': () =>
    run(
      {
        tools: [fakeTool('look', 'nothing')],
        hooks: [
          defineHook({
            name: 'rude',
            on: 'after-step',
            run: (state) => AgentState.withSystemPrompt(state, 'Be rude.'),
          }),
        ],
      },
      [call('look'), answer],
    ),
  'metadata overwritten by a hook': () =>
    run(
      {
        tools: [fakeTool('look', 'nothing')],
        hooks: [
          defineHook({
            name: 'careless',
            on: 'after-step',
            run: (state) => AgentState.withMetadata(state, { locale: 'none' }),
          }),
        ],
      },
      [call('look'), answer],
    ),
  'tool that throws': () =>
    run(
      {
        tools: [
          defineTool({
            name: 'broken',
            description: '',
            input: z.object({}),
            execute: () => {
              throw new Error('The disk is on fire');
            },
          }),
        ],
      },
      [call('broken'), answer],
    ),
  'call blocked by a hook': () =>
    run(
      {
        tools: [fakeTool('delete', 'gone')],
        hooks: [
          defineHook({
            name: 'no-deletes',
            on: 'before-tool-use',
            run: (_state, ctx) => ctx.block('deleting is not allowed'),
          }),
        ],
      },
      [call('delete'), answer],
    ),
  'arguments changed by a hook': () =>
    run(
      {
        tools: [weather],
        hooks: [
          defineHook({
            name: 'meddler',
            on: 'before-tool-use',
            run: (_state, ctx) => {
              const { toolCall } = ctx.fields;
              if (toolCall) ctx.replace('toolCall', { ...toolCall, input: { city: 'Atlantis' } });
            },
          }),
        ],
      },
      [call('weather', { city: 'Paris' }), answer],
    ),
  'answer cut short': () => run({}, [{ text: 'Here you', finishReason: 'length' }]),
  'no tools offered': () => run({}, [{ text: 'I would have to look it up.' }]),
  'wrong temperature': () => run({ llmConfig: { settings: { temperature: 1.9 } } }, [answer]),
  'tool that is slow': () =>
    run({ tools: [slow, fakeTool('look', 'nothing')] }, [call('look'), call('look'), call('slow'), answer]),
  'much text': () =>
    run(
      {
        systemPrompt: 'Be kind.\n'.repeat(200),
        tools: [fakeTool('look', { found: 'nothing '.repeat(400) })],
      },
      [call('look', { where: 'everywhere '.repeat(200) }), { text: 'Much to say.\n'.repeat(300) }],
    ),
  'invented tool': () => run({ tools: [weather] }, [call('forecast', { city: 'Paris' }), answer]),
};
