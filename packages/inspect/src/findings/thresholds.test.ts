import { describe, expect, it } from 'vitest';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import type { ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import type { Finding } from './finding.ts';
import { findingsOf, type SeededRun } from './seeded-faults.fixture.ts';

const done: ScriptedEntry = { text: 'Done.' };

/** A run with one call of a tool that takes a time, before or after it waits. */
function taking(ms: number, isBlocking: boolean): SeededRun {
  return {
    script: [{ toolCalls: [{ name: 'search', input: {} }] }, done],
    init: (env) => ({
      tools: [
        fakeTool('search', () => {
          if (isBlocking) return (env.advance(ms), 1);
          return Promise.resolve().then(() => (env.advance(ms), 1));
        }),
      ],
    }),
  };
}

/** A run with a number of equal calls. */
function repeating(times: number): SeededRun {
  const toolCalls = Array.from({ length: times }, () => ({ name: 'search', input: { q: 1 } }));
  return { script: [{ toolCalls }, done], init: { tools: [fakeTool('search', 'a')] } };
}

/** A run whose answer took reasoning. */
function reasoning(reasoningTokens: number, outputTokens: number): SeededRun {
  return { script: [{ text: 'Done.', usage: { inputTokens: 1, outputTokens, reasoningTokens } }] };
}

/** A row of the table: what happened, and the severity of the finding, null for none. */
type Case = readonly [what: string, run: SeededRun, severity: Finding['severity'] | null];

const cases: Readonly<Record<string, readonly Case[]>> = {
  'tool-slow': [
    ['999 ms', taking(999, false), null],
    ['1,000 ms', taking(1000, false), null],
    ['9,999 ms', taking(9999, false), null],
    ['10,000 ms', taking(10_000, false), 'hint'],
  ],
  'page-blocked': [
    ['49 ms', taking(49, true), null],
    ['50 ms', taking(50, true), null],
    ['199 ms', taking(199, true), null],
    ['200 ms', taking(200, true), 'hint'],
  ],
  'call-repeated': [
    ['two equal calls', repeating(2), null],
    ['three equal calls', repeating(3), 'hint'],
  ],
  'reasoning-heavy': [
    ['999 of 1,500 tokens', reasoning(999, 1500), null],
    ['1,000 of 2,001 tokens', reasoning(1000, 2001), null],
    ['1,000 of 2,000 tokens', reasoning(1000, 2000), null],
    ['9,999 of 10,000 tokens', reasoning(9999, 10_000), null],
    ['10,000 of 12,501 tokens', reasoning(10_000, 12_501), null],
    ['10,000 of 12,500 tokens', reasoning(10_000, 12_500), 'hint'],
  ],
};

describe.each(Object.entries(cases))('the thresholds of %s', (code, rows) => {
  it.each(rows)('a run with %s is judged on its side of the threshold', async (_what, run, severity) => {
    const found = (await findingsOf(run)).filter((finding) => finding.code === code);
    expect(found.map((finding) => finding.severity)).toEqual(severity === null ? [] : [severity]);
  });
});
