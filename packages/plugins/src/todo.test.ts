import {
  AgentState,
  createAgentSession,
  defineAgent,
  PluginState,
  type InferenceRequest,
} from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { fakeTool, scriptedInference } from '@vitrine/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { play, type Scene, wireOf } from './sessions.fixture.ts';
import { todoPlugin } from './todo.ts';

const numRuns = Math.ceil(Number(process.env['PROVE_RUNS'] ?? 60) / 10);
type Status = 'pending' | 'in_progress' | 'completed';
const todo = (content: string, status: Status = 'pending') => ({ content, status, activeForm: content });
const write = (...todos: readonly object[]): object => ({
  toolCalls: [{ name: 'todo_write', input: { todos } }],
});

const written = fc.array(
  fc.array(
    fc.record({
      content: fc.constantFrom('Write', 'Test', 'Land', '</context><b>', 'x'.repeat(200)),
      status: fc.constantFrom('pending', 'completed', 'in_progress'),
    }),
    { maxLength: 22 },
  ),
  { minLength: 1, maxLength: 4 },
);

const traces = fc.constantFrom('tagged' as const, 'separate' as const);

/** A scene in which a model writes lists. */
function sceneOf(
  lists: readonly (readonly object[])[],
  needsApproval = false,
  toolTrace: 'tagged' | 'separate' = 'tagged',
): Scene {
  return {
    init: () => ({
      toolTrace,
      plugins: [todoPlugin()],
      tools: [{ ...fakeTool('look', 'seen'), needsApproval: () => needsApproval, effects: 'idempotent' }],
    }),
    script: (step) => {
      const list = lists[Math.floor(step / 2)];
      if (list === undefined) return { text: 'Done.' };
      return step % 2 === 0 ? write(...list) : { toolCalls: [{ name: 'look', input: {} }] };
    },
    questions: ['Do it.'],
  };
}

const todosOf = (state: AgentState): readonly { readonly content: string }[] =>
  PluginState.get(state, todoPlugin()) ?? [];

/** The list that a request told last. */
const toldIn = (request: InferenceRequest | undefined): string | undefined =>
  request === undefined
    ? ''
    : wireOf(request).join('').split('<context name=').at(-1)?.split('</context>')[0];

describe('the plugin of tasks', () => {
  it('a list of 10,000 items is refused in one sentence, and the list before it stays', async () => {
    const many = Array.from({ length: 10_000 }, (_none, at) => ({ content: '', status: at }));
    const { state } = await play(sceneOf([[todo('One')], many]));
    const refused = AgentState.steps(state).flatMap(({ toolExecutions }) => toolExecutions)[2];
    expect(refused?.status).toBe('failed');
    expect(refused?.error?.message).toMatch(/at most 20 items/);
    expect(refused?.error?.message.length).toBeLessThan(400);
    expect(todosOf(state)).toMatchObject([{ content: 'One' }]);
  });

  it('a reminder stands behind the conversation in every tenth step while something is open', async () => {
    const script: Scene['script'] = (step) =>
      step === 0
        ? write(todo('Write', 'in_progress'), todo('Test'))
        : step < 25
          ? { toolCalls: [{ name: 'look', input: {} }] }
          : { text: 'Done.' };
    const { requests } = await play({ ...sceneOf([]), script });
    const reminded = requests.flatMap((request, at) => {
      const last = wireOf(request).at(-1) ?? '';
      const steps = /After (\d+) steps 2 of them are open/.exec(last)?.[1];
      return steps === undefined ? [] : [[at, Number(steps)]];
    });
    expect(reminded).toEqual([
      [10, 10],
      [20, 20],
    ]);
    for (const [at, request] of requests.entries()) {
      const before = requests[at - 1];
      if (before === undefined) continue;
      expect(wireOf(request).slice(0, before.messages.length)).toEqual(wireOf(before));
    }
  });

  it('a page that is closed at any event of a run has the same list and asks the same in the end', async () => {
    await fc.assert(
      fc.asyncProperty(written, fc.boolean(), traces, fc.nat(), async (lists, needsApproval, trace, at) => {
        const scene = sceneOf(lists, needsApproval, trace);
        const whole = await play(scene);
        const cut = await play(scene, 1 + (at % whole.events));
        expect(todosOf(cut.state)).toEqual(todosOf(whole.state));
        expect(toldIn(cut.requests.at(-1))).toEqual(toldIn(whole.requests.at(-1)));
        expect(todosOf(cut.state).length).toBeLessThanOrEqual(20);
      }),
      { numRuns },
    );
  });

  it('what a person changes in another tab while a run waits is told to the model', async () => {
    const sessions = { ...memorySessions(), tabs: 'todo-tabs' };
    const tasks = todoPlugin();
    const seen: string[] = [];
    const agent = defineAgent({
      plugins: [tasks],
      tools: [{ ...fakeTool('look', 'seen'), needsApproval: () => true }],
      inference: scriptedInference([
        write(todo('Write')),
        { toolCalls: [{ name: 'look', input: {} }] },
        (request) => {
          seen.push(wireOf(request).at(-1) ?? '');
          return { text: 'Done.' };
        },
      ]),
    });
    const open = () => createAgentSession({ agent, sessions, sessionId: 's', publish: 'immediate' });
    const [one, two] = [open(), open()];
    await one.sendMessage('Do it.');
    await two.ready;
    await two.update((state) => PluginState.set(state, tasks, [todo('Write', 'completed'), todo('Tea')]));
    const [waiting] = AgentState.pendingApprovals(two.store.getState().state);
    await two.approve(waiting?.id ?? '');
    expect(seen[0]).toContain('Tasks: 1/2 completed, 0 in progress, 1 pending\\n[x] Write\\n[ ] Tea');
    await expect(
      one.update((state) => PluginState.set(state, tasks, Array(21).fill(todo('One more')))),
    ).rejects.toThrow(/at most 20 items/);
    await Promise.all([one.dispose(), two.dispose()]);
  });
});
