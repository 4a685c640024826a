import { expect, it } from 'vitest';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { create } from '@vitrine/core/internal/graph/agent-state/create';
import { system, user } from '@vitrine/core/internal/graph/message';
import { runOnJournal } from '@vitrine/core/internal/agent-loop/run-on-journal';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { createJournal } from '@vitrine/core/internal/run/journal';
import * as AgentState from '@vitrine/core/internal/run/agent-state';
import { ask, fixedEnv, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { diagnose } from './diagnose.ts';
import { findingsOf, type SeededFault, type SeededRun, testSeededFaults } from './seeded-faults.fixture.ts';

const healthy: SeededRun = { script: [{ text: 'A whole answer.' }] };
const beforeInference = (name: string, run: Parameters<typeof defineHook>[0]['run']) => ({
  hooks: [defineHook({ name, on: 'before-inference', run })],
});
const observer = beforeInference('observer', () => undefined);
const conversation: NonNullable<SeededRun['state']> = (env) =>
  create({ messages: ['One.', 'Two.', 'Three.'].map((text) => user(text, {}, env)) }, env);
const delegating = (task: string): SeededRun['script'] => [
  { toolCalls: [{ name: 'delegate', input: { agent: 'kid', task } }] },
  { text: 'Done.' },
];
const family = { subagents: [scriptedAgent([{ text: 'Found it.' }], { name: 'kid' })] };
const question: NonNullable<SeededRun['state']> = (env) =>
  ask('Which train reaches Rome before 9:30 for "Ada Lovelace"?', env);

const faults: readonly SeededFault[] = [
  {
    code: 'messages-left-out',
    fault: {
      ...healthy,
      state: conversation,
      init: { compileMessages: (state) => AgentState.messages(state).slice(-1) },
    },
    twin: { ...healthy, state: conversation },
    says: /2 messages of the conversation were not sent to the model: The compiler/,
    severity: 'hint',
  },
  {
    code: 'messages-left-out',
    fault: {
      ...healthy,
      state: conversation,
      init: beforeInference('window', (_state, ctx) => {
        const request = ctx.fields.request!;
        ctx.replace('request', {
          ...request,
          messages: [request.messages[0]!, ...request.messages.slice(-1)],
        });
      }),
    },
    twin: { ...healthy, state: conversation, init: observer },
    says: /hook "window" left them out/,
  },
  {
    code: 'prompt-cut',
    fault: {
      script: [{ text: 'What do you mean?', usage: { inputTokens: 2050, outputTokens: 5 } }],
      init: { systemPrompt: 'Shoes stay outside. '.repeat(1500) },
    },
    // Long words and spaces have few tokens, but not that few.
    twin: {
      script: [{ text: 'Shoes.', usage: { inputTokens: 3100, outputTokens: 5 } }],
      init: { systemPrompt: 'Shoes stay outside. '.repeat(1500) },
    },
    says: /was sent 30,005 characters and read 2,050 tokens/,
    severity: 'hint',
  },
  {
    code: 'prompt-replaced',
    fault: {
      ...healthy,
      init: beforeInference('marketing', (_state, ctx) => {
        const [, ...rest] = ctx.fields.request!.messages;
        ctx.replace('request', {
          ...ctx.fields.request!,
          messages: [system('Sell more.', {}, ctx.env), ...rest],
        });
      }),
    },
    twin: { ...healthy, init: observer },
    says: /Hook "marketing" replaced the system prompt before this model call/,
  },
  {
    code: 'prompt-replaced',
    fault: {
      ...healthy,
      init: beforeInference('persona', (state) => AgentState.withSystemPrompt(state, 'Be a pirate.')),
    },
    twin: { ...healthy, init: observer },
    says: /"persona" replaced the system prompt of the agent/,
    severity: 'hint',
  },
  {
    code: 'request-replaced',
    fault: {
      ...healthy,
      init: beforeInference('saver', (_state, ctx) =>
        ctx.replace('request', { ...ctx.fields.request!, model: 'cheap', settings: { temperature: 2 } }),
      ),
    },
    twin: { ...healthy, init: observer },
    says: /Hook "saver" replaced the model and the settings/,
  },
  {
    code: 'hook-ignored',
    fault: {
      ...healthy,
      init: {
        hooks: [
          defineHook({
            name: 'late',
            on: 'after-step',
            run: (_state, ctx) => ctx.replace('response', { finishReason: 'stop' } as never),
          }),
        ],
      },
    },
    twin: { ...healthy, init: observer },
    says: /"late" replaced "response" at after-step/,
  },
  {
    code: 'subagent-uninformed',
    fault: { script: delegating('Find a train.'), init: family, state: question },
    twin: {
      script: delegating('Find a train to Rome before 9:30 for Ada Lovelace.'),
      init: family,
      state: question,
    },
    says: /task of subagent "kid" does not mention "9:30" and "Ada Lovelace"/,
    severity: 'hint',
  },
];

testSeededFaults(faults);

it('a prompt that a hook replaces in each step is told once, with the prompt before and after', async () => {
  const found = await findingsOf({
    script: [{ toolCalls: [{ name: 'none', input: {} }] }, { text: 'Done.' }],
    init: beforeInference('marketing', (_state, ctx) => {
      const [, ...rest] = ctx.fields.request!.messages;
      ctx.replace('request', {
        ...ctx.fields.request!,
        messages: [system('Sell more.', {}, ctx.env), ...rest],
      });
    }),
  });
  expect(
    found.filter(({ code }) => code === 'prompt-replaced').map(({ evidence }) => evidence.after),
  ).toEqual(['Sell more.']);
});

it.each([
  ['missing', null, ['file-missing']],
  ['present', new Blob(['%PDF']), []],
] as const)('a file whose bytes are %s', async (_what, blob, codes) => {
  const env = fixedEnv();
  const file = {
    type: 'file',
    mediaType: 'application/pdf',
    filename: 'offer.pdf',
    blob: { hash: 'a'.repeat(64), size: 4 },
  } as const;
  const base = create({ messages: [user([file], {}, env)] }, env);
  const journal = createJournal(base, { env });
  const events: AgentEvent[] = [];
  journal.subscribe((event) => void events.push(event));
  await runOnJournal({
    agent: scriptedAgent([{ text: 'Read.' }]),
    lease: journal.lease().lease,
    env,
    readBlob: () => Promise.resolve(blob),
  });
  const found = diagnose({ base, events });
  expect(found.map(({ code }) => code)).toEqual(codes);
  if (blob === null) expect(found[0]?.sentence).toContain('"offer.pdf"');
});
