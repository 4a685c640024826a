import type { Locator } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { panelFaults } from './axe-faults.ts';
import { panelJourneys } from './panel-page/panel-journeys.ts';
import type { PanelVisit } from './panel-page/panel-visit.ts';

const open = panelJourneys();
let visit: PanelVisit;

describe('the Redux DevTools extension', () => {
  /** A session that has answered twice, with the panel told to tell the extension of it. */
  async function begun(options: object): Promise<void> {
    visit = await open();
    await visit.page.evaluate(async (given) => {
      panelPage.extension();
      panelPage.mount(given);
      const session = panelPage.session('told', [
        { text: 'One, with apiKey sk-proj-abcdefghijklmnopqrstuvwx1234' },
        { text: 'Two' },
      ]);
      panelPage.agents.set('told', session);
      // Announced, so that the extension hears of it if that is wanted.
      await session.rename('A session');
    }, options);
    if ('reduxDevtools' in options) await visit.page.waitForFunction(() => reduxInstances.length > 0);
    else await visit.page.waitForTimeout(500);
    await visit.page.evaluate(async () => {
      const session = panelPage.agents.get('told')!;
      await session.sendMessage('First');
      await session.sendMessage('Second');
    });
  }
  const told = (): Promise<{ type: string; state: string }[]> =>
    visit.page.evaluate(() => [...(reduxInstances[0]?.told ?? [])]);
  const say = (message: object): Promise<void> =>
    visit.page.evaluate((given) => reduxInstances[0]?.say(given), message);
  const dispatch = (payload: object, state?: string): Promise<void> =>
    say({ type: 'DISPATCH', payload, state });
  const said = (): Promise<number> =>
    visit.page.evaluate(() => {
      const { state } = panelPage.agents.get('told')!.store.getState();
      return state.context.store.sections.reduce((sum, { messages }) => sum + messages.length, 0);
    });

  it('the extension hears nothing when nobody asked for it', async () => {
    await begun({});
    expect(await visit.page.evaluate(() => reduxInstances.length)).toBe(0);
  });

  describe('that is told', () => {
    beforeEach(() => begun({ reduxDevtools: true }));

    it('the extension hears every change by its name, without secrets and without single deltas', async () => {
      const types = (await told()).map(({ type }) => type);
      expect(types[0]).toBe('init');
      expect(types).toContain('told/execution-end');
      expect(types).toContain('told/inference-end');
      expect(types).not.toContain('told/text-delta');
      expect(JSON.stringify(await told())).not.toContain('sk-proj-abcdefghijklmnopqrstuvwx1234');
    });

    it('the extension leads to an earlier state and back, by action and by state', async () => {
      expect(await said()).toBe(4);
      const types = (await told()).map(({ type }) => type);
      const firstEnd = types.indexOf('told/execution-end');
      await dispatch({ type: 'JUMP_TO_ACTION', actionId: firstEnd });
      await expect.poll(said).toBe(2);
      await dispatch({ type: 'JUMP_TO_STATE', actionId: types.length - 1, index: types.length - 1 });
      await expect.poll(said).toBe(4);
    });

    it('the extension imports a history, returns to its beginning, and starts anew', async () => {
      const before = await told();
      const firstEnd = before.findIndex(({ type }) => type === 'told/execution-end');
      const computedStates = before.map(({ state }) => ({ state: JSON.parse(state) as unknown }));
      await dispatch({
        type: 'IMPORT_STATE',
        nextLiftedState: { computedStates, currentStateIndex: firstEnd },
      });
      await expect.poll(said).toBe(2);
      await expect.poll(async () => (await told()).at(-1)?.type).toBe('lifted');
      await dispatch({ type: 'ROLLBACK' }, before.at(-1)?.state);
      await expect.poll(said).toBe(4);
      await dispatch({ type: 'COMMIT' });
      expect((await told()).at(-1)?.type).toBe('init');
      await dispatch({ type: 'RESET' });
      await expect.poll(said).toBe(0);
    });

    it('the extension applies a dispatched state, and no other action', async () => {
      const before = await told();
      const firstEnd = before.find(({ type }) => type === 'told/execution-end')!;
      const dispatched = (action: object): Promise<void> =>
        say({ type: 'ACTION', payload: JSON.stringify(action) });
      const state = JSON.parse(firstEnd.state) as object;
      await dispatched({ type: 'told/execution-end', state });
      await dispatched({ type: '__setState', state: { context: 1 } });
      expect(await said()).toBe(4);
      await dispatched({ type: '__setState', state });
      await expect.poll(said).toBe(2);
    });

    it('the extension gives back the state that it received, never one without its secrets', async () => {
      const secret = 'sk-proj-abcdefghijklmnopqrstuvwx1234';
      const kept = (): Promise<boolean> =>
        visit.page.evaluate(
          (text) => JSON.stringify(panelPage.agents.get('told')!.store.getState().state).includes(text),
          secret,
        );
      const before = await told();
      const firstEnd = before.find(({ type }) => type === 'told/execution-end')!;
      await dispatch({ type: 'ROLLBACK' }, firstEnd.state);
      await expect.poll(said).toBe(2);
      expect(await kept()).toBe(true);
      const last = JSON.parse(before.at(-1)!.state) as { metadata?: object };
      const computedStates = [{ state: JSON.parse(firstEnd.state) as object }, { state: last }];
      await dispatch({ type: 'IMPORT_STATE', nextLiftedState: { computedStates, currentStateIndex: 1 } });
      await expect.poll(said).toBe(4);
      expect(await kept()).toBe(true);
      const setState = (state: object): Promise<void> =>
        say({ type: 'ACTION', payload: JSON.stringify({ type: '__setState', state }) });
      await setState({ ...last, metadata: { note: 'by hand' } });
      const metadata = (): Promise<unknown> =>
        visit.page.evaluate(() => panelPage.agents.get('told')!.store.getState().state.context.metadata);
      await expect.poll(metadata).toMatchObject({ note: 'by hand' });
      expect(await kept()).toBe(true);
      await setState({ ...last, metadata: { password: '•••' } });
      await expect.poll(async () => (await told()).at(-1)?.type).toBe('error');
      expect(await metadata()).toMatchObject({ note: 'by hand' });
    });

    it('the extension gets nothing while it is paused, and unknown messages are ignored', async () => {
      await dispatch({ type: 'PAUSE_RECORDING', status: true });
      const count = (await told()).length;
      await visit.page.evaluate(() => panelPage.agents.get('told')!.sendMessage('Third'));
      expect((await told()).length).toBe(count);
      await dispatch({ type: 'PAUSE_RECORDING', status: false });
      for (const state of ['{', 'null', '{"context":1}', '[]']) {
        await dispatch({ type: 'ROLLBACK' }, state);
        await dispatch({ type: 'JUMP_TO_STATE', actionId: 9999 }, state);
      }
      for (const nextLiftedState of [null, 1, {}, { computedStates: [] }, { computedStates: [null] }])
        await dispatch({ type: 'IMPORT_STATE', nextLiftedState });
      await say({ type: 'ACTION', payload: '{' });
      await dispatch({ type: 'constructor' });
      expect(await said()).toBe(6);
    });
  });
});

