import 'fake-indexeddb/auto';
import { act, cleanup, render, renderHook, screen, waitFor } from '@testing-library/react';
import { AgentState, defineAgent, loadedSession, type SessionStore } from '@vitrine/core';
import {
  indexedDBSessions,
  localStorageSessions,
  memorySessions,
  type FullSessionStore,
} from '@vitrine/persist';
import { sessionHub } from '@vitrine/inspect';
import { scriptedInference } from '@vitrine/testing';
import { Activity, type ReactNode, StrictMode, Suspense, use, useLayoutEffect, useState } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { agentOf, expectSilence, pause, slow } from './fixtures/chat.tsx';
import { AgentProvider } from './agent-provider.tsx';
import { useAgent, type UseAgentResult } from './hooks/use-agent.ts';
import { namedSession, openSession } from './session-users.ts';

afterEach(cleanup);
afterEach(() => vi.unstubAllGlobals());
const takeWarnings = expectSilence();

describe('a named session', () => {
  it('a named session is shared by its components, and its run continues after they unmount', async () => {
    const sessions = memorySessions();
    const agent = agentOf([slow]);
    function Part({ name }: { readonly name: string }): ReactNode {
      const { messages, sendMessage } = useAgent(agent, { sessionId: 'shared', sessions });
      return <button onClick={() => void sendMessage('Hi')}>{`${name}${messages.length}`}</button>;
    }
    const view = render(
      <>
        <Part name="a" />
        <Part name="b" />
      </>,
    );
    await act(async () => screen.getByText('a0').click());
    await waitFor(() => expect(screen.getByText('b2')).toBeTruthy(), { timeout: 5000 });
    view.unmount();
    expect(openSession('shared', sessions)?.session.store.getState().status).toBe('streaming');
    await waitFor(
      async () => expect(loadedSession(await sessions.load('shared'))?.executionStatus).toBe('completed'),
      {
        timeout: 3000,
      },
    );
  });

  it('a run of one session does not appear in another session', async () => {
    const agent = agentOf([slow]);
    const { result, rerender } = renderHook(({ id }) => useAgent(agent, { sessionId: id }), {
      initialProps: { id: 'one' },
    });
    let turn: Promise<unknown> = Promise.resolve();
    await act(async () => {
      turn = result.current.sendMessage('Hi');
      await pause(40);
    });
    rerender({ id: 'two' });
    expect(result.current.messages).toEqual([]);
    await act(() => turn);
    expect(result.current.messages).toEqual([]);
    rerender({ id: 'one' });
    await waitFor(() => expect(result.current.messages).toHaveLength(2));
  });

  it("a session's callbacks get its events, even while the component switches to another session", async () => {
    const sessions = memorySessions();
    const agent = agentOf([{ text: 'answer' }]);
    const heard: string[] = [];
    function Chat({ id }: { readonly id: string }): ReactNode {
      useAgent(agent, { sessionId: id, sessions, onEvent: ({ type }) => heard.push(`${id} ${type}`) });
      // The new settings are committed, but the component has not detached from the old session yet.
      useLayoutEffect(() => {
        if (id === 'two') void openSession('one', sessions)?.session.update(named);
      }, [id]);
      return null;
    }
    const named = (state: AgentState): AgentState => AgentState.withMetadata(state, { name: 'changed' });
    const { rerender } = render(<Chat id="one" />);
    await act(async () => openSession('one', sessions)?.session.ready);
    rerender(<Chat id="two" />);
    expect(heard).toEqual(['one metadata-change']);
    await act(async () => openSession('two', sessions)?.session.update(named));
    expect(heard).toEqual(['one metadata-change', 'two metadata-change']);
  });

  it('a remount finds the same session while a slow store saves it, and the next message causes no conflict', async () => {
    const sessions = slowly(memorySessions(), 400);
    const load = vi.spyOn(sessions, 'load');
    const agent = agentOf([{ text: 'answer' }]);
    const useOne = (): UseAgentResult => useAgent(agent, { sessionId: 'one', sessions });
    const first = renderHook(useOne);
    void act(() => void first.result.current.sendMessage('Hi'));
    await waitFor(() => expect(first.result.current.messages).toHaveLength(2), { timeout: 3000 });
    first.unmount();
    await pause(20);
    const second = renderHook(useOne);
    expect(second.result.current.messages).toHaveLength(2);
    await act(() => second.result.current.sendMessage('Again'));
    expect(second.result.current).toMatchObject({ error: null, status: 'ready' });
    expect(second.result.current.messages).toHaveLength(4);
    // One load proves that no second session read the store.
    expect(load).toHaveBeenCalledTimes(1);
    second.unmount();
    await waitFor(async () => expect(loadedSession(await sessions.load('one'))?.version).toBeGreaterThan(0), {
      timeout: 3000,
    });
  });

  it('an unused, idle session rests without timers and is complete when it is used again', async () => {
    const sessions = memorySessions();
    const agent = agentOf([{ text: 'answer' }]);
    const { result, unmount } = renderHook(() => useAgent(agent, { sessionId: 'one', sessions }));
    await act(() => result.current.sendMessage('Hi'));
    const { sendMessage } = result.current;
    const timers = vi.spyOn(globalThis, 'setTimeout');
    unmount();
    await pause(30);
    const longest = Math.max(0, ...timers.mock.calls.map(([, ms]) => ms ?? 0).filter((ms) => ms !== 30));
    timers.mockRestore();
    expect(longest).toBeLessThan(1000);
    const again = renderHook(() => useAgent(agent, { sessionId: 'one', sessions }));
    await waitFor(() => expect(again.result.current.messages).toHaveLength(2));
    await act(() => again.result.current.sendMessage('Again'));
    expect(again.result.current.messages).toHaveLength(4);
    // A command that was kept from an earlier mount still belongs to this session.
    again.unmount();
    await pause(30);
    expect(await sendMessage('From afar')).toMatchObject({ status: 'done', outcome: 'completed' });
    const last = renderHook(() => useAgent(agent, { sessionId: 'one', sessions }));
    await waitFor(() => expect(last.result.current.messages).toHaveLength(6));
  });

  it('a session is held in memory while it is mounted or runs, and released afterwards', async () => {
    // Simulates a garbage collector that collects all weak references at once.
    vi.stubGlobal(
      'WeakRef',
      class {
        deref(): undefined {}
      },
    );
    const sessions = memorySessions();
    const agent = agentOf([slow]);
    const useOne = (): UseAgentResult => useAgent(agent, { sessionId: 'one', sessions });
    const { result, unmount } = renderHook(useOne);
    expect(openSession('one', sessions)).not.toBeNull();
    void result.current.sendMessage('Hi');
    await waitFor(() => expect(result.current.status).toBe('streaming'));
    unmount();
    await pause(30);
    expect(openSession('one', sessions)?.session.store.getState().status).toBe('streaming');
    await waitFor(() => expect(openSession('one', sessions)).toBeNull(), { timeout: 3000 });
    expect(loadedSession(await sessions.load('one'))?.executionStatus).toBe('completed');
  });

  it('a session that rested is found again by its id once a kept function makes it work', async () => {
    vi.stubGlobal(
      'WeakRef',
      class {
        deref(): undefined {}
      },
    );
    const sessions = memorySessions();
    const agent = agentOf([slow]);
    const { result, unmount } = renderHook(() => useAgent(agent, { sessionId: 'one', sessions }));
    const { sendMessage } = result.current;
    await act(() => sendMessage('Hi'));
    unmount();
    await waitFor(() => expect(openSession('one', sessions)).toBeNull());
    // A new session clears what nothing holds.
    namedSession('two', sessions, { agent });
    const turn = sendMessage('Again');
    expect(openSession('one', sessions)?.session.isSettled()).toBe(false);
    await turn;
  });

  it('a hidden session shows its last content while the store is read again', async () => {
    const sessions = slowly(memorySessions(), 400);
    const agent = agentOf([{ text: 'answer' }], { name: 'hidden' });
    function Chat(): ReactNode {
      const { messages, status, sendMessage } = useAgent(agent, { sessionId: 'one', sessions });
      return <button onClick={() => void sendMessage('Hi')}>{`${status} ${messages.length}`}</button>;
    }
    const view = (mode: 'visible' | 'hidden'): ReactNode => (
      <Activity mode={mode}>
        <Chat />
      </Activity>
    );
    const { rerender } = render(view('visible'));
    await waitFor(() => expect(screen.getByText('ready 0')).toBeTruthy());
    act(() => screen.getByText('ready 0').click());
    await waitFor(() => expect(screen.getByText('ready 2')).toBeTruthy(), { timeout: 3000 });
    rerender(view('hidden'));
    const announced = (): unknown[] =>
      sessionHub()
        .sources()
        .filter(({ name }) => name === 'hidden');
    expect(announced()).toHaveLength(1);
    await waitFor(() => expect(announced()).toEqual([]), { timeout: 3000 });
    const load = vi.spyOn(sessions, 'load');
    rerender(view('visible'));
    for (let look = 0; look < 10; look++) {
      expect(screen.getByText('ready 2')).toBeTruthy();
      await act(() => pause(10));
    }
    expect(load).toHaveBeenCalledTimes(1);
    act(() => screen.getByText('ready 2').click());
    await waitFor(() => expect(screen.getByText('ready 4')).toBeTruthy(), { timeout: 3000 });
  });

  it('a remounted session shows typed text at once while the store is read again', async () => {
    const sessions = slowly(memorySessions(), 200);
    const agent = agentOf([{ text: 'answer' }]);
    const useOne = (): UseAgentResult => useAgent(agent, { sessionId: 'one', sessions });
    const first = renderHook(useOne);
    await act(() => first.result.current.sendMessage('Hi'));
    first.unmount();
    const load = vi.spyOn(sessions, 'load');
    await pause(50);
    const { result } = renderHook(useOne);
    expect(load).toHaveBeenCalledTimes(1);
    for (const draft of ['H', 'He', '']) {
      act(() => result.current.setDraft(draft));
      expect(result.current).toMatchObject({ draft, messages: [{}, {}] });
    }
    act(() => result.current.setDraft('Hello'));
    await act(() => result.current.sendMessage('Again'));
    expect(result.current.draft).toBe('Hello');
  });

  it('a session that was only rendered uses no id, no clock and no store', () => {
    const sessions = memorySessions();
    const load = vi.spyOn(sessions, 'load');
    const env = {
      now: vi.fn(() => 1),
      monotonic: vi.fn(() => 1),
      id: vi.fn(() => 'id'),
      random: vi.fn(() => 0),
      schedule: vi.fn(),
    };
    const { session } = namedSession('one', sessions, { agent: agentOf([{}]), env: env as never });
    void session.store.getState().state;
    expect(load).not.toHaveBeenCalled();
    for (const reach of Object.values(env)) expect(reach).not.toHaveBeenCalled();
  });

  it('sessions of the same id in two stores are independent', async () => {
    const agent = agentOf([{ text: 'x' }]);
    const [left, right] = [memorySessions(), memorySessions()];
    const { result } = renderHook(() => [
      useAgent(agent, { sessionId: 'one', sessions: left }),
      useAgent(agent, { sessionId: 'one', sessions: right }),
    ]);
    await waitFor(() => expect(result.current[1]?.status).toBe('ready'));
    await act(() => result.current[0]!.sendMessage('Hi'));
    expect(result.current.map((chat) => chat.messages.length)).toEqual([2, 0]);
  });
});

