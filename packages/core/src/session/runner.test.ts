import { expect, it } from 'vitest';
import { create } from '../graph/agent-state/create.ts';
import { systemEnv } from '../graph/env.ts';
import { createJournal, type JournalLease } from '../run/journal.ts';
import type { runOnJournal } from '../agent-loop/run-on-journal.ts';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { createRunner } from './running/runner.ts';
import type { SessionInput } from './machine/session-input.ts';
import { newTurn } from './machine/transition.ts';
import { emptyModel, type SessionModel } from './machine/session-model.ts';

it('a run takes in steered messages unless it is being stopped', () => {
  const asked: (readonly string[])[] = [];
  const message = { id: 'm', text: 'and this', isSteered: true };
  const queue: SessionModel['queue'] = [
    { turn: newTurn('m', 'send'), message, lane: 'steered', conflicts: 0 },
    { turn: newTurn('q', 'send'), message: { ...message, id: 'q' }, lane: 'queued', conflicts: 0 },
  ];
  const run = { id: 'one', turn: newTurn('t', 'send'), isStopping: false } as NonNullable<
    SessionModel['run']
  >;
  for (const isStopping of [false, true]) {
    const session = {
      env: systemEnv,
      effects: null,
      owner: null,
      runs: {},
      sessions: undefined,
      id: () => null,
      life: new AbortController(),
      settings: () => ({ agent: scriptedAgent([]) }),
      journal: { current: () => createJournal(create()) },
      persistence: { whenStored: null, untilWritten: () => null },
      model: { ...emptyModel, queue, run: { ...run, isStopping } },
      post: () => undefined,
    };
    const runner = createRunner(session, session, ({ takeSteered }) => {
      asked.push((takeSteered?.() ?? []).map(({ id }) => id));
      return new Promise(() => undefined);
    });
    runner.run('one', {}, null);
  }
  expect(asked).toEqual([['m'], []]);
});

it('a run that has ended or was abandoned commits nothing any more', async () => {
  const journal = createJournal(create());
  const leases: JournalLease[] = [];
  const posted: SessionInput[] = [];
  // Neither run gives up its lease: the first one ends, the second never does.
  const neverEnding: typeof runOnJournal = ({ lease }) => {
    leases.push(lease);
    return leases.length === 1 ? Promise.resolve('ended') : new Promise(() => undefined);
  };
  const agent = scriptedAgent([]);
  const session = {
    env: systemEnv,
    effects: null,
    owner: null,
    runs: {},
    sessions: undefined,
    id: () => null,
    life: new AbortController(),
    settings: () => ({ agent }),
    journal: { current: () => journal },
    persistence: { whenStored: null, untilWritten: () => null },
    model: emptyModel,
    post: (input: SessionInput) => posted.push(input),
  };
  const runner = createRunner(session, session, neverEnding);
  const note = { type: 'metadata-change', source: 'late', set: { late: true }, removed: [] } as const;
  runner.run('one', {}, null);
  await Promise.resolve();
  expect(posted).toEqual([{ type: 'run-over', runId: 'one', outcome: 'ended' }]);
  expect(leases[0]?.commit([], note)).toBeNull();
  runner.run('two', {}, null);
  expect(leases[1]?.commit([], { ...note, set: { inTime: true } })).not.toBeNull();
  runner.abandon('two', 'The session was reset');
  expect(leases[1]?.commit([], note)).toBeNull();
  expect(journal.state().context.metadata).toEqual({ inTime: true });
});
