import fc from 'fast-check';
import { expect, it } from 'vitest';
import { messages, steps } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import {
  answerTo,
  type DebugPlan,
  debugPlan,
  editAt,
  editedText,
  type Line,
  lineOf,
  playDebugging,
  question,
  resultOf,
} from './debug-simulation.fixture.ts';

type Expected = {
  readonly lines: readonly Line[];
  /** The argument of each `pay` whose tool runs, by step and index. */
  readonly paid: ReadonlyMap<string, string>;
};

const endOf = (step: number) => ({ point: 'end', step, index: 0 }) as const;

/**
 * The conversation of a run in which every edit was there from the beginning, without breakpoints or a session.
 * `isInterrupted` tells of a call, by step and index, whether a kill left its outcome unknown.
 */
function expectedOf(plan: DebugPlan, isInterrupted: (step: number, index: number) => boolean): Expected {
  let [prompt, asked] = ['Be brief.', question];
  const rest: Line[] = [];
  const paid = new Map<string, string>();
  const all = (): Line[] => [{ role: 'user', parts: [asked] }, ...rest];
  const inContext = (place: Parameters<typeof editAt>[1]): void => {
    const edit = editAt(plan, place);
    if (edit === 'prompt') prompt = editedText(place);
    if (edit === 'message') asked = editedText(place);
  };
  for (let step = 1; ; step++) {
    inContext({ point: 'model', step, index: 0 });
    const { text = '', toolCalls = [] } = answerTo(plan, prompt, all());
    const calls = toolCalls.map(({ name, input }, index) => {
      const place = { point: 'tool', step, index } as const;
      inContext(place);
      const edit = editAt(plan, place);
      const at = edit === 'input' ? editedText(place) : String((input as { at: string }).at);
      if (edit === 'result') return { name, at, result: editedText(place) };
      if (name === 'pay') paid.set(`${step}.${index}`, at);
      if (isInterrupted(step, index)) return { name, at, result: 'interrupted' };
      return { name, at, result: resultOf(name, at) };
    });
    rest.push({ role: 'assistant', parts: [text, ...calls.map(({ name, at }) => [name, { at }])] });
    if (calls.length === 0) return { lines: all(), paid };
    const end = endOf(step);
    inContext(end);
    const replaced = editAt(plan, end) === 'replaced' ? calls.findIndex(({ name }) => name === 'pay') : -1;
    calls.forEach(({ result }, index) =>
      rest.push({ role: 'tool', parts: [index === replaced ? editedText(end) : result] }),
    );
  }
}

/** The calls whose outcome a kill left unknown. */
function interruptedIn(state: AgentState): (step: number, index: number) => boolean {
  return (step, index) => steps(state)[step - 1]?.toolExecutions[index]?.error?.code === 'tool-interrupted';
}

const numRuns = Number(process.env['PROVE_RUNS'] ?? 30);

it(
  'a run that is paused, edited, reloaded, killed and released from two tabs ends as the edited one would',
  { timeout: 3_000_000 },
  async () => {
    const all = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(debugPlan, async (plan) => {
        const { states, stored, effects, released } = await playDebugging(plan);
        for (const [kind, count] of released) all.set(kind, (all.get(kind) ?? 0) + count);
        expect(stored).toEqual(states[0]);
        expect(states[1]).toEqual(states[0]);
        const isInterrupted = interruptedIn(stored);
        const { lines, paid } = expectedOf(plan, isInterrupted);
        expect(messages(stored).map(lineOf)).toEqual(lines);
        for (const [at, { toolExecutions }] of steps(stored).entries())
          for (const [index, call] of toolExecutions.entries()) {
            const inputs = effects.get(call.id) ?? [];
            const input = paid.get(`${at + 1}.${index}`);
            // An edited result hides that a kill came before the effect.
            const mayBeMissing = isInterrupted(at + 1, index) || call.result === editedText(endOf(at + 1));
            if (inputs.length > 0 || !mayBeMissing)
              expect(inputs).toEqual(input === undefined ? [] : [input]);
          }
      }),
      { numRuns, endOnFailure: true },
    );
    for (const kind of ['nothing', 'prompt', 'message', 'input', 'result', 'replaced'])
      expect(all.get(kind) ?? 0, `releases with the edit ${kind}`).toBeGreaterThan(0);
  },
);
