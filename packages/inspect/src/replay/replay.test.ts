import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { withMetadata } from '@vitrine/core/internal/graph/agent-state/transitions';
import { type AgentInit } from '@vitrine/core/internal/agent/agent-definition';
import { isAgentError } from '@vitrine/core/internal/kit/agent-error';
import { createJournal } from '@vitrine/core/internal/run/journal';
import { agentOf } from '@vitrine/core/internal/run/random-agent.fixture';
import { type Plan, plan } from '@vitrine/core/internal/run/random-plan.fixture';
import { runAll } from '@vitrine/core/internal/run/random-runs.fixture';
import { runOnJournal } from '@vitrine/core/internal/agent-loop/run-on-journal';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { fixedEnv } from '@vitrine/testing/internal/fixed-env';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import { journalDocument, type JournalDocument } from './journal-document.ts';
import { heldPlans, rememberedPlans } from './replayed-plans.fixture.ts';
import { replay } from './replay.ts';

const numRuns = Number(process.env['PROVE_RUNS'] ?? 30);
const unhurried = { timeout: 1_800_000 };

/** Records a plan, replays it from its JSON, and expects the same end without side effects. */
async function replaysEqually(planned: Plan): Promise<void> {
  const env = fixedEnv();
  const base = ask('Hello', env);
  const ran = await runAll(planned, agentOf(planned, new Map()), env, base);
  const events = ran.entries.map(({ event }) => event);
  const journal = JSON.stringify(journalDocument('j', base, events));
  const effects = new Map<string, number>();
  const agent = { ...agentOf(planned, effects), inference: unreachable };
  const replayed = await replay(JSON.parse(journal) as JournalDocument, agent);
  expect(replayed.state).toEqual(ran.journal.state());
  expect(replayed.modelCalls).toBe(
    events.filter(({ type, path }) => type === 'inference-start' && path.length >= 0).length,
  );
  expect([...effects.keys()]).toEqual([]);
}

/** The acts of hooks on the last message. Which message is the last while calls run in parallel depends on timing. */
const onLastMessage: ReadonlySet<string> = new Set(['message', 'rewrite', 'remove']);

/** A plan without parallel hooks whose result depends on timing. */
function orderly(planned: Plan): Plan {
  if (planned.concurrency === 1) return planned;
  const hooks = planned.hooks.map((hook) =>
    onLastMessage.has(hook.act) ? { ...hook, act: 'metadata' as const } : hook,
  );
  return { ...planned, hooks };
}

const unreachable = {
  stream: (): never => {
    throw new Error('The model was called.');
  },
};

describe('the replay of random runs', () => {
  it('a replay ends in the recorded state, without a call of model or tools', unhurried, async () => {
    await fc.assert(
      fc.asyncProperty(plan, (planned) => replaysEqually({ ...orderly(planned), abortAt: null })),
      { numRuns },
    );
  });

  it.each(rememberedPlans)(
    'a replay knows when a person had a decision remembered, whichever agent was faster: %#',
    replaysEqually,
  );

  it.each(Object.entries(heldPlans))('a replay of a held run knows the moment of %s', (_of, planned) =>
    replaysEqually(planned),
  );

  // The exact moment of an abort between two events is not recorded, and rarely no tried moment fits.
  it(
    'a replay finds the moment in which a run was aborted, or reports that it differs',
    unhurried,
    async () => {
      let differing = 0;
      await fc.assert(
        fc.asyncProperty(plan, async (planned) => {
          try {
            await replaysEqually({ ...planned, hooks: [], concurrency: 1 });
          } catch (thrown) {
            if (!isAgentError(thrown, 'replay-diverged')) throw thrown;
            differing++;
          }
        }),
        { numRuns },
      );
      expect(differing).toBeLessThanOrEqual(Math.ceil(numRuns / 100));
    },
  );
});

it('a replay finds an abort that came while the model was asked, behind a change by the application', async () => {
  const env = fixedEnv();
  const base = ask('Hello', env);
  const journal = createJournal(base, { env });
  const controller = new AbortController();
  const events: { readonly seq: number | null }[] = [];
  journal.subscribe((event) => {
    events.push(event);
    if (event.type !== 'inference-start') return;
    journal.commit([], { type: 'metadata-change', source: 'app', set: { seen: true }, removed: [] });
    setTimeout(() => controller.abort());
  });
  const silent: AgentInit['inference'] = {
    stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) }),
  };
  const agent = scriptedAgent([], {});
  const { signal } = controller;
  const lease = journal.lease().lease;
  await runOnJournal({ agent: { ...agent, inference: silent }, lease, env, signal });
  const { state } = await replay(journalDocument('j', base, events), { ...agent, inference: unreachable });
  expect(state).toEqual(journal.state());
});

