import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { FaultyAgent } from '../../apps/demo/src/faults/faulty-agent.ts';
import { faultyAgents } from '../../apps/demo/src/faults/faulty-agents.ts';
import { demoJourneys } from './demo-journeys.ts';
import { diagnosed } from './panel-page/panel-visit.ts';

// The pages of docs/gallery are made of what the panel shows here:
// npx vitest run --project journeys gallery -u

const demo = demoJourneys();
const folder = '../../docs/gallery';

/** The panel's words about a faulty run, and the place to which they lead. */
type Told = {
  readonly verdict: string;
  /** False for a run with hints only. */
  readonly isFault: boolean;
  readonly isGreen: boolean;
  readonly sentence: string;
  readonly remedy: string;
  readonly code: string;
  /** The step and the page of the inspector, e.g. `the page Received of step 1`. */
  readonly place: string;
  readonly clicks: number;
};

it(
  'each of the twenty faults is named by the panel, and a run that certainly went wrong is never called a success',
  { timeout: 300_000 },
  async () => {
    const { page } = await demo.visit();
    await page.getByRole('link', { name: 'Break something' }).click();
    const told: (readonly [FaultyAgent, Told])[] = [];
    for (const fault of faultyAgents) {
      await page.getByRole('button', { name: fault.title, exact: true }).click();
      told.push([fault, await lookInto(page, fault)]);
      await page.getByRole('button', { name: 'All faults' }).click();
    }
    expect(
      told
        .filter(([, { isFault, isGreen, verdict }]) => isFault && (isGreen || /final answer/.test(verdict)))
        .map(([{ id }]) => id),
    ).toEqual([]);
    expect(told.filter(([fault, { code }]) => code !== fault.code).map(([{ id }]) => id)).toEqual([]);
    expect(Math.max(...told.map(([, { clicks }]) => clicks))).toBeLessThanOrEqual(3);
    for (const [fault, words] of told)
      await expect(pageOf(fault, words)).toMatchFileSnapshot(`${folder}/${fault.id}.md`);
    await expect(listOf(faultyAgents)).toMatchFileSnapshot(`${folder}/README.md`);
  },
);

/** Follows the first finding to its place, as a person would. */
async function lookInto(page: Page, { id, place, code }: FaultyAgent): Promise<Told> {
  const panel = page.getByRole('region', { name: 'Vitrine devtools' });
  const verdict = panel.locator('.verdict');
  await expect.poll(() => verdict.innerText()).toMatch(/^It (finished|ended|failed|was stopped)/);
  await diagnosed(panel);
  expect(await verdict.getAttribute('data-fault')).toMatch(/^(fault|hint)$/);
  const isFault = (await verdict.getAttribute('data-fault')) === 'fault';
  const seen = { verdict: await verdict.innerText(), isFault, isGreen: await isGreen(panel) };
  let clicks = 0;
  const click = async (target: Locator): Promise<void> => {
    clicks++;
    await target.click();
  };
  const findings = panel.getByRole('group', { name: 'Findings' });
  if (!isFault) await click(findings.getByRole('button', { name: /^\d+ hints?$/ }));
  await click(
    findings
      .getByRole('listitem')
      .filter({ has: page.locator(`[data-code="${code}"]`) })
      .first()
      .locator('.finding-row'),
  );
  const card = panel.locator('.finding-card').first();
  await expect.poll(() => isInView(card), { message: id }).toBe(true);
  const named = place === null ? '' : 'tool' in place ? place.tool : (place.statePath.at(-1) ?? '');
  expect(await panel.innerText()).toContain(named);
  return {
    ...seen,
    sentence: await card.locator('.finding-whole').innerText(),
    remedy: await card.locator('.finding-remedy').innerText(),
    code: await card.locator('.facts code').innerText(),
    place: await placeOf(panel),
    clicks,
  };
}

/** The place that the panel shows, in its own words. */
async function placeOf(panel: Locator): Promise<string> {
  const step = panel.getByRole('region', { name: /^Step \d+/ });
  if ((await step.count()) === 0)
    return `the page ${await panel.getByRole('tablist', { name: 'Views', exact: true }).getByRole('tab', { selected: true }).innerText()}`;
  const view = await step.getByRole('tab', { selected: true }).innerText();
  const number = /\d+/.exec((await step.getAttribute('aria-label')) ?? '')?.[0];
  return `the page ${view} of step ${number}`;
}

/** True if the panel marks the run with the colour of success, which it uses for its own accents. */
async function isGreen(panel: Locator): Promise<boolean> {
  return panel.evaluate((root) => {
    const accent = document.createElement('i');
    accent.style.color = 'var(--accent)';
    root.append(accent);
    const { color: green } = getComputedStyle(accent);
    accent.remove();
    return getComputedStyle(root.querySelector('.verdict')!).borderInlineStartColor === green;
  });
}

/** True if a person sees the top of an element without scrolling. */
function isInView(element: Locator): Promise<boolean> {
  return element.evaluate((box) => {
    const { left, top } = box.getBoundingClientRect();
    const root = box.getRootNode() as ShadowRoot;
    return box.contains(root.elementFromPoint(left + 20, top + 16));
  });
}

/** The waits before retries are real times, with a part that is random. */
const withoutTimes = (text: string): string =>
  text.replaceAll(/\d+ ms/g, '60 ms').replaceAll(/\d+\.\d s\b/g, '2.4 s');
const quote = (text: string): string =>
  withoutTimes(text)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');

function pageOf({ id, title, question, cause }: FaultyAgent, words: Told): string {
  return `# ${title}

A person asks “${question}” and complains: ${title[0]?.toLowerCase()}${title.slice(1)}.

See it: start the demo with \`npm run demo\`, and open it with \`?fault=${id}\`.

## What the panel says

${words.isFault ? `Under the verdict “${words.verdict}” stands the fault:` : `Under the verdict “${words.verdict}” stands a count of hints. One of them is:`}

${quote(words.sentence)}

One click on it opens ${words.place}, with the evidence and the remedy:

${quote(words.remedy)}

## The cause

${cause}

The finding has the code \`${words.code}\`. [Findings](../guide/findings.md) says how to ask for it in a test.
`;
}

function listOf(faults: readonly FaultyAgent[]): string {
  const lines = faults.map(({ id, title }) => `- [${title}](${id}.md)`);
  return `# Gallery of faults

Twenty agents with one fault each. A person who sees only the chat complains; the panel says why.

They run in the demo, without a model: \`npm run demo\`, then “Break something” below the examples. The code of the agents is in \`apps/demo/src/faults/\`. Each page quotes what the panel showed in Chromium.

${lines.join('\n')}
`;
}
