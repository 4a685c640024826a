import {
  type AgentInit,
  AgentState,
  type AgentSession,
  definePlugin,
  defineTool,
  summarizeHistory,
} from '@vitrine/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { billOf, rules, worldOf } from '../../../../tests/upstream/cached-runs.ts';
import type { Answer } from '../../../../tests/upstream/cached-wires.ts';
import { type Block, blocksOf } from '../../../../tests/upstream/prompt-caches.ts';

const contents = ['one', 'two', '', 'a < b', '</context>', '行'.repeat(40)];
const item = fc.record({
  name: fc.constantFrom('Step', 'Odd', 'a"b'),
  content: fc.constantFrom(...contents),
});
type Said = 'text' | 'look' | 'three' | 'ask';
type Move = 'send' | 'steer' | 'edit' | 'regenerate' | 'reload';

const plans = fc.record({
  given: fc.array(fc.tuple(fc.array(item, { maxLength: 2 }), fc.array(item, { maxLength: 2 })), {
    minLength: 1,
    maxLength: 6,
  }),
  answers: fc.array(fc.constantFrom<Said>('text', 'look', 'three', 'ask'), { minLength: 1, maxLength: 8 }),
  moves: fc.array(fc.constantFrom<Move>('send', 'steer', 'edit', 'regenerate', 'reload'), { maxLength: 4 }),
  toolTrace: fc.constantFrom('tagged' as const, 'separate' as const),
  hasPlugins: fc.boolean(),
  hasTools: fc.integer({ min: 0, max: 4 }).map((one) => one > 0),
  sums: fc.boolean(),
});
type Plan = typeof plans extends fc.Arbitrary<infer Value> ? Value : never;

/** A request as its provider got it. */
type Sent = {
  readonly body: string;
  readonly blocks: readonly Block[];
  /** The run that asked. */
  readonly execution: string;
  /** The question of the run; null for the one that took an edited question up. */
  readonly question: string | null;
};

type Played = { readonly sent: readonly Sent[]; readonly counted: number; readonly cost: number };

const said: Readonly<Record<Said, (at: number) => Answer>> = {
  text: (at) => ({ text: `Answer ${at}. ${'word '.repeat(30)}` }),
  look: () => ({ tool: 'look', input: {} }),
  three: () => ({ tool: 'look', input: {}, calls: 3 }),
  ask: () => ({ tool: 'ask', input: {} }),
};

function agentOf(plan: Plan): Partial<AgentInit> {
  let prepared = 0;
  const plugins = ([0, 1] as const).map((side) =>
    definePlugin({
      id: `plugin ${side}`,
      state: z.unknown(),
      prepare: () => ({ context: plan.given[(prepared++ >> 1) % plan.given.length]![side] }),
    }),
  );
  const tool = (name: string, needsApproval: boolean): ReturnType<typeof defineTool> =>
    defineTool({
      name,
      description: `Does ${name}`,
      input: z.object({}),
      needsApproval: () => needsApproval,
      execute: () => `${name} has found this. `.repeat(20),
    });
  const summarize = (): string => 'The summary. '.repeat(10);
  return {
    toolTrace: plan.toolTrace,
    plugins: plan.hasPlugins ? plugins : [],
    tools: plan.hasTools ? [tool('look', false), tool('ask', true)] : [],
    hooks: plan.sums ? [summarizeHistory({ maxTokens: 300, maxBufferTokens: 100, summarize })] : [],
    budget: { maxSteps: 20 },
  };
}

async function approveAll(session: AgentSession): Promise<void> {
  for (let round = 0; round < 20 && session.store.getState().status === 'awaiting-input'; round++) {
    const { execution } = session.store.getState().state;
    const calls = execution?.currentStep?.toolExecutions ?? [];
    const waiting = calls.find(({ status }) => status === 'awaiting-approval');
    if (waiting === undefined) return;
    await session.approve(waiting.id);
  }
}

function userIds(session: AgentSession): readonly string[] {
  const messages = AgentState.messages(session.store.getState().state);
  return messages.filter(({ role }) => role === 'user').map(({ id }) => id);
}

