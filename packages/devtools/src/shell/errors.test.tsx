import { act, cleanup, fireEvent, render, waitFor, within } from '@testing-library/react';
import { type AgentState, createAgentSession, defineAgent } from '@vitrine/core';
import { sessionHub } from '@vitrine/inspect';
import { fakeTool, scriptedInference } from '@vitrine/testing';
import fc from 'fast-check';
import { type ReactNode, useEffect } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AgentDevtools, definePanelTab } from '../index.ts';

const seenByPage: unknown[] = [];
const onError = (event: ErrorEvent): void => void seenByPage.push(event.error);

beforeEach(() => {
  seenByPage.length = 0;
  window.addEventListener('error', onError);
  // React logs the errors that a boundary catches.
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => {
  cleanup();
  window.removeEventListener('error', onError);
  vi.restoreAllMocks();
  localStorage.clear();
});

async function openPanel(
  tabs: Parameters<typeof AgentDevtools>[0]['tabs'] = [],
): Promise<ReturnType<typeof within>> {
  render(
    <main>
      <p>The page</p>
      <AgentDevtools initialIsOpen tabs={tabs} />
    </main>,
  );
  const found = (): Element | null | undefined =>
    document.querySelector('[data-vitrine-devtools]')?.shadowRoot?.querySelector('.root');
  await waitFor(() => expect(found()).toBeTruthy());
  return within(found() as HTMLElement);
}

/** The state of an agent that called a tool and answered. */
async function finishedState(): Promise<AgentState> {
  const script = [{ toolCalls: [{ name: 'look', input: { at: 'x' } }] }, { text: 'Done.' }];
  const agent = defineAgent({
    name: 'a',
    tools: [fakeTool('look', 1)],
    inference: scriptedInference(script),
  });
  const session = createAgentSession({ agent });
  await session.sendMessage('Look');
  const { state } = session.store.getState();
  await session.dispose();
  return state;
}

const views = ['Run', 'State', 'Events', 'Trace', 'Cause'];

/** Expects the panel to work and the page to have no errors. */
function expectWhole(panel: ReturnType<typeof within>): void {
  expect(panel.getByLabelText('Close devtools')).toBeTruthy();
  expect(document.querySelector('main p')?.textContent).toBe('The page');
  expect(seenByPage).toEqual([]);
}

describe('a custom view that throws', () => {
  const throwing: Record<string, () => ReactNode> = {
    'while it renders': () => {
      throw new Error('So it goes');
    },
    'something that is no error': () => {
      throw 'So it goes' as unknown as Error;
    },
    'in an effect': function Late() {
      useEffect(() => {
        throw new Error('So it goes');
      }, []);
      return 'Here at first';
    },
  };

  it.each(Object.entries(throwing))(
    '%s, says so in its place, and nothing else is lost',
    async (_how, View) => {
      const bad = definePanelTab({ id: 'bad', label: 'Bad', View });
      const panel = await openPanel([bad]);
      const state = await finishedState();
      const leave = announce('good', () => state);
      await panel.findByText(/^It finished after 2 steps/);
      fireEvent.click(panel.getByRole('tab', { name: 'Bad' }));
      expect((await panel.findByRole('alert')).textContent).toMatch(/This view failed: So it goes/);
      expect(panel.getByText(/^It finished after 2 steps/)).toBeTruthy();
      expectWhole(panel);
      fireEvent.click(panel.getByRole('tab', { name: 'Run' }));
      expect(panel.queryByRole('alert')).toBeNull();
      act(leave);
    },
  );
});

function announce(id: string, stateOf: () => AgentState, more: object = {}): () => void {
  const state = stateOf();
  const journal = { id: `journal-${id}`, base: state, state: stateOf, subscribe: () => () => undefined };
  let leave = (): void => undefined;
  act(() => {
    leave = sessionHub().register({ id, name: id, journal, ...more } as never);
  });
  return leave;
}

describe('a source that throws', () => {
  it('a source whose budget throws loses only its header', async () => {
    const panel = await openPanel();
    const state = await finishedState();
    const budget = (): never => {
      throw new Error('No money');
    };
    const leave = announce('poor', () => state, { budget });
    expect((await panel.findAllByRole('alert'))[0]?.textContent).toMatch(/This view failed: No money/);
    expect((await panel.findAllByRole('treeitem')).length).toBeGreaterThan(1);
    expectWhole(panel);
    act(leave);
  });

  it('a source whose isRunning throws is shown as neither running nor interrupted', async () => {
    const panel = await openPanel();
    const state = await finishedState();
    const isRunning = (): never => {
      throw new Error('Nobody knows');
    };
    const leave = announce('odd', () => state, { isRunning });
    expect(await panel.findByText(/^It finished after 2 steps/)).toBeTruthy();
    expect(panel.queryByRole('alert')).toBeNull();
    expectWhole(panel);
    act(leave);
  });

  it('a source whose state throws later keeps its last state', async () => {
    const panel = await openPanel();
    const state = await finishedState();
    let isBroken = false;
    const stateOf = (): AgentState => {
      if (isBroken) throw new Error('Gone');
      return state;
    };
    const leave = announce('odd', stateOf, { isRunning: () => false });
    await panel.findByText(/^It finished after 2 steps/);
    isBroken = true;
    for (const name of views) {
      fireEvent.click(panel.getAllByRole('tab', { name })[0]!);
      await act(() => Promise.resolve());
      expect(panel.getByText(/^It finished after 2 steps/)).toBeTruthy();
    }
    expect(panel.queryByRole('alert')).toBeNull();
    expectWhole(panel);
    act(leave);
  });

  it('a source whose state throws from the start does not hide the other sources', async () => {
    const panel = await openPanel();
    const state = await finishedState();
    const leaveGood = announce('good', () => state);
    let isBroken = false;
    const leave = announce('bad', () => {
      if (isBroken) throw new Error('Keep out');
      isBroken = true;
      return state;
    });
    expect((await panel.findAllByRole('alert'))[0]?.textContent).toMatch(/Keep out/);
    fireEvent.change(panel.getByLabelText('Session'), { target: { value: '0' } });
    await panel.findByText(/^It finished after 2 steps/);
    expectWhole(panel);
    act(leave);
    act(leaveGood);
  });

  it(
    'a fault anywhere in the state of a source causes no error of the page and hides no other source',
    { timeout: 120_000 },
    async () => {
      const panel = await openPanel();
      const whole = await finishedState();
      const leaveGood = announce('good', () => whole);
      const breaks = fc.record({
        path: fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 8 }),
        by: fc.constantFrom<keyof typeof faults>('getter', 'proxy', 'nothing', 'number', 'cycle'),
      });
      await fc.assert(
        fc.asyncProperty(breaks, async ({ path, by }) => {
          const leave = announce('bad', () => broken(whole, path, faults[by]));
          for (const name of views) {
            const [tab] = panel.queryAllByRole('tab', { name });
            if (tab) fireEvent.click(tab);
            await act(() => Promise.resolve());
            expectWhole(panel);
          }
          act(leave);
          await panel.findByText(/^It finished after 2 steps/);
        }),
        { numRuns: 40, examples: [[{ path: [4], by: 'proxy' }], [{ path: [4], by: 'getter' }]] },
      );
      act(leaveGood);
    },
  );
});

const refuse = (): never => {
  throw new Error('Keep out');
};
const cycle: { self?: object } = {};
cycle.self = cycle;

/** Property descriptors that replace a value. */
const faults = {
  getter: { get: refuse },
  proxy: {
    value: new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse }),
  },
  nothing: { value: undefined },
  number: { value: 7 },
  cycle: { value: cycle },
} satisfies Record<string, PropertyDescriptor>;

/** Copies a state and puts a fault at the place that the numbers select. */
function broken(state: AgentState, path: readonly number[], fault: PropertyDescriptor): AgentState {
  const copy = structuredClone(state);
  let at: Record<string, unknown> = copy as unknown as Record<string, unknown>;
  for (const [depth, number] of path.entries()) {
    const names = Object.keys(at);
    const name = names[number % names.length];
    if (name === undefined) break;
    const next = at[name];
    if (depth < path.length - 1 && typeof next === 'object' && next !== null && Object.keys(next).length > 0)
      at = next as Record<string, unknown>;
    else {
      Object.defineProperty(at, name, { enumerable: true, configurable: true, ...fault });
      break;
    }
  }
  return copy;
}
