import { describe, expect, it } from 'vitest';
import { panelJourneys } from './panel-page/panel-journeys.ts';
import type { PanelVisit } from './panel-page/panel-visit.ts';

const open = panelJourneys();
let visit: PanelVisit;

/** Counts what React commits: nothing else on the page is made with it. */
const counter = `<script>
  globalThis.commits = 0;
  globalThis.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberRoot: () => void globalThis.commits++,
    onCommitFiberUnmount: () => undefined,
  };
</script>`;

/** The simulated time of an answer, and the time between its deltas. */
const [streamMs, deltaMs] = [3000, 5];

/** React's commits while 200 deltas a second come, by a simulated clock. */
async function commitsOfStream(options: {
  readonly isHidden: boolean;
  readonly isOpen?: boolean;
}): Promise<number> {
  const { isOpen: initialIsOpen = true } = options;
  visit = await open({ html: counter });
  await visit.page.evaluate(
    async (given) => {
      panelPage.mount(given);
      await panelPage.add('before');
    },
    { initialIsOpen },
  );
  if (initialIsOpen) await visit.panel.getByText(/^It finished after 1 step/).waitFor();
  else await visit.page.getByRole('button', { name: 'Open Vitrine devtools' }).waitFor();
  await visit.page.clock.install({ time: 0 });
  await visit.page.clock.pauseAt(10_000);
  const before = await commits();
  await visit.page.evaluate(
    ([isHidden, ms, everyMs]) => {
      Object.defineProperty(document, 'hidden', { get: () => isHidden });
      const chunks = Array.from({ length: ms / everyMs }, (_, index) => `word ${index} `);
      const session = panelPage.session('streaming', [{ chunks, delayMs: everyMs }]);
      Object.assign(globalThis, { isOver: false });
      void session.sendMessage('Tell me').then(() => Object.assign(globalThis, { isOver: true }));
    },
    [options.isHidden, streamMs, deltaMs] as const,
  );
  for (let ms = 0; ms < streamMs; ms += deltaMs) await visit.page.clock.runFor(deltaMs);
  // A tick may come before the page has asked for the next one.
  await expect
    .poll(() => visit.page.clock.runFor(deltaMs).then(() => visit.page.evaluate('isOver')))
    .toBe(true);
  return (await commits()) - before;
}

const commits = (): Promise<number> => visit.page.evaluate('commits');

describe('while an answer streams', () => {
  it('the panel renders ten times a second at most', async () => {
    const count = await commitsOfStream({ isHidden: false });
    // Besides: one for the message, and the first and the last of the answer, each of them once more with its findings.
    expect(count).toBeLessThanOrEqual((10 * streamMs) / 1000 + 6);
    expect(count).toBeGreaterThan((5 * streamMs) / 1000);
  });

  it('a closed panel renders nothing', async () => {
    expect(await commitsOfStream({ isHidden: false, isOpen: false })).toBe(0);
  });

  it('the panel renders four times a second at most where nobody can see it', async () => {
    const count = await commitsOfStream({ isHidden: true });
    expect(count).toBeLessThanOrEqual((4 * streamMs) / 1000 + 6);
    expect(count).toBeGreaterThan((2 * streamMs) / 1000);
  });
});
