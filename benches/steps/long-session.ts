import { setImmediate } from 'node:timers/promises';
import { createAgentSession, defineAgent, defineTool } from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import * as z from 'zod';
import type { Figure } from '../goals.ts';
import { answersWith } from '../heap/scripted.ts';
import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';

const most = 50_000;
/** Short warm-up sessions: code that is still being compiled would make the first steps slow. */
const warmUps = 3;
/** Reading the clock of the process takes as long as a step. */
const stepsOfLook = 20;

type Case = { readonly name: string; readonly stepsOfTurn: number | null; readonly events: number };
type Run = { readonly events: number; readonly steps: number; readonly first: number; readonly last: number };

/**
 * Measures sessions of up to 50,000 events with a store, without a page: the last steps should cost as much as the
 * first.
 */
export async function longSession(rounds: number): Promise<Measured> {
  for (let time = 0; time < warmUps; time++) await run(20, most / 20);
  const cases = [most / 10, most].flatMap((events): Case[] => [
    { name: 'turns of 20 steps', stepsOfTurn: 20, events },
    { name: 'one turn', stepsOfTurn: null, events },
  ]);
  const results = await interleave(cases, rounds, ({ stepsOfTurn, events }) => run(stepsOfTurn, events));
  const rows: string[][] = [];
  const figures: Figure[] = [];
  for (const [{ name, events }, runs] of results) {
    const figure = (read: (of: Run) => number): number => median(runs.map(read));
    const growth = figure(({ first, last }) => last / first);
    rows.push([
      name,
      `${figure((of) => of.events)}`,
      `${figure((of) => of.steps)}`,
      figure(({ first }) => first).toFixed(3),
      figure(({ last }) => last).toFixed(3),
      growth.toFixed(2),
    ]);
    figures.push({ goal: 'longSession', of: `${name}, ${events} events`, value: growth });
  }
  const title = `Tool steps of a session with a store, CPU in Node, first and last tenth, median of ${rounds} runs`;
  const head = ['turns', 'events', 'steps', 'ms a step, first', 'last', 'last / first'];
  return { tables: [{ title, head, rows }], figures };
}

/** Runs until there are so many events. */
async function run(stepsOfTurn: number | null, events: number): Promise<Run> {
  const perStep: number[] = [];
  let before = 0;
  let steps = 0;
  let controller: (() => void) | null = null;
  const session = createAgentSession({
    sessions: memorySessions(),
    sessionId: 'bench',
    agent: defineAgent({
      name: 'bench',
      systemPrompt: '',
      inference: answersWith(Infinity),
      budget: { maxSteps: stepsOfTurn },
      tools: [
        defineTool({
          name: 'echo',
          description: 'Gives back what it is given',
          input: z.object({ n: z.number() }),
          async execute() {
            // Models and tools take time, in which views and stores do their work.
            await setImmediate();
            if (steps++ % stepsOfLook === 0) {
              const now = cpuMs();
              if (before > 0) perStep.push((now - before) / stepsOfLook);
              before = now;
            }
            if (seq() >= events) controller?.();
            return 'a result of some length, as tools give them';
          },
        }),
      ],
    }),
  });
  const seq = (): number => session.store.getState().state.seq;
  controller = () => void session.stop();
  await session.ready;
  while (seq() < events) await session.sendMessage('Go on');
  await session.dispose();
  const ends = Math.ceil(perStep.length / 10);
  return {
    events: seq(),
    steps,
    first: mean(perStep.slice(0, ends)),
    last: mean(perStep.slice(-ends)),
  };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