const look: ScriptedStep = { toolCalls: [{ name: 'look', input: { at: 'sky' } }] };
const note = defineHook({
  name: 'note',
  on: 'after-step',
  run: (state) => withMetadata(state, { steps: (state.execution?.stepExecutions.length ?? 0) + 1 }),
});
const init = { systemPrompt: 'Be kind.', tools: [fakeTool('look', { colour: 'blue' })], hooks: [note] };

async function recorded(
  steps: readonly ScriptedStep[] = [look, { text: 'Blue.' }],
): Promise<JournalDocument> {
  const env = fixedEnv();
  const base = ask('Which colour?', env);
  const journal = createJournal(base, { env });
  const events: { readonly seq: number | null }[] = [];
  journal.subscribe((event) => events.push(event));
  await runOnJournal({ agent: scriptedAgent(steps, init), lease: journal.lease().lease, env });
  return journalDocument('j', base, events);
}

/** The error message of a replay with a changed agent. */
async function saying(changed: Partial<AgentInit>, journal?: JournalDocument): Promise<unknown> {
  const agent = scriptedAgent([], { ...init, ...changed });
  const thrown: unknown = await replay(journal ?? (await recorded()), agent).catch((error: unknown) => error);
  return isAgentError(thrown, 'replay-diverged') ? thrown.message : thrown;
}

describe('a replay that differs', () => {
  it('a replay that differs names step and path of a changed prompt', async () => {
    expect(await saying({ systemPrompt: 'Be rude.' })).toBe(
      'Step 1: the prompt differs from the recording at systemPrompt: recorded "Be kind.", now "Be rude.".',
    );
    const tool = { ...fakeTool('look', {}), description: 'Other' };
    expect(await saying({ tools: [tool] })).toMatch(/^Step 1: the prompt .* at tools\[0\]\.description: /);
    const compileMessages: AgentInit['compileMessages'] = ({ context }) =>
      context.store.sections
        .flatMap(({ messages }) => messages)
        .map((message) =>
          message.role === 'tool'
            ? { ...message, parts: message.parts.map((part) => ({ ...part, output: 'red' })) as never }
            : message,
        );
    expect(await saying({ compileMessages })).toBe(
      'Step 2: the prompt differs from the recording at messages[2].parts[0].output: recorded {"colour":"blue"}, now "red".',
    );
  });

  it('a replay that differs names the missing, new or changed event', async () => {
    expect(await saying({ hooks: [] })).toMatch(
      /^Step 1: what the agent does .* recorded "metadata-change by note"/,
    );
    const other = defineHook({
      name: 'other',
      on: 'before-step',
      run: (state) => withMetadata(state, { x: 1 }),
    });
    expect(await saying({ hooks: [other, note] })).toMatch(/now "metadata-change by other"/);
    const counts = defineHook({
      name: 'note',
      on: 'after-step',
      run: (state) => withMetadata(state, { steps: 7 }),
    });
    expect(await saying({ hooks: [counts] })).toMatch(
      /^Step 1: metadata-change by note .* at set\.steps: recorded 1, now 7/,
    );
    expect(await saying({ budget: { maxSteps: 1 } })).toMatch(/^Step \d: /);
  });

  it('a replay of an unchanged agent has no difference, also for a recording that breaks off', async () => {
    const whole = await recorded();
    for (let end = 1; end <= whole.events.length; end++) {
      const { state } = await replay(
        { ...whole, events: whole.events.slice(0, end) },
        scriptedAgent([], init),
      );
      expect(state.seq).toBe(whole.events[end - 1]!.seq);
    }
  });

  it('a replay rejects journals that cannot be read', async () => {
    const whole = await recorded();
    const agent = scriptedAgent([], init);
    const wrong = (part: object): Promise<unknown> => replay({ ...whole, ...part }, agent);
    await expect(wrong({ format: 99 })).rejects.toThrow(/version 99/);
    await expect(wrong({ events: [{ type: 'nonsense', seq: 1, at: 0, path: [] }] })).rejects.toThrow(
      /nonsense/,
    );
    await expect(wrong({ events: [null] })).rejects.toThrow(/events\.0/);
    await expect(wrong({ base: {} })).rejects.toThrow(/invalid/);
  });
});
