import type { AgentDefinition } from '../agent/agent-definition.ts';
import * as AgentState from './agent-state.ts';
import type { AgentBreak } from '../graph/agent-state/accessors.ts';
import type { Env } from '../graph/env.ts';
import { user } from '../graph/message.ts';
import type { AgentState as State, BreakEdit } from '../graph/types.ts';
import { type AddressedEvent, answerCall, needsRun } from './answer-call.ts';
import type { EffectLog } from './effect-log.ts';
import type { AgentEvent } from './events.ts';
import { createJournal, type Journal } from './journal.ts';
import { ticks } from './random-agent.fixture.ts';
import type { Plan } from './random-plan.fixture.ts';
import { runOnJournal } from '../agent-loop/run-on-journal.ts';
import { breakAt, placeOfBreak, releaseBreak } from './release-break.ts';
import { stateAtPath } from './state-at.ts';

/** An event with the state after it. */
export type JournalEntry = { readonly event: AgentEvent; readonly state: State };
/** The record of a run. */
export type RandomRun = {
  readonly base: State;
  readonly entries: JournalEntry[];
  readonly journal: Journal;
  readonly metadataChanges: number;
};

type PlannedBreak = NonNullable<Plan['breaks']>[number];

/** The events of a release; without the edit where that does not fit the place. */
function releaseEvents(state: State, hit: AgentBreak, edit: PlannedBreak['edit']): AddressedEvent[] {
  const agent = stateAtPath(state, hit.path) ?? state;
  const id = AgentState.messages(agent).findLast(({ role }) => role !== 'tool')?.id ?? '';
  const given: { readonly [Edit in PlannedBreak['edit']]: BreakEdit } = {
    input: { input: { edited: true } },
    result: { result: 'given by a person' },
    systemPrompt: { systemPrompt: 'Be long.' },
    message: { message: { id, text: 'edited' } },
    step: {},
    nothing: {},
  };
  try {
    return releaseBreak(state, hit, given[edit]);
  } catch {
    return releaseBreak(state, hit);
  }
}

/** Runs an agent to its end while hooks, tools, a person and the application all act at the same time. */
export async function runAll(
  planned: Plan,
  agent: AgentDefinition,
  env: Env,
  base: State,
  log: EffectLog | null = null,
): Promise<RandomRun> {
  const journal = createJournal(base, { env });
  const entries: JournalEntry[] = [];
  const controller = new AbortController();
  const { lease } = journal.lease();
  /** The acts of people and of the application that are under way. */
  const actions: Promise<void>[] = [];
  let answers = 0;
  let metadataChanges = 0;
  let isSteered = planned.steerAt === null;

  async function answer(toolCallId: string, isOutput: boolean): Promise<void> {
    const { approve, delay, twice, edit, remember } = planned.answers[answers++ % planned.answers.length]!;
    await ticks(delay);
    for (let time = 0; time < (twice ? 2 : 1); time++) {
      try {
        const decision = isOutput
          ? ({ type: 'respond', output: approve ? 'given' : 7 } as const)
          : approve
            ? ({
                type: 'approve',
                ...(edit ? { input: { edited: true } } : {}),
                ...(remember ? { remember: 'execution' as const } : {}),
              } as const)
            : ({ type: 'reject', reason: 'no' } as const);
        for (const { path, body } of answerCall(journal.state(), toolCallId, decision))
          journal.commit(path, body);
      } catch {
        // The call was answered before, or the run was stopped.
      }
    }
  }

  const { breaks = [] } = planned;
  let hits = 0;

  function setBreak(index: number): void {
    const { on, isOnce } = breaks[index]!;
    if (AgentState.status(journal.state()) !== 'in-progress') return;
    journal.commit([], { type: 'break-set', breakpointId: `break-${index}`, on, isOnce });
  }

  async function release(hit: AgentBreak, edit: PlannedBreak['edit'] = 'nothing'): Promise<void> {
    const number = hits++;
    await ticks(breaks[number % breaks.length]?.delay ?? 0);
    const standing = breakAt(journal.state(), placeOfBreak(hit));
    if (standing === undefined) return;
    if (edit === 'step')
      journal.commit([], {
        type: 'break-set',
        breakpointId: `step-${number}`,
        on: { type: 'next' },
        isOnce: true,
      });
    for (const { path, body } of releaseEvents(journal.state(), standing, edit)) journal.commit(path, body);
  }

  journal.subscribe((event, state) => {
    entries.push({ event, state });
    breaks.forEach(({ at }, index) => {
      if (at === entries.length) actions.push(ticks(1).then(() => setBreak(index)));
    });
    if (event.type === 'break-hit' && hits < 30) {
      const { path, breakpointId, place: at } = event;
      const edit = breaks.find((_entry, index) => `break-${index}` === breakpointId)?.edit;
      actions.push(release({ path, breakpointId, at }, edit));
    }
    if (event.type === 'approval-request' || event.type === 'output-request')
      actions.push(answer(event.toolCallId, event.type === 'output-request'));
    if (
      entries.length % planned.meddleEvery === 0 &&
      metadataChanges < 10 &&
      event.type !== 'metadata-change'
    )
      actions.push(
        ticks(2).then(
          () =>
            void journal.commit([], {
              type: 'metadata-change',
              source: 'app',
              set: { [`app:${metadataChanges++}`]: true },
              removed: [],
            }),
        ),
      );
    if (entries.length === planned.abortAt) controller.abort('enough');
  });
  const run = (): Promise<unknown> =>
    runOnJournal({
      agent,
      lease,
      env,
      effects: log,
      signal: controller.signal,
      takeSteered() {
        if (isSteered || entries.length < (planned.steerAt ?? 0)) return [];
        isSteered = true;
        return [user('steered', {}, env)];
      },
    });
  while ((await run()) === 'paused') {
    while (!needsRun(journal.state())) {
      const waiting = AgentState.pendingApprovals(journal.state());
      const [hit] = AgentState.breakHits(journal.state());
      if (actions.length === 0 && hit !== undefined) {
        await release(hit);
        continue;
      }
      if (waiting.length === 0 && hit === undefined) throw new Error('paused for nobody');
      if (actions.length > 0) await actions.shift();
      else for (const { id, status } of waiting) await answer(id, status === 'awaiting-output');
    }
  }
  while (actions.length > 0) await actions.shift();
  return { base, entries, journal, metadataChanges };
}
