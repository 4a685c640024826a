import type { AgentDefinition } from '../agent/agent-definition.ts';
import * as AgentState from './agent-state.ts';
import type { Env } from '../graph/env.ts';
import { user } from '../graph/message.ts';
import type { AgentState as State } from '../graph/types.ts';
import { answerCall, needsRun } from './answer-call.ts';
import type { EffectLog } from './effect-log.ts';
import type { AgentEvent } from './events.ts';
import { createJournal, type Journal } from './journal.ts';
import { ticks } from './random-agent.fixture.ts';
import type { Plan } from './random-plan.fixture.ts';
import { runOnJournal } from './drive.ts';

/** An event with the state after it. */
export type Told = { readonly event: AgentEvent; readonly state: State };
/** The record of a run. */
export type Ran = {
  readonly base: State;
  readonly told: Told[];
  readonly journal: Journal;
  readonly meddled: number;
};

/** Runs an agent to its end while hooks, tools, a person and the application all act at the same time. */
export async function runAll(
  planned: Plan,
  agent: AgentDefinition,
  env: Env,
  base: State,
  log: EffectLog | null = null,
): Promise<Ran> {
  const journal = createJournal(base, { env });
  const told: Told[] = [];
  const controller = new AbortController();
  const { lease } = journal.lease();
  const people: Promise<void>[] = [];
  let asks = 0;
  let meddled = 0;
  let steered = planned.steerAt !== null;

  async function answer(toolCallId: string, isOutput: boolean): Promise<void> {
    const { approve, delay, twice, edit, remember } = planned.answers[asks++ % planned.answers.length]!;
    await ticks(delay);
    for (let time = 0; time < (twice ? 2 : 1); time++) {
      try {
        const said = isOutput
          ? ({ type: 'respond', output: approve ? 'given' : 7 } as const)
          : approve
            ? ({
                type: 'approve',
                ...(edit ? { input: { edited: true } } : {}),
                ...(remember ? { remember: 'execution' as const } : {}),
              } as const)
            : ({ type: 'reject', reason: 'no' } as const);
        for (const { path, body } of answerCall(journal.state(), toolCallId, said))
          journal.commit(path, body);
      } catch {
        // The call was answered before, or the run was stopped.
      }
    }
  }

  journal.subscribe((event, state) => {
    told.push({ event, state });
    if (event.type === 'approval-request' || event.type === 'output-request')
      people.push(answer(event.toolCallId, event.type === 'output-request'));
    if (told.length % planned.meddleEvery === 0 && meddled < 10 && event.type !== 'metadata-change')
      people.push(
        ticks(2).then(
          () =>
            void journal.commit([], {
              type: 'metadata-change',
              source: 'app',
              set: { [`app:${meddled++}`]: true },
              removed: [],
            }),
        ),
      );
    if (told.length === planned.abortAt) controller.abort('enough');
  });
  const run = (): Promise<unknown> =>
    runOnJournal({
      agent,
      lease,
      env,
      effects: log,
      signal: controller.signal,
      takeSteered() {
        if (!steered || told.length < (planned.steerAt ?? 0)) return [];
        steered = false;
        return [user('steered', {}, env)];
      },
    });
  while ((await run()) === 'paused') {
    while (!needsRun(journal.state())) {
      const waiting = AgentState.pendingApprovals(journal.state());
      if (waiting.length === 0) throw new Error('paused for nobody');
      if (people.length > 0) await people.shift();
      else for (const { id, status } of waiting) await answer(id, status === 'awaiting-output');
    }
  }
  while (people.length > 0) await people.shift();
  return { base, told, journal, meddled };
}