describe('an anonymous session', () => {
  const agent = agentOf([{ text: 'answer' }]);
  function Chat({ name = 'chat' }: { readonly name?: string }): ReactNode {
    const { messages, sendMessage } = useAgent(agent);
    return <button onClick={() => void sendMessage('Hi')}>{`${name}${messages.length}`}</button>;
  }

  it('each component has its own anonymous session', async () => {
    render(
      <>
        <Chat name="a" />
        <Chat name="b" />
      </>,
    );
    act(() => screen.getByText('a0').click());
    await waitFor(() => expect(screen.getByText('a2')).toBeTruthy());
    expect(screen.getByText('b0')).toBeTruthy();
  });

  it('two hydrated roots with repeating React ids do not share an anonymous session', async () => {
    const hosts = ['left', 'right'].map((name) => {
      const host = document.body.appendChild(document.createElement('div'));
      host.innerHTML = renderToString(<Chat name={name} />);
      return host;
    });
    const roots = await act(async () =>
      hosts.map((host, index) => hydrateRoot(host, <Chat name={index === 0 ? 'left' : 'right'} />)),
    );
    act(() => screen.getByText('left0').click());
    await waitFor(() => expect(screen.getByText('left2')).toBeTruthy());
    expect(screen.getByText('right0')).toBeTruthy();
    act(() => roots.forEach((root) => root.unmount()));
    for (const host of hosts) host.remove();
  });

  it('an anonymous session keeps its messages and draft when it is hidden and shown', async () => {
    function Typing(): ReactNode {
      const { messages, draft, sendMessage, setDraft } = useAgent(agent);
      return (
        <>
          <button onClick={() => void sendMessage('Hi')}>{`chat${messages.length}`}</button>
          <button onClick={() => setDraft('half')}>{`draft ${draft}`}</button>
        </>
      );
    }
    const view = (mode: 'visible' | 'hidden'): ReactNode => (
      <StrictMode>
        <Activity mode={mode}>
          <Typing />
        </Activity>
      </StrictMode>
    );
    const { rerender } = render(view('visible'));
    act(() => screen.getByText('chat0').click());
    await waitFor(() => expect(screen.getByText('chat2')).toBeTruthy());
    act(() => screen.getByText('draft').click());
    await waitFor(() => expect(screen.getByText('draft half')).toBeTruthy());
    for (const messages of [4, 6]) {
      rerender(view('hidden'));
      await act(() => pause(30));
      rerender(view('visible'));
      expect(screen.getByText(`chat${messages - 2}`)).toBeTruthy();
      expect(screen.getByText('draft half')).toBeTruthy();
      act(() => screen.getByText(`chat${messages - 2}`).click());
      await waitFor(() => expect(screen.getByText(`chat${messages}`)).toBeTruthy());
    }
  });

  it('an anonymous session survives a suspending sibling', async () => {
    let resolve: () => void = () => undefined;
    const promise = new Promise<void>((done) => (resolve = done));
    function Later({ isOn }: { readonly isOn: boolean }): ReactNode {
      if (isOn) use(promise);
      return null;
    }
    function Page(): ReactNode {
      const [isOn, setOn] = useState(false);
      return (
        <>
          <button onClick={() => setOn(true)}>suspend</button>
          <Suspense fallback="waiting">
            <Chat />
            <Later isOn={isOn} />
          </Suspense>
        </>
      );
    }
    render(<Page />);
    act(() => screen.getByText('chat0').click());
    await waitFor(() => expect(screen.getByText('chat2')).toBeTruthy());
    await act(async () => screen.getByText('suspend').click());
    expect(screen.getByText('waiting')).toBeTruthy();
    await act(() => pause(30));
    await act(async () => resolve());
    expect(screen.getByText('chat2').style.display).toBe('');
  });

  it('an anonymous session renders on a server without an id, and hydrates without warnings', async () => {
    const Show = (): ReactNode => {
      const { id, messages, state } = useAgent(agent);
      return <p>{`${id} ${messages.length} ${state.createdAt}`}</p>;
    };
    const html = renderToString(<Show />);
    const host = document.body.appendChild(document.createElement('div'));
    host.innerHTML = html;
    const root = await act(async () => hydrateRoot(host, <Show />));
    expect(host.textContent).toBe('null 0 0');
    act(() => root.unmount());
    host.remove();
  });
});