async function play(plan: Plan, name: keyof typeof rules, use = 'auto'): Promise<Played> {
  const rule = rules[name];
  const sent: Sent[] = [];
  let session: AgentSession;
  let question: string | null = null;
  const world = worldOf(rule, use, (body) => {
    const at = sent.length;
    const { execution } = session.store.getState().state;
    const blocks = blocksOf(JSON.parse(body), rule.wire === 'messages');
    sent.push({ body, blocks, execution: execution?.executionId ?? '', question });
    if (plan.moves[at] === 'steer') void session.sendMessage(`And ${at}?`, { onBusy: 'steer' });
    const answer = plan.hasTools ? (plan.answers[at] ?? 'text') : 'text';
    world.play(said[answer](at));
    return null;
  });
  session = world.open(agentOf(plan));
  for (const [at, move] of (['send', ...plan.moves] as const).entries()) {
    const users = userIds(session);
    const words = `${at}? ${'word '.repeat(20)}`;
    question = move === 'send' || move === 'steer' ? `Question ${words}` : question;
    if (move === 'reload') {
      await session.dispose();
      session = world.open(agentOf(plan));
      await session.ready;
    } else if (move === 'regenerate') await session.regenerate();
    else if (move === 'edit') {
      question = null;
      await session.edit(users[users.length >> 1] ?? '', `Edited ${words}`);
    } else await session.sendMessage(question ?? '');
    await approveAll(session);
  }
  await session.dispose();
  const counted = world.costs.reduce((sum, cost) => sum + cost, 0);
  return { sent, counted, cost: billOf(world.counted, rule).cost };
}

const numRuns = Number(process.env['PROVE_RUNS'] ?? 10);
/**
 * Plans in which nothing is written into the front or the middle: a summary is, and a message that steers a run with a
 * separate trace, which stands before the trace.
 */
const calm = plans
  .map((plan) => ({ ...plan, sums: false }))
  .filter(({ toolTrace, moves }) => toolTrace === 'tagged' || !moves.includes('steer'));
const texts = (blocks: readonly Block[]): readonly string[] => blocks.map(({ text }) => text);

describe.each(['marks', 'breakpoints', 'units'] as const)('the requests of random agents by %s', (name) => {
  const holds = (of: fc.Arbitrary<Plan>, law: (plan: Plan) => Promise<void>): Promise<void> =>
    fc.assert(fc.asyncProperty(of, law), { numRuns });

  it('a request begins with the one before it in its run, and four marks at most stand where it does', async () => {
    await holds(calm, async (plan) => {
      const { sent } = await play(plan, name);
      expect(sent.length).toBeGreaterThan(0);
      for (const [at, { blocks, execution }] of sent.entries()) {
        const marks = blocks.flatMap(({ mark }, index) => (mark === null ? [] : [index]));
        expect(marks.length).toBeLessThanOrEqual(4);
        const before = sent[at - 1];
        if (before?.execution !== execution) continue;
        expect(texts(blocks).slice(0, before.blocks.length)).toEqual(texts(before.blocks));
      }
    });
  }, 300_000);

  it('the first request of a run begins with that of the run before it, up to its question', async () => {
    await holds(calm, async (plan) => {
      const { sent } = await play(plan, name);
      const firsts = sent.filter(({ execution }, at) => sent[at - 1]?.execution !== execution);
      for (const [at, { blocks, question: now }] of firsts.entries()) {
        const before = firsts[at - 1];
        if (before === undefined || before.question === null || now === null) continue;
        const all = texts(before.blocks).join('\n');
        const question = all.slice(
          0,
          all.lastIndexOf(before.question.trim()) + before.question.trim().length,
        );
        expect(texts(blocks).join('\n').slice(0, question.length)).toBe(question);
      }
    });
  }, 300_000);

  it('the cost that is counted is the bill of the cache, and without a cache nothing is marked', async () => {
    await holds(plans, async (plan) => {
      const { counted, cost } = await play(plan, name);
      expect(Math.abs(counted - cost)).toBeLessThan(1e-6);
      const { sent } = await play(plan, name, 'off');
      for (const { body } of sent) expect(body).not.toMatch(/cache_control|prompt_cache/);
    });
  }, 300_000);
});
