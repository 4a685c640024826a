import { expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { demoJourneys } from './demo-journeys.ts';

const demo = demoJourneys({}, { isLive: true });
const file = `/@fs${root}/tests/journeys/page/show-hostile-output.tsx`;

it.each([
  ['6,000 brackets', '['.repeat(6_000), 100],
  ['a million brackets', '['.repeat(1_000_000), 100],
  ['a fence and 100,000 newlines', `\`\`\`${'\n'.repeat(100_000)}x`, 0],
])(
  'an answer of %s under a response format is shown beside its chat, also after a reload',
  { timeout: 240_000 },
  async (_what, answer, levels) => {
    const { page } = await demo.visit();
    const show = (asks: boolean): Promise<unknown> =>
      page.evaluate(
        `import(${JSON.stringify(file)}).then((it) => it.showHostileOutput(${JSON.stringify(answer)}, ${asks}))`,
      );
    const shown = page.getByText(`2 messages, ${levels} levels, final null`);
    await show(true);
    await shown.waitFor({ timeout: 60_000 });
    await expect.poll(() => shown.textContent(), { timeout: 60_000 }).toMatch(/saved$/);
    await page.reload();
    await show(false);
    await shown.waitFor({ timeout: 60_000 });
    await page.getByRole('region', { name: 'Conversation' }).waitFor();
  },
);
