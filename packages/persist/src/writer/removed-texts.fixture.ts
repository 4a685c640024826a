import fc from 'fast-check';
import { expect } from 'vitest';
import * as z from 'zod';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { defineTool } from '@vitrine/core/internal/agent/tool';
import * as AgentState from '@vitrine/core/internal/run/agent-state';
import type { Message } from '@vitrine/core/internal/graph/message';
import type { AgentState as State } from '@vitrine/core/internal/graph/types';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { StoreUnderTest } from '@vitrine/testing/internal/store-suite/store-under-test';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';

/**
 * A change of one message: masking its secrets or removing it. `which` selects among the messages with
 * secrets.
 */
type Change = { readonly act: 'mask' | 'remove'; readonly which: number };

/** A conversation whose texts are secrets, and the changes that remove some of them. */
export type Removals = {
  /** The calls of each step; none ends a turn. */
  readonly calls: readonly number[];
  readonly hooks: readonly (Change & {
    readonly point: 'before-step' | 'after-inference' | 'before-tool-use' | 'after-tool-use' | 'after-step';
    readonly every: number;
  })[];
  /** The changes that the page makes after `at` events. */
  readonly updates: readonly (Change & { readonly at: number; readonly by: 'update' | 'setMessages' })[];
  /** Hooks that mask the input or the result of calls. */
  readonly masks: readonly { readonly field: 'toolCall' | 'execution'; readonly every: number }[];
  readonly turns: readonly ('send' | 'regenerate' | 'edit')[];
};

const change = { act: fc.constantFrom('mask' as const, 'remove' as const), which: fc.nat(20) };
/** Random conversations with removals of texts. */
export const removals: fc.Arbitrary<Removals> = fc.record({
  calls: fc.array(fc.nat(3), { minLength: 4, maxLength: 10 }),
  hooks: fc.array(
    fc.record({
      ...change,
      point: fc.constantFrom(
        'before-step' as const,
        'after-inference' as const,
        'before-tool-use' as const,
        'after-tool-use' as const,
        'after-step' as const,
      ),
      every: fc.integer({ min: 1, max: 4 }),
    }),
    { maxLength: 2 },
  ),
  updates: fc.array(
    fc.record({
      ...change,
      at: fc.integer({ min: 3, max: 120 }),
      by: fc.constantFrom('update' as const, 'setMessages' as const),
    }),
    { maxLength: 3 },
  ),
  masks: fc.array(
    fc.record({
      field: fc.constantFrom('toolCall' as const, 'execution' as const),
      every: fc.integer({ min: 1, max: 4 }),
    }),
    { maxLength: 2 },
  ),
  turns: fc.array(fc.constantFrom('send' as const, 'send' as const, 'regenerate' as const, 'edit' as const), {
    maxLength: 3,
  }),
});

const secrets = /SECRET-\d+;/g;

/** The secrets of a conversation; every text has its own. */
class Secrets {
  readonly removed = new Set<string>();
  readonly masked = new Set<string>();
  count = 0;

  next(): string {
    return `SECRET-${++this.count};`;
  }

  /** Returns the list after a change, or the same list when nothing is left to remove. */
  without(messages: readonly Message[], { act, which }: Change): readonly Message[] {
    const open = messages.filter(({ parts }) => JSON.stringify(parts).match(secrets) !== null);
    const chosen = open[which % Math.max(1, open.length)];
    if (chosen === undefined) return messages;
    const parts = JSON.stringify(chosen.parts);
    for (const secret of parts.match(secrets) ?? []) this.removed.add(secret);
    if (act === 'remove') return messages.filter((message) => message !== chosen);
    this.masked.add(chosen.id);
    const masked = { ...chosen, parts: JSON.parse(parts.replace(secrets, 'masked')) as Message['parts'] };
    return messages.map((message) => (message === chosen ? masked : message));
  }

  /** The value with all of its secrets masked. */
  masks<Value>(value: Value): Value {
    const text = JSON.stringify(value);
    for (const secret of text.match(secrets) ?? []) this.removed.add(secret);
    return JSON.parse(text.replace(secrets, 'masked')) as Value;
  }

  change(state: State, change: Change): State {
    const messages = AgentState.messages(state);
    const next = this.without(messages, change);
    return next === messages ? state : AgentState.withMessages(state, next);
  }
}

