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

const streamMs = 3000;

/** React's commits in a second with 200 deltas a second. */
async function commitsASecond(options: { readonly isHidden: boolean }): Promise<number> {
  visit = await open({ html: counter });
  await visit.page.evaluate(async () => {
    panelPage.mount({});
    await panelPage.add('before');
  });
  await visit.panel.getByText(/^It finished after 1 step/).waitFor();
  return visit.page.evaluate(
    async ([isHidden, ms]) => {
      Object.defineProperty(document, 'hidden', { get: () => isHidden });
      const chunks = Array.from({ length: ms / 5 }, (_, index) => `word ${index} `);
      const session = panelPage.session('streaming', [{ chunks, delayMs: 5 }]);
      const counted = globalThis as unknown as { commits: number };
      const [begin, before] = [performance.now(), counted.commits];
      await session.sendMessage('Tell me');
      return (counted.commits - before) / ((performance.now() - begin) / 1000);
    },
    [options.isHidden, streamMs] as const,
  );
}

describe('while an answer streams', () => {
  it('the panel renders ten times a second at most', async () => {
    const commits = await commitsASecond({ isHidden: false });
    // One that was asked for before, and one at the end.
    expect(commits).toBeLessThanOrEqual(10 + 2 / (streamMs / 1000));
    expect(commits).toBeGreaterThan(0);
  });

  it('the panel renders four times a second at most where nobody can see it', async () => {
    const commits = await commitsASecond({ isHidden: true });
    expect(commits).toBeLessThanOrEqual(4 + 3 / (streamMs / 1000));
    expect(commits).toBeGreaterThan(0);
  });
});
