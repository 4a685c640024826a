import { act, cleanup, fireEvent, render, waitFor, within } from '@testing-library/react';
import {
  type AgentEvent,
  type AgentSession,
  AgentState,
  createAgentSession,
  defineAgent,
  defineTool,
} from '@vitrine/core';
import { type HubSource, sessionHub } from '@vitrine/inspect';
import { scriptedInference } from '@vitrine/testing';
import { StrictMode } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { cleanUpForGood } from './devtools-page.fixture.tsx';
import {
  AgentDevtools,
  AgentDevtoolsPanel,
  definePanelTab,
  mountAgentDevtools,
  type MountedDevtools,
} from './index.ts';

afterEach(async () => {
  cleanUpForGood(() => mounted.splice(0).forEach((unmount) => unmount()));
  await Promise.all(open.splice(0).map((session) => session.dispose()));
  localStorage.clear();
});

/** Panels that were mounted without a component. */
const mounted: MountedDevtools[] = [];

const echo = defineTool({
  name: 'echo',
  description: '',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});
const answers = [{ toolCalls: [{ name: 'echo', input: { text: 'hi' } }] }, { text: 'done' }];
const open: AgentSession[] = [];

/** A session whose agent calls its tool and then answers. */
function helper(name = 'helper'): AgentSession {
  const inference = scriptedInference(answers);
  const session = createAgentSession({
    agent: defineAgent({ name, systemPrompt: '', tools: [echo], inference }),
  });
  open.push(session);
  return session;
}

async function openPanel(): Promise<{ panel: ReturnType<typeof within>; root: ShadowRoot }> {
  await waitFor(() => expect(document.querySelectorAll('[data-vitrine-devtools]')).toHaveLength(1));
  const root = document.querySelector('[data-vitrine-devtools]')?.shadowRoot as ShadowRoot;
  return { panel: within(root.querySelector('.root') as HTMLElement), root };
}

describe('the panel on a page', () => {
  it('the panel opens once under StrictMode, closes, and unmounts with its component', async () => {
    const view = render(<AgentDevtools />, { wrapper: StrictMode });
    const { panel } = await openPanel();
    fireEvent.click(await panel.findByLabelText('Open Vitrine devtools'));
    expect(await panel.findByText(/No session on this page yet/)).toBeTruthy();
    fireEvent.click(panel.getByLabelText('Close devtools'));
    expect(await panel.findByLabelText('Open Vitrine devtools')).toBeTruthy();
    view.unmount();
    expect(document.querySelector('[data-vitrine-devtools]')).toBeNull();
  });

  it('the panel shows the steps, the state, the stop reason and the events of a session', async () => {
    render(<AgentDevtools initialIsOpen position="right" />);
    const { panel, root } = await openPanel();
    const session = helper();
    await act(() => session.sendMessage('Hi'));
    expect(await panel.findByText('helper')).toBeTruthy();
    expect(document.documentElement.style.getPropertyValue('--vitrine-devtools-right')).toBe('460px');
    fireEvent.keyDown(await panel.findByRole('tab', { name: 'Sent' }), { key: 'ArrowRight' });
    expect(panel.getByRole('tab', { name: 'Received' }).getAttribute('aria-selected')).toBe('true');
    fireEvent.click(panel.getByRole('tab', { name: 'Why' }));
    const verdicts = await panel.findAllByText('It finished after 2 steps: The model gave its final answer.');
    expect(verdicts).toHaveLength(2);
    expect(root.querySelector('[data-taken="true"]')?.textContent).toContain('Is nothing left to do?');
    expect(root.querySelectorAll('.branches li')[0]?.textContent).toContain('No');
    fireEvent.click(panel.getByRole('tab', { name: 'Events' }));
    fireEvent.change(panel.getByLabelText('Filter events'), { target: { value: 'nothing like it' } });
    expect(panel.getByText('No events match.')).toBeTruthy();
    await act(() => session.dispose());
    expect(await panel.findByText(/No session on this page yet/)).toBeTruthy();
  });

  it('a cleared event log stays cleared after a visit to another view', async () => {
    const { panel, root, session } = await afterRun();
    const types = (): (string | null)[] =>
      [...root.querySelectorAll('.event-type')].map((element) => element.textContent);
    fireEvent.click(panel.getByRole('tab', { name: 'Events' }));
    expect(types()).toContain('execution-start');
    fireEvent.click(panel.getByText('Clear'));
    expect(panel.getByText('No events yet.')).toBeTruthy();
    fireEvent.click(panel.getByRole('tab', { name: 'Run' }));
    fireEvent.click(panel.getByRole('tab', { name: 'Why' }));
    expect(root.querySelectorAll('.checks li').length).toBeGreaterThan(1);
    fireEvent.click(panel.getByRole('tab', { name: 'Events' }));
    expect(panel.getByText('No events yet.')).toBeTruthy();
    await act(() => session.sendMessage('Again'));
    expect(await panel.findByText('execution-start')).toBeTruthy();
  });

  it('the panel keeps a session that is reset, and says that earlier events were not recorded', async () => {
    const first = helper();
    await first.sendMessage('Hi');
    const second = helper('other');
    await second.sendMessage('Hi');
    render(<AgentDevtools initialIsOpen />);
    const { panel } = await openPanel();
    expect(await panel.findByText('other')).toBeTruthy();
    fireEvent.change(panel.getByLabelText('Session'), { target: { value: '0' } });
    expect(panel.getByText('run 1')).toBeTruthy();
    fireEvent.click(panel.getByRole('tab', { name: 'Events' }));
    expect(panel.getByText(/^\d+ events came before the panel began to record\.$/)).toBeTruthy();
    await act(() => first.reset());
    expect(await panel.findByText('run 0')).toBeTruthy();
    expect(panel.getByText('helper')).toBeTruthy();
    // The record continues, so the earlier run is still listed.
    expect(panel.getByText(/came before/)).toBeTruthy();
    expect((panel.getByLabelText('Run') as HTMLSelectElement).options).toHaveLength(1);
  });

  it("the header shows the agent's limits and the spent amounts", async () => {
    const { panel } = await afterRun();
    const meter = panel.getByRole('meter', { name: 'steps' });
    expect([meter.getAttribute('aria-valuenow'), meter.getAttribute('aria-valuemax')]).toEqual(['2', '20']);
    fireEvent.click(panel.getByRole('tab', { name: 'Why' }));
    expect(panel.getByText('18 left')).toBeTruthy();
  });
});

