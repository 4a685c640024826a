import { expect, it } from 'vitest';
import fc from 'fast-check';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import type { AgentInit } from '@vitrine/core/internal/agent/agent-definition';
import type { Finding } from './finding.ts';
import { calls, findingsOfSession, says, type SessionRun } from './session-runs.fixture.ts';

/** An agent that calls a tool which always fails, asks the agent below it, and ends in one of three ways. */
type Layer = { readonly failures: number; readonly end: 'answer' | 'error' | 'limit' };

const names = ['main', 'middle', 'low'] as const;
const down: ScriptedEntry = {
  error: { code: 'model-down', message: 'The model is down.', retryable: false },
};

function runOf(
  layers: readonly Layer[],
  depth: number,
): { readonly script: ScriptedEntry[]; readonly init: Partial<AgentInit> } {
  const { failures, end } = layers[depth]!;
  const below = layers[depth + 1] && runOf(layers, depth + 1);
  const failing = Array.from({ length: failures }, (_, at) => calls('fetch', { page: `${depth}.${at}` }));
  const asking = below ? [calls('delegate', { agent: names[depth + 1]!, task: 'Fetch it' })] : [];
  const steps = end === 'limit' ? [...asking, ...failing] : [...failing, ...asking];
  return {
    script: [...steps, end === 'error' ? down : says('I could not fetch it.')],
    init: {
      tools: [fakeTool('fetch', () => Promise.reject(new Error('There is no network')))],
      ...(end === 'limit' && steps.length > 0 && { budget: { maxSteps: steps.length } }),
      ...(below && { subagents: [scriptedAgent(below.script, { ...below.init, name: names[depth + 1]! })] }),
    },
  };
}

const findingsOfLayers = (layers: readonly Layer[]): Promise<readonly Finding[]> =>
  findingsOfSession({ ...runOf(layers, 0), play: ['Fetch it'] });
const layer = fc.record({
  failures: fc.integer({ min: 0, max: 4 }),
  end: fc.constantFrom('answer' as const, 'error' as const, 'limit' as const),
});
const layerNames = ['the main agent', 'middle', 'low'];
const sorted = (list: unknown): readonly string[] => [...(list as readonly string[])].sort();

it('failed calls of one tool in any layers are one finding with their number and layers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(layer, { minLength: 1, maxLength: 3 }), async (layers) => {
      const found = (await findingsOfLayers(layers)).filter(
        ({ code, evidence }) => code === 'call-failed' && evidence.who === 'fetch',
      );
      const failing = layerNames.filter((_, depth) => (layers[depth]?.failures ?? 0) > 0);
      const count = layers.reduce((sum, { failures }) => sum + failures, 0);
      expect(found.map(({ evidence }) => evidence['count'])).toEqual(count === 0 ? [] : [count]);
      // A layer that only ends by the failures below it counts too.
      if (failing.length > 1) expect(found[0]?.evidence['layers']).toEqual(expect.arrayContaining(failing));
    }),
    { numRuns: Number(process.env['PROVE_RUNS'] ?? 60) },
  );
});

it('an error of the model in any layers is one finding, and the calls that fail by it are none', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(layer, { minLength: 2, maxLength: 3 }), async (drawn) => {
      const layers = drawn.map((one) => ({ ...one, end: 'error' as const }));
      const found = await findingsOfLayers(layers);
      const errors = found.filter(({ code }) => code === 'error-recorded');
      expect(errors).toHaveLength(1);
      expect(sorted(errors[0]?.evidence['layers'])).toEqual(sorted(layerNames.slice(0, layers.length)));
      expect(errors[0]?.address.path, 'where it came first').toHaveLength(layers.length - 1);
      expect(found.filter(({ evidence }) => evidence.who === 'delegate')).toEqual([]);
    }),
    { numRuns: Number(process.env['PROVE_RUNS'] ?? 60) },
  );
});

it('a subagent that its failing calls bring to its limit is told with these calls', async () => {
  const [found, ...others] = await findingsOfLayers([
    { failures: 0, end: 'answer' },
    { failures: 0, end: 'limit' },
    { failures: 4, end: 'limit' },
  ]);
  expect(others).toEqual([]);
  expect(found).toMatchObject({ code: 'call-failed', severity: 'hint', address: { path: { length: 2 } } });
  expect(found?.sentence).toBe(
    '4 calls of tool "fetch" failed in 3 layers ("low", "middle" and the main agent): fetch: There is no network.',
  );
  expect(found?.remedy).toMatch(/^Correct the error in the tool/);
  expect(found?.evidence['ended']).toEqual([
    expect.stringMatching(/^Subagent "low" was stopped: steps-limit-reached/),
    expect.stringMatching(/^Subagent "middle" was stopped: steps-limit-reached/),
  ]);
});

const stopped = (script: ScriptedEntry[], fails: number): SessionRun => {
  let asked = 0;
  const fetch = fakeTool('fetch', () =>
    ++asked <= fails ? Promise.reject(new Error('There is no network')) : 'a page',
  );
  const low = scriptedAgent(script, { name: 'low', tools: [fetch], budget: { maxSteps: script.length } });
  return {
    script: [calls('delegate', { agent: 'low', task: 'Fetch' }), says('It did not end.')],
    init: { subagents: [low] },
    play: ['Fetch it'],
  };
};
const fetching = (count: number): ScriptedEntry[] =>
  Array.from({ length: count }, (_, page) => calls('fetch', { page }));

it.each([
  ['without a failed call', 0],
  ['after a failure that the model overcame', 1],
])('a subagent that reaches its limit %s is told by its own call', async (_what, fails) => {
  const found = await findingsOfSession(stopped(fetching(3), fails));
  expect(found.map(({ code, sentence }) => `${code}: ${sentence}`)).toEqual([
    'call-failed: A call of tool "delegate" failed: Subagent "low" was stopped: steps-limit-reached: Step limit reached: 3/3.',
  ]);
});
