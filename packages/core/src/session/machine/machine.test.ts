import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pendingApprovals } from '../../graph/agent-state/accessors.ts';
import { withMessages } from '../../graph/agent-state/context-transitions.ts';
import { create } from '../../graph/agent-state/create.ts';
import * as Message from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';
import { withApproval } from '../../run/answers.ts';
import { createAgentLoop } from '../../run/create-agent-loop.ts';
import { fixedEnv } from '../../testing/fixed-env.ts';
import { asked, scriptedAgent } from '../../testing/fixtures.ts';
import { askingTool } from '../../testing/session.fixture.ts';
import { advance, reduce } from './machine.ts';
import type { SessionEffect } from './session-effect.ts';
import type { SessionInput } from './session-input.ts';
import { emptyModel, type SessionModel } from './session-model.ts';
import type { SessionRecord } from '../stores/session-store.ts';

const env = fixedEnv();
const blank = create({}, env);
const opened: SessionInput = { type: 'opened', record: null, error: null, resume: false, commandId: null };
const send = (id: string, text = id): SessionInput => ({
  type: 'send',
  id,
  message: { text },
  options: {},
  onBusy: 'queue',
});

/** Feeds inputs to the machine over one state, as the session does. */
function feed(inputs: readonly SessionInput[], from: SessionModel = emptyModel, state: AgentState = blank) {
  const effects: SessionEffect[] = [];
  let model = from;
  for (const input of inputs) {
    for (const step of [() => reduce(model, input, state), () => advance(model, state)]) {
      const next = step();
      model = next.model;
      effects.push(...next.effects);
    }
  }
  return { model, effects, types: effects.map(({ type }) => type) };
}
const runIdOf = ({ run }: SessionModel): string => run?.id ?? 'none';