/**
 * Plays a conversation and asserts that no removed text is in the session, its views, or the bytes of the
 * store.
 */
export async function checkRemovals(plan: Removals, under: StoreUnderTest): Promise<number> {
  const told = new Secrets();
  const updates: Promise<unknown>[] = [];
  let heard = 0;
  const session = sessionOf(plan, under, told, () => {
    heard++;
    for (const update of plan.updates.filter(({ at }) => at === heard))
      updates.push(updateSession(session, told, update));
  });
  await session.sendMessage(`Hello ${told.next()}`);
  for (const kind of plan.turns) await turn(session, told, kind);
  await Promise.all(updates);
  await session.flush();
  const { state } = session.store.getState();
  const messages = AgentState.messages(state);
  for (const { id, parts } of messages)
    if (told.masked.has(id)) expect(JSON.stringify(parts)).not.toMatch(secrets);
  await session.dispose();
  const places = { state, stored: await bytesOf(under) };
  for (const [place, held] of Object.entries(places)) {
    const text = JSON.stringify(held);
    const found = [...told.removed].filter((secret) => text.includes(secret));
    expect({ place, found }).toEqual({ place, found: [] });
  }
  return told.removed.size;
}

function sessionOf(
  plan: Removals,
  { store }: StoreUnderTest,
  told: Secrets,
  onEvent: () => void,
): AgentSession {
  const tool = defineTool({
    name: 'tool',
    description: '',
    input: z.object({ note: z.string() }),
    effects: 'idempotent',
    async execute({ note }, ctx) {
      ctx.report({ half: true });
      await Promise.resolve();
      if (note.endsWith('1;')) throw new Error(`failed ${told.next()}`);
      return told.next();
    },
  });
  const script = plan.calls.map((count) => () => ({
    text: `Said ${told.next()}`,
    chunks: 2,
    toolCalls: Array.from({ length: count }, () => ({ name: 'tool', input: { note: told.next() } })),
  }));
  const hooks = plan.hooks.map(({ point, every, ...change }, index) => {
    let calls = 0;
    return defineHook({
      name: `hook-${index}`,
      on: point,
      run: (state) => (++calls % every === 0 ? told.change(state, change) : undefined),
    });
  });
  const masks = plan.masks.map(({ field, every }, index) => {
    let calls = 0;
    return defineHook({
      name: `mask-${index}`,
      on: field === 'toolCall' ? 'before-tool-use' : 'after-tool-use',
      run(_state, { fields: { toolCall, execution }, replace }) {
        if (++calls % every !== 0) return;
        if (field === 'toolCall' && toolCall)
          replace('toolCall', { ...toolCall, input: told.masks(toolCall.input) });
        else if (field === 'execution' && execution?.result !== undefined)
          replace('execution', { ...execution, result: told.masks(execution.result) });
      },
    });
  });
  const agent = scriptedAgent([...script, () => ({ text: `Said ${told.next()}` })], {
    tools: [tool],
    hooks: [...hooks, ...masks],
    budget: { maxSteps: 4 },
  });
  return createAgentSession({ agent, sessions: store, sessionId: 'a', onEvent });
}

async function updateSession(
  session: AgentSession,
  told: Secrets,
  { by, ...change }: Removals['updates'][number],
): Promise<void> {
  if (by === 'update') return session.update((state) => told.change(state, change));
  return session.setMessages((messages) => told.without(messages, change));
}

async function turn(session: AgentSession, told: Secrets, kind: Removals['turns'][number]): Promise<void> {
  const said = AgentState.messages(session.store.getState().state).findLast(({ role }) => role === 'user');
  if (kind === 'send' || said === undefined) return void (await session.sendMessage(`More ${told.next()}`));
  if (kind === 'edit') return void (await session.edit(said.id, `Instead ${told.next()}`));
  await session.regenerate();
}

/** The whole content of a store: its raw texts, or its loaded records where it keeps none. */
async function bytesOf({ store, raw }: StoreUnderTest): Promise<unknown> {
  if (raw === undefined) return [await store.load('a'), await store.runs?.('a'), await store.list()];
  const texts: unknown[] = [];
  for (const key of await raw.keys()) texts.push(key, await raw.get(key));
  return texts;
}
