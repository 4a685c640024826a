import { describe, expect, it } from 'vitest';
import { steps } from '@vitrine/core/internal/graph/agent-state/accessors';
import { request } from '@vitrine/core/internal/graph/agent-step';
import { text } from '@vitrine/core/internal/graph/message';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { type HubSource, sessionHub } from '@vitrine/core/internal/session/hub';
import { memorySessions } from '@vitrine/persist/internal/drivers/memory/memory-sessions';
import { liveRecord, resolveRecord } from '@vitrine/core/internal/session/store/live-record';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { heldTool } from '@vitrine/testing/internal/session.fixture';
import type { ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import { eventsOf, type JournalRecord, stateBefore } from './journal-record.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { recordOfRun, runsOf } from './runs-of.ts';

const answers = (...names: string[]): ScriptedStep[] =>
  names.flatMap((name) => [{ toolCalls: [{ name: 'look', input: { name } }] }, { text: `Answer ${name}` }]);

function open(names: string[], sessionId: string, sessions?: SessionStore): AgentSession {
  const agent = scriptedAgent(answers(...names), { tools: [fakeTool('look', { seen: true })] });
  return createAgentSession({ agent, sessionId, sessions });
}

const sourceOf = (id: string): HubSource =>
  sessionHub()
    .sources()
    .findLast((source) => source.id === id)!;
const read = (recorder: Recorder, id: string): JournalRecord => recorder.read(sourceOf(id));

/** The runs of a record with their texts and final answers. */
const told = (record: JournalRecord): unknown[] =>
  runsOf(record).map((run) => {
    const { state } = recordOfRun(record, run);
    const last = steps(state).at(-1);
    return [run.number, run.request, run.known, last ? last.outputMessages.map(text).join('') : null];
  });

describe('the record of a session', () => {
  it('a record holds every run after edits, new answers and branches, each as it ended', async () => {
    const recorder = createRecorder();
    const session = open(['a', 'b', 'c', 'd'], 'edited');
    await session.sendMessage('First');
    await session.sendMessage('Second');
    const [first, second] = session.store
      .getState()
      .state.context.store.sections.flatMap(({ messages }) => messages)
      .filter(({ role }) => role === 'user');
    await session.edit(second!.id, 'Second, edited');
    await session.regenerate();
    const record = read(recorder, 'edited');
    expect(new Set(record.pages.map(({ journalId }) => journalId)).size).toBe(3);
    expect(told(record)).toEqual([
      [1, 'First', 'events', 'Answer a'],
      [2, 'Second', 'events', 'Answer b'],
      [3, 'Second, edited', 'events', 'Answer c'],
      [4, 'Second, edited', 'events', 'Answer d'],
    ]);
    await session.switchBranch(second!.id);
    const switched = read(recorder, 'edited');
    expect(told(switched)).toEqual(told(record));
    expect(switched.state).toBe(session.store.getState().state);
    expect(text(first!)).toBe('First');
    await session.dispose();
    recorder.dispose();
  });

  it('a record gives the state before every event, also at the beginning of a journal', async () => {
    const recorder = createRecorder();
    const session = open(['a', 'b'], 'begun');
    await session.sendMessage('First');
    const ended = session.store.getState().state;
    await session.regenerate();
    const record = read(recorder, 'begun');
    const { first } = runsOf(record)[1]!;
    expect(stateBefore(record, 0)).toBe(record.pages[0]!.base);
    // The answer that is being regenerated is absent.
    expect(stateBefore(record, first).context.store.sections[0]!.messages).toHaveLength(1);
    expect(recordOfRun(record, runsOf(record)[0]!).state).toEqual(ended);
    await session.dispose();
    recorder.dispose();
  });

  it('a record continues when the session is opened again on the same page', async () => {
    const [recorder, sessions] = [createRecorder(), memorySessions()];
    const before = open(['a'], 'again', sessions);
    await before.sendMessage('First');
    await before.dispose();
    const after = open(['b'], 'again', sessions);
    await after.ready;
    await after.sendMessage('Second');
    expect(told(read(recorder, 'again'))).toEqual([
      [1, 'First', 'events', 'Answer a'],
      [2, 'Second', 'events', 'Answer b'],
    ]);
    await after.dispose();
    recorder.dispose();
  });

  /** The record of a panel on another page after it read the store. */
  const reloaded = async (
    sessions: SessionStore,
    id: string,
  ): Promise<{ recorder: Recorder; session: AgentSession; source: HubSource }> => {
    const recorder = createRecorder();
    const session = open(['d'], id, sessions);
    await session.ready;
    const source = sourceOf(id);
    await new Promise<void>((resolve) => recorder.subscribe(source, resolve));
    return { recorder, session, source };
  };

  it('a record has every event of the stored journal after a reload', async () => {
    const sessions = memorySessions();
    const recorder = createRecorder();
    const before = open(['a', 'b', 'c'], 'reloaded', sessions);
    for (const said of ['First', 'Second', 'Third']) await before.sendMessage(said);
    const whole = told(read(recorder, 'reloaded'));
    await before.dispose();
    recorder.dispose();
    const after = await reloaded(sessions, 'reloaded');
    const record = after.recorder.read(after.source);
    // The first write of a session is its snapshot.
    expect(told(record).slice(1)).toEqual(whole.slice(1));
    expect(told(record)[0]).toMatchObject([1, 'First', expect.stringMatching(/events|state/), 'Answer a']);
    expect(eventsOf(record).map(({ number }) => number)).toEqual(eventsOf(record).map((_, at) => at + 1));
    await after.session.sendMessage('Fourth');
    expect(told(after.recorder.read(after.source)).at(-1)).toEqual([4, 'Fourth', 'events', 'Answer d']);
    await after.session.dispose();
    after.recorder.dispose();
  });

  it('a record misses nothing when it begins before the events are written', async () => {
    const sessions = memorySessions();
    const slow: SessionStore = {
      ...sessions,
      append: async (...written) => {
        await new Promise((resolve) => setTimeout(resolve, 40));
        return sessions.append(...written);
      },
    };
    const session = open(['a', 'b'], 'behind', slow);
    await session.sendMessage('First');
    await session.flush();
    const answered = session.sendMessage('Second');
    const run = (): unknown => {
      const { executionCount, execution } = session.store.getState().state;
      return [executionCount, execution?.status];
    };
    await expect.poll(run, { interval: 1 }).toEqual([2, 'completed']);
    const recorder = createRecorder();
    const source = sourceOf('behind');
    await new Promise<void>((resolve) => recorder.subscribe(source, resolve));
    const record = recorder.read(source);
    expect(record.state).toBe(session.store.getState().state);
    expect(told(record).at(-1)).toEqual([2, 'Second', 'events', 'Answer b']);
    await answered;
    await session.dispose();
    recorder.dispose();
  });

  it('a record knows whether a run continues, also when the end of its page interrupted it', async () => {
    const sessions = memorySessions();
    const held = heldTool('look');
    const agent = scriptedAgent(answers('a'), { tools: [held.tool] });
    const session = createAgentSession({ agent, sessionId: 'left', sessions });
    const sent = session.sendMessage('First');
    await expect.poll(() => held.runs.length).toBe(1);
    expect(sourceOf('left').isRunning?.()).toBe(true);
    await session.flush();
    const copy = await sessions.load('left');
    held.end();
    await sent;
    expect(sourceOf('left').isRunning?.()).toBe(false);
    await session.dispose();
    const store = { ...memorySessions(), load: async () => copy };
    const after = createAgentSession({ agent, sessionId: 'left', sessions: store });
    await after.ready;
    expect(after.store.getState().status).toBe('interrupted');
    expect(sourceOf('left').isRunning?.()).toBe(false);
    await after.dispose();
  });

  it('a record has the stored runs, with requests and answers, where its events are folded in', async () => {
    const sessions = memorySessions();
    const before = open(['a', 'b', 'c'], 'folded', sessions);
    for (const said of ['First', 'Second', 'Third']) await before.sendMessage(said);
    await before.dispose();
    const stored = loadedSession(await sessions.load('folded'))!;
    const { replacedRuns: newRuns } = liveRecord(stored);
    const { version: expectedVersion, epoch = 0 } = stored;
    await sessions.save(resolveRecord(stored), { expectedVersion, epoch, newRuns });
    const { recorder, session, source } = await reloaded(sessions, 'folded');
    const record = recorder.read(source);
    expect(told(record)).toEqual([
      [1, 'First', 'stored', 'Answer a'],
      [2, 'Second', 'stored', 'Answer b'],
      [3, 'Third', 'state', 'Answer c'],
    ]);
    const { state } = recordOfRun(record, runsOf(record)[0]!);
    const sent = request(state, steps(state)[1]!)!;
    expect(sent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    await session.dispose();
    recorder.dispose();
  });

  it('a record drops events over all journals together, and counts them', async () => {
    const recorder = createRecorder({ maxSteps: 4 });
    const session = open(['a', 'b', 'c', 'd'], 'bounded');
    await session.sendMessage('First');
    for (let times = 0; times < 3; times++) await session.regenerate();
    const record = read(recorder, 'bounded');
    const kept = eventsOf(record).filter(({ event }) => event.type === 'step-start').length;
    expect(record.dropped.steps + kept).toBe(8);
    expect(kept).toBeLessThanOrEqual(4);
    expect(record.dropped.events).toBeGreaterThan(0);
    expect(runsOf(record).at(-1)!.known).toBe('events');
    await session.dispose();
    recorder.dispose();
  });
});
