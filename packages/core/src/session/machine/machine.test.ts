import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messages, pendingApprovals } from '../../graph/agent-state/accessors.ts';
import { withMessages } from '../../graph/agent-state/transitions.ts';
import { create } from '../../graph/agent-state/create.ts';
import * as Message from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';
import { withApproval } from '../../run/answer-call.ts';
import { createAgentLoop } from '../../agent-loop/create-agent-loop.ts';
import { fixedEnv } from '@vitrine/testing/internal/fixed-env';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { askingTool } from '@vitrine/testing/internal/session.fixture';
import { advance, reduce } from './machine.ts';
import { reduceOthers } from '@vitrine/persist/internal/session/create-persistence';
import type { SessionEffect } from './session-effect.ts';
import type { SessionInput } from './session-input.ts';
import { emptyModel, type SessionModel } from './session-model.ts';
import type { QueuedMessage } from '../store/queued-message.ts';
import type { SessionRecord } from '../store/session-store.ts';

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
    for (const step of [() => reduce(model, input, state, reduceOthers), () => advance(model, state)]) {
      const next = step();
      model = next.model;
      effects.push(...next.effects);
    }
  }
  return { model, effects, types: effects.map(({ type }) => type) };
}
const away = { name: 'Error', message: 'away', code: null, data: {}, cause: null };
const overtaken: SessionInput = { type: 'overtaken', policy: 'rebase', forkId: 'fork' };
const recordOf = (state: AgentState, queue: readonly QueuedMessage[] = []): SessionRecord =>
  ({ state, queue, draft: '', branches: [], checkpoints: [] }) as unknown as SessionRecord;
const taken = {
  type: 'read-again',
  record: recordOf(blank),
  error: null,
  unsaved: [],
  forkedTo: null,
  forkedTurns: [],
  draftBefore: '',
} as const satisfies SessionInput;
const runIdOf = ({ run }: SessionModel): string => run?.id ?? 'none';

