import { describe, expect, it } from 'vitest';
import { create } from '@vitrine/core/internal/graph/agent-state/create';
import { createJournal } from '@vitrine/core/internal/run/journal';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { createSessionHub, type HubSource, sessionHub } from '@vitrine/core/internal/session/hub';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { bufferEvents } from './events.ts';
import { eventsOf } from './journal-record.ts';
import { createRecorder } from './recorder.ts';

const types = (recorder: ReturnType<typeof createRecorder>, source: HubSource): string[] =>
  eventsOf(recorder.read(source)).map(({ event }) => event.type);

describe('the recorder of a page', () => {
  it('a recorder records a session from its first event', async () => {
    const recorder = createRecorder();
    const session = createAgentSession({ agent: scriptedAgent([{ text: 'Hi' }]) });
    await session.sendMessage('Hello');
    const source = sessionHub().sources().at(-1)!;
    expect(source.id).toBe(session.id());
    expect(types(recorder, source).slice(0, 2)).toEqual(['message-add', 'execution-start']);
    expect(types(recorder, source).at(-1)).toBe('execution-end');
    expect(recorder.read(source)).toMatchObject({ missed: 0, state: session.store.getState().state });
    await session.dispose();
    recorder.dispose();
  });

  it('a recorder that starts later begins with the current state, and reports how many events came before', async () => {
    const session = createAgentSession({ agent: scriptedAgent([{ text: 'Hi' }]) });
    await session.sendMessage('Hello');
    const before = session.store.getState().state;
    const recorder = createRecorder();
    const source = sessionHub().sources().at(-1)!;
    expect(recorder.read(source)).toMatchObject({ missed: before.seq, state: before });
    expect(types(recorder, source)).toEqual([]);
    await session.sendMessage('Again');
    expect(types(recorder, source)[0]).toBe('message-add');
    await session.dispose();
    recorder.dispose();
  });

  it('a recorder takes earlier notifications, as if it had been present', async () => {
    const buffer = bufferEvents();
    const there = createRecorder();
    const session = createAgentSession({ agent: scriptedAgent([{ text: 'Hi' }, { text: 'Hi again' }]) });
    await session.sendMessage('Hello');
    const before = sessionHub().sources().at(-1)!;
    await session.reset();
    await session.sendMessage('Again');
    const late = createRecorder({ buffer });
    const source = sessionHub().sources().at(-1)!;
    expect(source).not.toBe(before);
    expect(late.read(source)).toEqual(there.read(source));
    expect(late.read(source)).toMatchObject({ missed: 0, state: session.store.getState().state });
    expect(late.read(source).pages.length).toBeGreaterThan(1);
    await session.rename('It goes on');
    expect(late.read(source)).toEqual(there.read(source));
    await session.dispose();
    there.dispose();
    late.dispose();
  });

  it('a source that cannot be read costs no event of the others, at first or later', () => {
    const hub = createSessionHub();
    const recorder = createRecorder({ hub });
    let isBroken = true;
    const journal = createJournal(create());
    const state = (): ReturnType<typeof create> => {
      if (isBroken) throw new Error('Keep out');
      return journal.state();
    };
    const bad: HubSource = { id: 'bad', name: 'bad', journal: { ...journal, state } };
    const pauseAfterwards = (): string[] => {
      const own = createJournal(create());
      const source: HubSource = { id: own.id, name: 'good', journal: own };
      hub.register(source);
      own.commit([], { type: 'execution-pause' });
      return types(recorder, source);
    };
    hub.register(bad);
    expect(pauseAfterwards()).toEqual(['execution-pause']);
    isBroken = false;
    // It is recorded from now on.
    expect(pauseAfterwards()).toEqual(['execution-pause']);
    isBroken = true;
    expect(pauseAfterwards()).toEqual(['execution-pause']);
    journal.commit([], { type: 'execution-pause' });
    expect(types(recorder, bad)).toEqual(['execution-pause']);
    recorder.dispose();
  });

  it('a listener is called for its source only, and not after the recorder is disposed or the source is gone', () => {
    const hub = sessionHub();
    const source = (): HubSource => ({ id: 'a', name: 'foreign', journal: createJournal(create()) });
    const [one, two] = [source(), source()];
    const leave = [one, two].map((each) => hub.register(each));
    const pause = (each: HubSource): unknown =>
      (each.journal as ReturnType<typeof createJournal>).commit([], { type: 'execution-pause' });
    const recorder = createRecorder();
    const heard: string[] = [];
    recorder.subscribe(one, () => heard.push('one'));
    recorder.subscribe(two, () => heard.push('two'));
    pause(one);
    expect(heard).toEqual(['one']);
    leave[0]?.();
    pause(one);
    expect(types(recorder, one)).toEqual(['execution-pause']);
    pause(two);
    recorder.dispose();
    pause(two);
    expect(heard).toEqual(['one', 'two']);
    expect(types(recorder, two)).toEqual(['execution-pause']);
    leave[1]?.();
  });

  it('a page without a recorder keeps nothing', async () => {
    let listeners = 0;
    const journal = createJournal(create());
    const subscribe: typeof journal.subscribe = (listener) => {
      const leave = journal.subscribe(listener);
      listeners++;
      return () => {
        listeners--;
        leave();
      };
    };
    const leaveHub = sessionHub().register({ id: 'a', name: 'a', journal: { ...journal, subscribe } });
    expect(listeners).toBe(0);
    const recorder = createRecorder();
    expect(listeners).toBe(1);
    recorder.dispose();
    expect(listeners).toBe(0);
    leaveHub();
  });
});