describe('two agents for one session', () => {
  const first = defineAgent({
    name: 'first',
    systemPrompt: '',
    inference: scriptedInference([{ text: 'first' }]),
  });
  const second = defineAgent({
    name: 'second',
    systemPrompt: '',
    inference: scriptedInference([{ text: 'second' }]),
  });

  it('a second agent for a session causes one warning and the first agent stays, also when the components are nested', async () => {
    const sessions = memorySessions();
    let renders = 0;
    function Inner(): ReactNode {
      renders++;
      const { messages, sendMessage } = useAgent(second, { sessionId: 'one', sessions });
      return <button onClick={() => void sendMessage('Hi')}>{JSON.stringify(messages.at(-1)?.parts)}</button>;
    }
    function Outer(): ReactNode {
      useAgent(first, { sessionId: 'one', sessions });
      return <Inner />;
    }
    const { rerender } = render(<Outer />, { wrapper: StrictMode });
    act(() => screen.getByRole('button').click());
    await waitFor(() => expect(screen.getByRole('button').textContent).toContain('"first"'));
    rerender(<Outer />);
    await act(() => pause(30));
    expect(await takeWarnings()).toEqual([
      expect.stringMatching(/"first" and "second" are used for the session "one"/),
    ]);
    expect(renders).toBeLessThan(25);
  });

  it('an agent that replaces another one causes no warning', async () => {
    const { result, rerender } = renderHook(({ agent }) => useAgent(agent, { sessionId: 'two' }), {
      initialProps: { agent: first },
    });
    rerender({ agent: second });
    await act(() => result.current.sendMessage('Hi'));
    expect(JSON.stringify(result.current.messages.at(-1)?.parts)).toContain('"second"');
  });
});