describe('the machine of a session', () => {
  it('a message whose run the next tab goes on with is answered when that run ends', async () => {
    const { tool } = askingTool('pay');
    const agent = scriptedAgent([{ toolCalls: [{ name: 'pay', input: 1 }] }], { tools: [tool] });
    const waiting = await createAgentLoop(agent).execute(ask());
    const answered = withApproval(waiting, pendingApprovals(waiting)[0]?.id ?? '');
    const commandId = messages(answered).find(({ role }) => role === 'user')?.id ?? '';
    const resumed = { ...opened, record: recordOf(answered), resume: true } as SessionInput;
    const attach: SessionInput = { type: 'attach', commandId, kind: 'send' };
    const { model, types } = feed([resumed, attach], { ...emptyModel, hasStore: true }, answered);
    expect(types).not.toContain('reply');
    expect(model.watchers).toMatchObject([{ commandId, turnId: model.run?.turn.id }]);
  });

  it('a turn is stored before it runs, and the next turn begins when it is over', () => {
    const begun = feed([opened, send('one'), send('two')]);
    expect(begun.types.filter((type) => type !== 'save-soon')).toEqual(['add-message', 'store']);
    const runId = runIdOf(begun.model);
    const running = feed([{ type: 'stored', runId }], begun.model);
    expect(running.effects).toEqual([{ type: 'run', runId, options: {}, stop: null }]);
    const ended = feed([{ type: 'run-over', runId, outcome: 'ended' }], running.model);
    expect(ended.types).toEqual(['finish', 'reply', 'add-message', 'store']);
    expect(ended.model.run?.turn).toMatchObject({ id: 'two', status: 'running' });
  });

  it('a late report of another run changes nothing', () => {
    const { model } = feed([opened, send('one'), send('two')]);
    const late: SessionInput[] = [
      { type: 'run-over', runId: 'other', outcome: 'ended' },
      { type: 'stored', runId: 'other' },
      { ...taken, record: null },
      { type: 'steered', runId: 'other', ids: ['two'] },
    ];
    expect(feed(late, model)).toMatchObject({ model, effects: [] });
  });

  it('an answer that arrives as a run pauses continues the run, and without one the turn awaits input', async () => {
    const { tool } = askingTool('pay');
    const agent = scriptedAgent([{ toolCalls: [{ name: 'pay', input: 1 }] }], { tools: [tool] });
    const waiting = await createAgentLoop(agent).execute(ask());
    const answered = withApproval(waiting, pendingApprovals(waiting)[0]?.id ?? '');
    const begun = feed([opened, send('one')]).model;
    const runId = runIdOf(begun);
    const { model } = feed([{ type: 'stored', runId }], begun);
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

  it('a reset abandons the current run, settles its turn and begins on a blank state', () => {
    const begun = feed([opened, send('one')]).model;
    const runId = runIdOf(begun);
    const { model } = feed([{ type: 'stored', runId }], begun);
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

  it('a draft is saved only when it differs from the last one', () => {
    const typed = (draft: string): SessionInput => ({ type: 'set-draft', id: 'd', draft });
    expect(feed([opened, typed('a'), typed('a'), typed('b')]).types).toEqual(['save-soon', 'save-soon']);
  });

  it('a stored queue is restored lane by lane without the messages answered since', () => {
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

  it('a later interrupting message replaces one that has just begun', () => {
    const urgent = (id: string): SessionInput =>
      ({ ...(send(id) as object), onBusy: 'interrupt' }) as SessionInput;
    const first = feed([opened, send('one')]);
    const runId = runIdOf(first.model);
    const running = feed([{ type: 'stored', runId }, urgent('two'), urgent('three')], first.model);
    expect(running.effects.filter(({ type }) => type === 'abort')).toHaveLength(1);
    const ended = feed([{ type: 'run-over', runId, outcome: 'ended' }], running.model);
    // The message stays in the history; the model is not called for it.
    expect(ended.effects.slice(-2)).toMatchObject([
      { type: 'add-message' },
      { type: 'run', stop: 'Interrupted by a new message' },
    ]);
  });

  it('the machine is pure and deterministic and never requests two runs at once', () => {
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
      fc.record({ type: fc.constant('stored'), runId }),
      fc.record({
        type: fc.constant('overtaken'),
        policy: fc.constantFrom('rebase', 'fork', 'ask'),
        forkId: fc.constant('fork'),
      }),
      fc.record({
        type: fc.constant('read-again'),
        record: fc.constantFrom(recordOf(blank), recordOf(blank), null),
        error: fc.constantFrom(null, null, away),
        unsaved: fc.subarray([{ id: 'a', text: 'a', isSteered: false }]),
        forkedTo: fc.constantFrom(null, 'fork'),
        forkedTurns: fc.constantFrom([], ['one']),
      }),
      fc.record({ type: fc.constant('resolve-conflict'), id, policy: fc.constantFrom('rebase', 'fork') }),
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
          // A watcher always refers to an existing turn.
          const turns = [
            model.run?.turn,
            ...(model.run?.steered ?? []),
            ...model.queue.map(({ turn }) => turn),
            model.retry?.turn,
            model.paused?.turn,
            model.conflict?.run?.turn,
            ...(model.conflict?.run?.steered ?? []),
            ...model.moves.map(({ turn }) => turn),
          ];
          for (const { turnId } of model.watchers) expect(turns.map((turn) => turn?.id)).toContain(turnId);
        }
      }),
    );
  });
});

describe('an overtaken session', () => {
  const begun = (): SessionModel => feed([opened, send('one'), send('two')]).model;
  const running = (): SessionModel => {
    const model = begun();
    return feed([{ type: 'stored', runId: runIdOf(model) }], model).model;
  };
  const theirs = recordOf(withMessages(blank, [Message.user('theirs', {}, env)]));

  it('an overtaken run is aborted and loses its lease, and nothing begins before the stored session is read', () => {
    const model = running();
    const { effects, model: held } = feed([overtaken, send('three')], model);
    expect(effects).toMatchObject([
      { type: 'abandon', runId: runIdOf(model) },
      { type: 'read-again', policy: 'rebase', forkId: 'fork' },
      { type: 'save-soon' },
    ]);
    expect(held).toMatchObject({ run: null, conflict: { phase: 'reading' } });
    expect(held.queue.map(({ turn }) => turn.id)).toEqual(['two', 'three']);
  });

  it('the aborted turn ends as overtaken with its fork, and turns that had not begun continue', () => {
    const { model } = feed([overtaken], running());
    const up = feed(
      [{ ...taken, record: theirs, forkedTo: 'fork', forkedTurns: ['one'] }],
      model,
      theirs.state,
    );
    expect(up.effects).toMatchObject([
      { type: 'new-journal', base: theirs.state },
      { type: 'save-soon' },
      { type: 'finish', turn: { id: 'one', status: 'overtaken', forkedTo: 'fork' } },
      { type: 'reply', when: 'saved', turn: { id: 'one', status: 'overtaken', forkedTo: 'fork' } },
      { type: 'add-message', message: { id: 'two' } },
      { type: 'store' },
    ]);
    expect(up.model).toMatchObject({ run: { turn: { id: 'two' } } });
  });

  it('a turn that was about to begin keeps its id and is refused after repeated conflicts', () => {
    let { model } = feed([opened, send('one')]);
    for (let attempt = 0; attempt < 5; attempt++) {
      const runId = runIdOf(model);
      const up = feed([overtaken, { ...taken, record: theirs }], model, theirs.state);
      expect(up.types.at(-1)).toBe('store');
      expect(up.model.run?.turn.id).toBe('one');
      expect(runIdOf(up.model)).not.toBe(runId);
      ({ model } = up);
    }
    const given = feed([overtaken, { ...taken, record: theirs }], model, theirs.state);
    expect(given.effects).toContainEqual(
      expect.objectContaining({ type: 'reply', turn: expect.objectContaining({ status: 'refused' }) }),
    );
    expect(given.model).toMatchObject({ run: null, isHeld: true, error: { code: 'session-conflict' } });
  });

  it('unsaved messages without an answer join the queue, which is held when they are of earlier turns', () => {
    const unsaved = ['before', 'one'].map((id) => ({ id, text: id, isSteered: false }));
    const { model } = feed([overtaken, { ...taken, record: theirs, unsaved }], running(), theirs.state);
    expect(model.queue.map(({ turn }) => [turn.id, turn.status])).toEqual([
      ['before', 'queued'],
      ['one', 'queued'],
      ['two', 'queued'],
    ]);
    expect(model).toMatchObject({ run: null, isHeld: true });
  });

  it('the policy ask merges nothing before the question is answered and settles the aborted turn at once', () => {
    const asked = feed([{ ...overtaken, policy: 'ask' } as SessionInput], running());
    expect(asked.types).toEqual(['abandon', 'finish', 'reply']);
    expect(asked.model).toMatchObject({ run: null, conflict: { phase: 'asking' } });
    const sent = feed([send('three')], asked.model);
    expect(sent.effects).toMatchObject([{ type: 'reply', commandId: 'three', turn: { status: 'queued' } }]);
    const answered = feed(
      [
        { type: 'resolve-conflict', id: 'x', policy: 'fork' },
        { ...taken, record: theirs, forkedTo: 'fork', forkedTurns: ['one'] },
      ],
      sent.model,
      theirs.state,
    );
    expect(answered.types.slice(0, 3)).toEqual(['read-again', 'new-journal', 'save-soon']);
    expect(answered.effects).toContainEqual({ type: 'reply', commandId: 'x', turn: null, when: 'saved' });
    expect(answered.model.run?.turn.id).toBe('two');
  });

  it('a session keeps its state while the store is unreadable and reads again at the next conflict', () => {
    const { model, types } = feed([overtaken, { ...taken, record: null, error: away }], running());
    expect(types).toEqual(['abandon', 'read-again', 'finish', 'reply', 'reply']);
    expect(model).toMatchObject({ conflict: { phase: 'unread' }, error: away });
    const again = feed([overtaken, { ...taken, record: theirs }], model, theirs.state);
    expect(again.types).toContain('new-journal');
    expect(again.model.conflict ?? null).toBeNull();
  });

  it('an open question becomes a fork when the session is disposed, which leaves after that', () => {
    const asked = feed([{ ...overtaken, policy: 'ask' } as SessionInput], {
      ...running(),
      hasStore: true,
    }).model;
    const closing = feed([{ type: 'dispose', id: 'd' }], asked);
    expect(closing.effects).toContainEqual({
      type: 'read-again',
      policy: 'fork',
      forkId: 'fork',
      isAborted: true,
    });
    expect(closing.types).not.toContain('leave');
    const closed = feed(
      [{ ...taken, record: theirs, forkedTo: 'fork', forkedTurns: ['one'] }],
      closing.model,
      theirs.state,
    );
    expect(closed.types.at(-1)).toBe('leave');
    expect(closed.model.queue.map(({ turn }) => turn.id)).toEqual(['two']);
  });

  it('open turns of a session that was deleted meanwhile are refused as deleted', () => {
    const { effects } = feed([overtaken, { ...taken, record: null }], running());
    const turns = effects.flatMap((effect) => (effect.type === 'reply' ? [effect.turn] : []));
    expect(turns).toMatchObject([
      { id: 'one', status: 'refused', error: { code: 'session-deleted' } },
      { id: 'two', status: 'refused', error: { code: 'session-deleted' } },
    ]);
  });
});

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}
