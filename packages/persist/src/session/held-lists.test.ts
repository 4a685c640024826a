import { expect, it, onTestFinished } from 'vitest';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';

const steps = 400;
/** Lists of this many items follow the conversation; shorter ones belong to a step. */
const long = 400;

type Entries = Map<object, unknown>;

/** Records the entries of all weak maps until the test ends. @returns the number of long lists in their values. */
function watchWeakMaps(): () => number {
  const maps = new Map<WeakMap<object, unknown>, Entries>();
  const { set, delete: remove } = WeakMap.prototype as WeakMap<object, unknown>;
  const watching: Pick<WeakMap<object, unknown>, 'set' | 'delete'> = {
    set(this: WeakMap<object, unknown>, key, value) {
      const entries: Entries = maps.get(this) ?? new Map<object, unknown>();
      maps.set(this, entries.set(key, value));
      return set.call(this, key, value);
    },
    delete(this: WeakMap<object, unknown>, key) {
      maps.get(this)?.delete(key);
      return remove.call(this, key);
    },
  };
  Object.assign(WeakMap.prototype, watching);
  onTestFinished(() => void Object.assign(WeakMap.prototype, { set, delete: remove }));
  return () => {
    const lists = new Set<unknown>();
    for (const entries of maps.values()) for (const value of entries.values()) gather(value, 2, lists);
    return lists.size;
  };
}

/** Adds the long lists in a value and in the fields below it. */
function gather(value: unknown, depth: number, lists: Set<unknown>): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value) && value.length >= long) lists.add(value);
  else if (depth > 0) for (const field of Object.values(value)) gather(field, depth - 1, lists);
}

// Collectors keep the value of a weak map through a collection of new objects, although nobody asks for it any more.
it.each([
  ['one turn', steps],
  ['turns of 20 steps', 20],
])('weak maps do not hold a list of the conversation for each step of %s', async (_name, stepsOfTurn) => {
  const tools = [fakeTool('tool', 'done')];
  const agent = scriptedAgent([{ text: 'so', toolCalls: [{ name: 'tool', input: {} }] }], {
    tools,
    systemPrompt: 'Be brief',
    budget: { maxSteps: stepsOfTurn },
  });
  const longLists = watchWeakMaps();
  const session = createAgentSession({ sessions: memorySessions(), sessionId: 'a', agent });
  await session.ready;
  for (let turn = 0; turn < steps / stepsOfTurn; turn++) await session.sendMessage('Go on');
  const { state } = session.store.getState();
  expect(state.context.store.sections[0]?.messages.length).toBeGreaterThanOrEqual(steps * 2);
  expect(longLists()).toBeLessThanOrEqual(40);
  await session.dispose();
});
