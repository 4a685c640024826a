import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { definePlugin } from '@vitrine/core/internal/features/define-plugin';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import type { ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import { findingsOf, type SeededFault, type SeededRun, testSeededFaults } from './seeded-faults.fixture.ts';

type Figures = {
  readonly model: string;
  readonly tokens?: number;
  readonly read: number;
  readonly written?: number;
  readonly waitMs?: number;
};

/** Two calls of a model: the first fills a cache, and the second reads so much of it. */
function twoCalls({ model, tokens = 8000, read, written = 0, waitMs = 0 }: Figures): SeededRun {
  const script: ScriptedEntry[] = [
    {
      toolCalls: [{ name: 'ok', input: {} }],
      usage: { inputTokens: tokens, outputTokens: 10, cacheWriteTokens: written },
    },
    { text: 'Done.', usage: { inputTokens: tokens + 100, outputTokens: 10, cacheReadTokens: read } },
  ];
  return {
    script,
    init: (env) => ({
      tools: [fakeTool('ok', () => (env.advance(waitMs), 1))],
      llmConfig: { model, settings: {} },
    }),
  };
}

const claude = { model: 'claude-sonnet-5', written: 8000 };
const missed: readonly (readonly [Figures, Figures, RegExp])[] = [
  [
    { ...claude, read: 0, waitMs: 600_000 },
    { ...claude, read: 7900, waitMs: 600_000 },
    /read 0 tokens of 8,000 tokens .*: the run paused for 10 min, and a cache keeps a request for 5 minutes\./,
  ],
  [{ ...claude, read: 3999 }, { ...claude, read: 4000 }, /: the provider did not say why\./],
  [
    { model: 'claude-haiku-5', tokens: 3000, read: 0 },
    { model: 'claude-haiku-5', tokens: 500, read: 0 },
    /the request before had 3,000 tokens, and some models cache from 4,096 tokens on/,
  ],
  [
    { model: 'claude-opus-5', read: 0 },
    { model: 'gemini-3-pro', read: 0 },
    /nothing was written into the cache before/,
  ],
  [{ model: 'openai:gpt-6', read: 0 }, { model: 'google:gemini-3', read: 0 }, /the provider did not say why/],
];

const restless = (content: (n: number) => string): SeededRun => {
  let n = 0;
  const page = definePlugin({
    id: 'page',
    state: z.number(),
    initial: 0,
    prepare: () => ({
      context: [
        { name: 'Time', content: String(++n) },
        { name: 'Page', content: content(n) },
      ],
    }),
  });
  return {
    script: [1, 2, 3].map((step) =>
      step < 3 ? { toolCalls: [{ name: 'ok', input: { step } }] } : { text: 'Done.' },
    ),
    init: { tools: [fakeTool('ok', 1)], plugins: [page] },
  };
};

const faults: readonly SeededFault[] = [
  ...missed.map(([fault, twin, says]): SeededFault => ({
    code: 'cache-missed',
    fault: twoCalls(fault),
    twin: twoCalls(twin),
    says,
    severity: 'hint',
  })),
  {
    code: 'context-restless',
    fault: restless((n) => `${n}`.repeat(3000)),
    twin: restless((n) => `${Math.min(n, 2)}`.repeat(3000)),
    says: /^Plugin "page" told "Page" \(3 kB\) whole again in 3 steps in a row/,
    severity: 'hint',
  },
  {
    code: 'context-restless',
    fault: restless((n) => `${n}`.repeat(2049)),
    twin: restless((n) => `${n}`.repeat(1900)),
    says: /"Page" \(2\.1 kB\)/,
  },
];
testSeededFaults(faults);

describe('the finding of a missed cache', () => {
  it('a request whose prefix was broken is not said to have missed the cache', async () => {
    let n = 0;
    const clock = definePlugin({
      id: 'clock',
      state: z.unknown(),
      prepare: () => ({ instructions: `Step ${++n}` }),
    });
    const { script } = twoCalls({ ...claude, read: 0 });
    const found = await findingsOf({
      script,
      init: {
        tools: [fakeTool('ok', 1)],
        llmConfig: { model: claude.model, settings: {} },
        plugins: [clock],
      },
    });
    const codes = found.map(({ code }) => code);
    expect(codes).toContain('prefix-broken');
    expect(codes).not.toContain('cache-missed');
  });

  it('a model that changed its answers between two calls is named', async () => {
    const run = twoCalls({ ...claude, read: 0 });
    const found = await findingsOf({
      ...run,
      init: {
        tools: [fakeTool('ok', 1)],
        llmConfig: { model: 'claude', settings: {} },
        inference: {
          async *stream(request) {
            const isFirst = !request.messages.some(({ role }) => role === 'tool');
            yield { type: 'start', id: null, model: isFirst ? 'claude-a' : 'claude-b' };
            if (isFirst) yield { type: 'tool-call', toolCallId: 'c', toolName: 'ok', input: {} };
            else yield { type: 'text-delta', delta: 'Done.' };
            const usage = { inputTokens: 8000, outputTokens: 9, totalTokens: null, cost: null } as const;
            const parts = { reasoningTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
            yield {
              type: 'finish',
              finishReason: isFirst ? 'tool-calls' : 'stop',
              usage: { ...usage, ...parts },
            };
          },
        },
      },
    });
    const [finding] = found.filter(({ code }) => code === 'cache-missed');
    expect(finding?.sentence).toContain('"claude-b" answered, and "claude-a" had answered before.');
  });
});
