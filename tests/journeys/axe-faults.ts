import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The faults that axe finds on the page, without the panel. */
export async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate<string[]>(
    `axe.run({ exclude: [['[data-vitrine-devtools]']] }, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`,
  );
}