describe('the panel while its code loads', () => {
  it('an event that happens while the panel loads is recorded, even the first one', async () => {
    mounted.push(mountAgentDevtools(document.body, { initialIsOpen: true }));
    const early = journalSource();
    const leave = sessionHub().register(early.source);
    early.pause();
    expect(document.querySelector('[data-vitrine-devtools]')).toBeNull();
    const { panel } = await openPanel();
    fireEvent.click(await panel.findByRole('tab', { name: 'Events' }));
    expect(await panel.findByText('execution-pause')).toBeTruthy();
    expect(panel.queryByText(/came before the panel began to record/)).toBeNull();
    leave();
  });

  it('a panel that is unmounted while it loads never appears', async () => {
    const heard = { count: 0 };
    const early = journalSource((by) => (heard.count += by));
    const leave = sessionHub().register(early.source);
    const unmount = mountAgentDevtools(document.body);
    expect(heard.count).toBe(1);
    unmount();
    expect(heard.count).toBe(0);
    await import('./shell/mount.tsx');
    expect(document.querySelector('[data-vitrine-devtools]')).toBeNull();
    leave();
  });

  it('the options of a panel can change while it loads', async () => {
    const unmount = mountAgentDevtools(document.body, { theme: 'light' });
    mounted.push(unmount);
    unmount.update({ theme: 'dark' });
    const { root } = await openPanel();
    await waitFor(() => expect(root.querySelector('.theme')?.getAttribute('data-theme')).toBe('dark'));
  });
});