/** The streams that a server of the AI SDK answers with: a whole answer, and one that fails. */
const watchedAnswers = [
  [
    { type: 'start' },
    { type: 'start-step' },
    { type: 'tool-input-available', toolCallId: 'c1', toolName: 'search', input: { q: 'green tea' } },
    { type: 'tool-output-available', toolCallId: 'c1', output: { hits: ['sencha'] } },
    { type: 'finish-step' },
    { type: 'start-step' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Sencha is a green tea.' },
    { type: 'text-end', id: 't' },
    { type: 'finish-step' },
    { type: 'finish' },
  ],
  [
    { type: 'start' },
    { type: 'start-step' },
    { type: 'tool-input-available', toolCallId: 'c2', toolName: 'search', input: { q: 'black tea' } },
    { type: 'tool-output-error', toolCallId: 'c2', errorText: 'The shop is closed.' },
    { type: 'finish-step' },
    { type: 'error', errorText: 'The upstream has died.' },
  ],
];

/** Sentences on what a stream to a page does not tell, and offers that only an agent of this library can keep. */
const claims =
  /\b0 tok|\$0|System prompt \(empty\)|Every message|no system prompt|hooks and checks|as a test/i;

describe('a chat of the AI SDK that the panel watches', () => {
  it.each(['light', 'dark'] as const)(
    'the panel says of a watched chat nothing that its stream does not tell, and has no faults for axe, %s',
    { timeout: 120_000 },
    async (theme) => {
      visit = await open({ context: { viewport: { width: 1440, height: 900 } } });
      const { page, panel } = visit;
      let next = 0;
      await page.route('**/api/chat', (route) => {
        const chunks = watchedAnswers[next++] ?? [];
        const body = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
        return route.fulfill({ contentType: 'text/event-stream', body: `${body}data: [DONE]\n\n` });
      });
      await page.evaluate(async (given) => {
        panelPage.mount({ theme: given });
        await panelPage.observed(['Which tea is green?', 'And which is black?']);
      }, theme);
      await panel.getByText(/^It failed after 1 step because of an error/).waitFor();
      await panel.getByRole('combobox', { name: 'Run' }).selectOption({ index: 0 });
      await panel.getByText(/^It finished after 2 steps/).waitFor();
      await panel.getByText(/^Watched from this page\. Not known: the request/).waitFor();
      const faults: string[] = [];
      const look = async (name: string): Promise<void> => {
        const text = await panel.innerText();
        expect(text, name).not.toMatch(claims);
        faults.push(...(await panelFaults(page)).map((fault) => `${name}: ${fault}`));
        if (process.env['PICTURES'])
          await page.screenshot({ path: `${process.env['PICTURES']}/watched-${theme}-${name}.png` });
      };
      const view = (name: string): Locator =>
        panel.getByRole('tablist', { name: 'Views', exact: true }).getByRole('tab', { name });
      const openPages = async (size: string): Promise<void> => {
        await view('Run').click();
        await look(`${size}-run`);
        await panel.getByRole('treeitem').first().click();
        for (const name of ['Sent', 'Received', 'Tools', 'State', 'Why', 'Fork']) {
          await panel
            .getByRole('tablist', { name: /^Views of step/ })
            .getByRole('tab', { name })
            .click();
          await look(`${size}-${name}`);
        }
      };
      for (const name of ['State', 'Events', 'Trace']) {
        await view(name).click();
        if (name === 'State')
          await panel
            .getByRole('button', { name: /search/ })
            .first()
            .waitFor();
        await look(`1440-${name}`);
      }
      await openPages('1440');
      await page.setViewportSize({ width: 390, height: 844 });
      await panel.getByRole('button', { name: /Back$/ }).click();
      await openPages('390');
      expect(faults).toEqual([]);
    },
  );
});