describe('the machine of a session', () => {
  it('stores what a turn stands on before it runs it, and begins the next when that is over', () => {
    const begun = feed([opened, send('one'), send('two')]);
    expect(begun.types.filter((type) => type !== 'save-soon')).toEqual(['add-message', 'store']);
    const runId = runIdOf(begun.model);
    const running = feed([{ type: 'stored', runId, isConflict: false }], begun.model);
    expect(running.effects).toEqual([{ type: 'run', runId, options: {}, stop: null }]);
    const ended = feed([{ type: 'run-over', runId, outcome: 'ended' }], running.model);
    expect(ended.types).toEqual(['finish', 'reply', 'add-message', 'store']);
    expect(ended.model.run?.turn).toMatchObject({ id: 'two', status: 'running' });
  });

  it('believes no late word of a run that is not the present one', () => {
    const { model } = feed([opened, send('one'), send('two')]);
    const late: SessionInput[] = [
      { type: 'run-over', runId: 'other', outcome: 'ended' },
      { type: 'stored', runId: 'other', isConflict: true },
      { type: 'read-again', runId: 'other', record: null, error: null, unsaved: [] },
      { type: 'read-again', runId: runIdOf(model), record: null, error: null, unsaved: [] },
      { type: 'steered', runId: 'other', ids: ['two'] },
    ];
    expect(feed(late, model)).toMatchObject({ model, effects: [] });
  });

  it('runs on when the answer came in the moment in which the run decided to wait, else tells that it waits', async () => {
    const { tool } = askingTool('pay');
    const agent = scriptedAgent([{ toolCalls: [{ name: 'pay', input: 1 }] }], { tools: [tool] });
    const waiting = await createAgentLoop(agent).execute(asked());
    const answered = withApproval(waiting, pendingApprovals(waiting)[0]?.id ?? '');
    const begun = feed([opened, send('one')]).model;
    const runId = runIdOf(begun);
    const { model } = feed([{ type: 'stored', runId, isConflict: false }], begun);
    const paused: SessionInput = { type: 'run-over', runId, outcome: 'paused' };
    expect(feed([paused], model, answered)).toMatchObject({
      effects: [{ type: 'run', runId, stop: null }],
      model: { run: { id: runId }, paused: null },
    });
    expect(feed([paused], model, waiting)).toMatchObject({
      effects: [{ type: 'reply', commandId: 'one', turn: { status: 'awaiting-input' } }],
      model: { run: null, paused: { turn: { id: 'one' } } },
    });
  });

  it('leaves the run of before a reset no way to write, tells of its end, and begins on a blank state', () => {
    const begun = feed([opened, send('one')]).model;
    const runId = runIdOf(begun);
    const { model } = feed([{ type: 'stored', runId, isConflict: false }], begun);
    const { effects, model: blankModel } = feed([{ type: 'reset', id: 'reset' }], model);
    expect(effects).toMatchObject([
      { type: 'abandon', runId },
      { type: 'finish', turn: { id: 'one', outcome: 'stopped' } },
      { type: 'reply', commandId: 'one', turn: { outcome: 'stopped' } },
      { type: 'new-journal', base: null },
      { type: 'save-soon' },
      { type: 'reply', commandId: 'reset', turn: null },
    ]);
    expect(blankModel.run).toBeNull();
  });

  it('saves what a person has typed when it differs from what is there', () => {
    const typed = (draft: string): SessionInput => ({ type: 'set-draft', id: 'd', draft });
    expect(feed([opened, typed('a'), typed('a'), typed('b')]).types).toEqual(['save-soon', 'save-soon']);
  });

  it('takes up what was stored of a queue, each in its lane, without what has been answered since', () => {
    const said = ['answered', 'said'].map((id) => Message.user(id, { id }, env));
    const state = withMessages(blank, said);
    const ids = ['answered', 'said', 'steered', 'queued'];
    const queue = ids.map((id) => ({ id, text: id, isSteered: id === 'steered' }));
    const record = { state, queue, draft: '' } as unknown as SessionRecord;
    const { model } = feed([{ ...opened, record } as SessionInput], emptyModel, state);
    expect(model.queue.map(({ turn, lane }) => [turn.id, lane])).toEqual([
      ['said', 'queued'],
      ['steered', 'steered'],
      ['queued', 'queued'],
    ]);
  });

  it('takes up what is stored after a conflict, and gives up when others never stop writing', () => {
    const mine = Message.user('one', { id: 'one' }, env);
    const other = Message.user('unsaved before', {}, env);
    const state = withMessages(blank, [Message.user('theirs', {}, env)]);
    const record = { state, queue: [], draft: '', branches: [], checkpoints: [] };
    let { model } = feed([opened, send('one')]);
    for (let attempt = 0; attempt < 5; attempt++) {
      const runId = runIdOf(model);
      const read = feed(
        [
          { type: 'stored', runId, isConflict: true },
          {
            type: 'read-again',
            runId,
            record: record as unknown as SessionRecord,
            error: null,
            unsaved: [other, mine],
          },
        ],
        model,
      );
      expect(read.effects).toContainEqual({ type: 'new-journal', base: record.state, behind: [other] });
      expect(read.types.at(-1)).toBe('store');
      expect(runIdOf(read.model)).not.toBe(runId);
      ({ model } = read);
    }
    const runId = runIdOf(model);
    const given = feed(
      [
        { type: 'stored', runId, isConflict: true },
        { type: 'read-again', runId, record: record as unknown as SessionRecord, error: null, unsaved: [] },
      ],
      model,
    );
    expect(given.effects).toContainEqual(
      expect.objectContaining({ type: 'reply', turn: expect.objectContaining({ status: 'refused' }) }),
    );
    expect(given.model).toMatchObject({ run: null, isHeld: true, error: { code: 'session-conflict' } });
  });

  it('puts a later interrupting message in the place of one that has just begun', () => {
    const urgent = (id: string): SessionInput =>
      ({ ...(send(id) as object), onBusy: 'interrupt' }) as SessionInput;
    const first = feed([opened, send('one')]);
    const runId = runIdOf(first.model);
    const running = feed(
      [{ type: 'stored', runId, isConflict: false }, urgent('two'), urgent('three')],
      first.model,
    );
    expect(running.effects.filter(({ type }) => type === 'abort')).toHaveLength(1);
    const ended = feed([{ type: 'run-over', runId, outcome: 'ended' }], running.model);
    // The message stays in the history, the model is not called for it.
    expect(ended.effects.slice(-2)).toMatchObject([
      { type: 'add-message' },
      { type: 'run', stop: 'Interrupted by a new message' },
    ]);
  });

  it('is pure: it changes nothing that it was given, gives the same for the same, and never wants two runs at once', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd');
    const runId = fc.constantFrom('present', 'other');
    const input = fc.oneof(
      fc.record({
        type: fc.constant('send'),
        id,
        message: fc.record({ text: fc.constantFrom('', 'x') }),
        options: fc.constant({}),
        onBusy: fc.constantFrom('queue', 'interrupt', 'reject', 'steer'),
      }),
      fc.record({
        type: fc.constantFrom('stop', 'retry', 'reset', 'clear-error', 'dispose', 'deleted'),
        id,
        message: fc.constant(''),
      }),
      fc.record({ type: fc.constant('resume'), id, isAutomatic: fc.boolean() }),
      fc.record({ type: fc.constant('cancel-queued'), id, queuedId: id }),
      fc.record({ type: fc.constant('answer'), id, decisions: fc.constant({ x: { approved: true } }) }),
      fc.record({ type: fc.constant('stored'), runId, isConflict: fc.boolean() }),
      fc.record({ type: fc.constant('run-over'), runId, outcome: fc.constantFrom('ended', 'paused') }),
    ) as fc.Arbitrary<SessionInput>;
    fc.assert(
      fc.property(fc.array(input, { maxLength: 25 }), fc.boolean(), (inputs, hasStore) => {
        const state = withMessages(blank, [Message.user('before', {}, env)]);
        let model = frozen(feed([opened], { ...emptyModel, hasStore }, state).model);
        let running = 0;
        for (const given of inputs) {
          const next = frozen(
            'runId' in given && given.runId === 'present' ? { ...given, runId: runIdOf(model) } : given,
          );
          const result = feed([next], model, state);
          expect(feed([next], model, state)).toEqual(result);
          if (next.type === 'run-over' && next.runId === runIdOf(model) && model.run?.phase === 'running')
            running--;
          for (const effect of result.effects) {
            if (effect.type === 'run') running++;
            if (effect.type === 'abandon' && model.run?.phase === 'running') running--;
          }
          model = frozen(result.model);
          expect(running).toBe(model.run?.phase === 'running' ? 1 : 0);
          // Who watches a turn watches one that is there.
          const turns = [
            model.run?.turn,
            ...(model.run?.steered ?? []),
            ...model.queue.map(({ turn }) => turn),
            model.retry?.turn,
            model.paused?.turn,
          ];
          for (const { turnId } of model.watchers) expect(turns.map((turn) => turn?.id)).toContain(turnId);
        }
      }),
    );
  });
});

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}