describe('the placements of the panel', () => {
  it('the embedded panel fills its element', async () => {
    render(<AgentDevtoolsPanel style={{ height: 200 }} />);
    const { panel, root } = await openPanel();
    expect(await panel.findByText(/No session on this page yet/)).toBeTruthy();
    expect(root.host.parentElement?.style.height).toBe('200px');
  });

  it('the panel mounts into a page without React and unmounts again', async () => {
    document.body.innerHTML = '<main>A page of its own</main>';
    let unmount = (): void => undefined;
    act(() => {
      unmount = mountAgentDevtools(document.body, { initialIsOpen: true });
    });
    const { panel } = await openPanel();
    expect(await panel.findByText(/No session on this page yet/)).toBeTruthy();
    await act(async () => unmount());
    expect(document.body.innerHTML).toBe('<main>A page of its own</main>');
  });

  it('the panel leaves nothing behind after 50 mounts', async () => {
    document.body.innerHTML = '';
    for (let cycle = 0; cycle < 50; cycle++) {
      const view = render(<AgentDevtools initialIsOpen />, { wrapper: StrictMode });
      view.unmount();
    }
    render(<AgentDevtools initialIsOpen />);
    const { panel } = await openPanel();
    await act(() => helper().sendMessage('Hi'));
    expect(await panel.findByText('helper')).toBeTruthy();
  });

  it('the record continues when the panel is remounted, as after a hot reload', async () => {
    const { panel, root, session } = await afterRun();
    fireEvent.click(panel.getByRole('tab', { name: 'Events' }));
    const count = root.querySelectorAll('.event').length;
    cleanup();
    expect(document.querySelector('[data-vitrine-devtools]')).toBeNull();
    await act(() => session.rename('A name from in between'));
    render(<AgentDevtools />);
    const { panel: again, root: other } = await openPanel();
    await again.findByText('execution-start');
    expect(other.querySelectorAll('.event').length).toBeGreaterThanOrEqual(count);
    expect(again.queryByText(/came before the panel began to record/)).toBeNull();
  });

  it('the record is dropped when the panel stays unmounted', async () => {
    await afterRun();
    cleanUpForGood();
    render(<AgentDevtools initialIsOpen />);
    const { panel } = await openPanel();
    fireEvent.click(await panel.findByRole('tab', { name: 'Events' }));
    expect(await panel.findByText(/came before the panel began to record/)).toBeTruthy();
  });

  it('the panel leaves no event listeners on the page after 50 mounts', async () => {
    const cycle = async (isLoaded: boolean): Promise<void> => {
      const view = render(<AgentDevtools initialIsOpen />, { wrapper: StrictMode });
      if (isLoaded) await openPanel();
      view.unmount();
    };
    // React itself leaves one listener on the document of its first root.
    await cycle(true);
    const settle = (): Promise<void> => act(() => new Promise<void>((resolve) => setTimeout(resolve, 50)));
    await settle();
    const left = new Map<string, number>();
    const page: readonly EventTarget[] = [window, document, document.documentElement, document.body];
    const count = (name: 'addEventListener' | 'removeEventListener', by: number): void => {
      const real = EventTarget.prototype[name];
      vi.spyOn(EventTarget.prototype, name).mockImplementation(function (
        this: EventTarget,
        ...given: Parameters<EventTarget['addEventListener']>
      ) {
        const target = this ?? window;
        const key = `${target.constructor.name} ${given[0]}`;
        if (page.includes(target)) left.set(key, (left.get(key) ?? 0) + by);
        Reflect.apply(real, target, given);
      });
    };
    count('addEventListener', 1);
    count('removeEventListener', -1);
    for (let visit = 0; visit < 50; visit++) await cycle(visit % 2 === 0);
    await settle();
    vi.restoreAllMocks();
    expect(left.size).toBeGreaterThan(0);
    expect([...left].filter(([, more]) => more !== 0)).toEqual([]);
  });

  it('the panel applies options that change later, and shows custom tabs', async () => {
    const words = definePanelTab({
      id: 'words',
      label: 'Words',
      View: ({ record }) => <p>{`${AgentState.messages(record.state).length} messages`}</p>,
    });
    const view = render(<AgentDevtools initialIsOpen theme="light" />);
    const { panel, root } = await openPanel();
    await act(() => helper().sendMessage('Hi'));
    await panel.findByText('helper');
    view.rerender(<AgentDevtools initialIsOpen theme="dark" tabs={[words]} position="left" />);
    fireEvent.click(await panel.findByRole('tab', { name: 'Words' }));
    // The panel updates at most every tenth of a second.
    expect(await panel.findByText('4 messages')).toBeTruthy();
    expect(root.querySelector('.theme')?.getAttribute('data-theme')).toBe('dark');
    expect(root.querySelector('.dock.left')).toBeTruthy();
  });
});

/** A source outside of this library that can emit a pause event. */
function journalSource(onListener: (by: 1 | -1) => void = () => undefined): {
  readonly source: HubSource;
  readonly pause: () => void;
} {
  const base = AgentState.create();
  const listeners = new Set<Parameters<HubSource['journal']['subscribe']>[0]>();
  const subscribe: HubSource['journal']['subscribe'] = (listener) => {
    listeners.add(listener);
    onListener(1);
    return () => {
      listeners.delete(listener);
      onListener(-1);
    };
  };
  const event: AgentEvent = {
    type: 'execution-pause',
    at: 0,
    path: [],
    seq: 1,
  };
  return {
    source: { id: 'early', name: 'early', journal: { id: 'j', base, state: () => base, subscribe } },
    pause: () => listeners.forEach((listener) => listener(event, { ...base, seq: 1 })),
  };
}

async function afterRun(): Promise<Awaited<ReturnType<typeof openPanel>> & { session: AgentSession }> {
  render(<AgentDevtools initialIsOpen />);
  const opened = await openPanel();
  const session = helper();
  await act(() => session.sendMessage('Hi'));
  await opened.panel.findByRole('treeitem', { name: /answer/ });
  await opened.panel.findByText(/^It finished after/);
  return { ...opened, session };
}