describe('a store created in every render', () => {
  const agent = agentOf([{ text: 'answer' }]);

  it('a store created in every render causes one warning, and the first store stays', async () => {
    let renders = 0;
    function Chat(): ReactNode {
      renders++;
      const { status, messages, sendMessage } = useAgent(agent, {
        sessionId: 'one',
        sessions: memorySessions(),
      });
      return <button onClick={() => void sendMessage('Hi')}>{`${status} ${messages.length}`}</button>;
    }
    const { rerender } = render(<Chat />, { wrapper: StrictMode });
    await waitFor(() => expect(screen.getByText('ready 0')).toBeTruthy());
    act(() => screen.getByRole('button').click());
    await waitFor(() => expect(screen.getByText('ready 2')).toBeTruthy());
    rerender(<Chat />);
    expect(screen.getByText('ready 2')).toBeTruthy();
    expect(await takeWarnings()).toEqual([expect.stringContaining('a new session store in each render')]);
    expect(renders).toBeLessThan(40);
  });

  it('a store created in every render of a parent causes one warning, and the first store stays', async () => {
    function Chat(): ReactNode {
      const { messages, sendMessage } = useAgent(agent, { sessionId: 'one' });
      return <button onClick={() => void sendMessage('Hi')}>{messages.length}</button>;
    }
    const view = (): ReactNode => (
      <AgentProvider sessions={memorySessions()}>
        <Chat />
      </AgentProvider>
    );
    const { rerender } = render(view());
    act(() => screen.getByText('0').click());
    await waitFor(() => expect(screen.getByText('2')).toBeTruthy());
    for (let times = 0; times < 8; times++) rerender(view());
    expect(screen.getByText('2')).toBeTruthy();
    expect(await takeWarnings()).toEqual([expect.stringContaining('a new session store in each render')]);
  });

  it('stores of a driver that names its place count as one store when a parent creates them in each render', async () => {
    const slowAgent = agentOf([slow]);
    const view = (): ReactNode => (
      <AgentProvider sessions={localStorageSessions({ prefix: 'made-anew' })}>
        <Chat />
      </AgentProvider>
    );
    function Chat(): ReactNode {
      const { messages, sendMessage } = useAgent(slowAgent, { sessionId: 'one' });
      return <button onClick={() => void sendMessage('Hi')}>{messages.length}</button>;
    }
    const { rerender } = render(view(), { wrapper: StrictMode });
    await act(async () => screen.getByText('0').click());
    await waitFor(() => expect(screen.getByText('2')).toBeTruthy());
    rerender(view());
    expect(screen.getByText('2')).toBeTruthy();
    rerender(view());
    expect(screen.getByText('2')).toBeTruthy();
    expect(await takeWarnings()).toEqual([
      expect.stringContaining('two session stores for the same place ("localStorage:made-anew:session:")'),
    ]);
  });

  it('two components that create a store for the same place share its sessions', async () => {
    const one = agentOf([{ text: 'answer' }]);
    function Chat(): ReactNode {
      const [sessions] = useState(() => indexedDBSessions({ name: 'two-components' }));
      const { messages, sendMessage } = useAgent(one, { sessionId: 'one', sessions });
      return <button onClick={() => void sendMessage('Hi')}>{messages.length}</button>;
    }
    const { unmount } = render([<Chat key="a" />, <Chat key="b" />]);
    await act(async () => screen.getAllByText('0')[0]?.click());
    await waitFor(() => expect(screen.getAllByText('2')).toHaveLength(2));
    expect(await takeWarnings()).toEqual([expect.stringContaining('for the same place')]);
    unmount();
  });

  it('a new store for a place is used after the first one has no users', async () => {
    const made: SessionStore[] = [];
    const load = vi.fn();
    function Chat(): ReactNode {
      const [sessions] = useState(() => {
        const store = localStorageSessions({ prefix: 'one-after-the-other' });
        const named: SessionStore = { ...store, load: (id) => (load(named), store.load(id)) };
        made.push(named);
        return named;
      });
      return useAgent(agent, { sessionId: 'one', sessions }).status;
    }
    for (const count of [1, 2]) {
      const { unmount } = render(<Chat />);
      await waitFor(() => expect(screen.getByText('ready')).toBeTruthy());
      expect(load).toHaveBeenCalledTimes(count);
      unmount();
      await pause(30);
    }
    expect(load.mock.calls.flat()).toEqual(made);
  });

  it('a store that replaces another one for good causes no warning', async () => {
    const [left, right] = [memorySessions(), memorySessions()];
    const { result, rerender } = renderHook(
      ({ sessions }: { sessions: SessionStore | undefined }) =>
        useAgent(agent, { sessionId: 'one', sessions }),
      { initialProps: { sessions: left as SessionStore | undefined } },
    );
    await act(() => result.current.sendMessage('Hi'));
    rerender({ sessions: right });
    expect(result.current.messages).toEqual([]);
    rerender({ sessions: undefined });
    rerender({ sessions: left });
    await waitFor(() => expect(result.current.messages).toHaveLength(2));
  });
});

/** A store that delays each operation. */
function slowly(store: FullSessionStore, ms: number): SessionStore {
  return {
    ...store,
    async load(id) {
      await pause(ms);
      return store.load(id);
    },
    async save(record, options) {
      await pause(ms);
      return store.save(record, options);
    },
    async append(id, append) {
      await pause(ms);
      return store.append(id, append);
    },
  };
}
