import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { FaultyAgent } from '../../apps/demo/src/faults/faulty-agent.ts';
import { faultyAgents, hiddenFaults } from '../../apps/demo/src/faults/faulty-agents.ts';
import type { HiddenFault } from '../../apps/demo/src/faults/hidden-fault.ts';
import { demoJourneys } from './demo-journeys.ts';
import { experimentPage, type Explained, findingPage, galleryList, type Told } from './gallery-pages.ts';
import { diagnosed } from './panel-page/panel-visit.ts';

// The pages of docs/gallery are made of what the panel shows here:
// npx vitest run --project journeys gallery -u

const demo = demoJourneys();
const folder = '../../docs/gallery';

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
      await expect(findingPage(fault, words)).toMatchFileSnapshot(`${folder}/${fault.id}.md`);
  },
);

it(
  'each of the ten faults that no finding names is named by an experiment within its cap',
  { timeout: 120_000 },
  async () => {
    const { page } = await demo.visit();
    await page.getByRole('link', { name: 'Break something' }).click();
    const explained: (readonly [HiddenFault, Explained])[] = [];
    for (const fault of hiddenFaults) {
      await page.getByRole('button', { name: fault.title, exact: true }).click();
      explained.push([fault, await findCause(page, fault)]);
      await page.getByRole('button', { name: 'All faults' }).click();
    }
    for (const [{ id, line, means, change }, words] of explained) {
      expect([words.findings, words.isGreen], id).toEqual([0, true]);
      expect(words.verdict, id).toMatch(/^It finished .*The model gave its final answer\.$/);
      expect(JSON.parse(words.expectation), id).toEqual({ ...means, title: line });
      expect(words.sentence, id).toBe(`With ${change} ${line}: 5 of 5. As it was: 0 of 5.`);
      expect(words.calls, id).toBeLessThanOrEqual(words.cap);
      expect(words.cap, id).toBe(30);
    }
    for (const [fault, words] of explained)
      await expect(experimentPage(fault, words)).toMatchFileSnapshot(`${folder}/${fault.id}.md`);
  },
);

it('the list of the gallery names each of its pages', async () => {
  const pages = fileURLToPath(new URL(folder, import.meta.url));
  const list = galleryList(faultyAgents, hiddenFaults, pages);
  const named = [...list.matchAll(/\]\((.+?\.md)\)/g)].map(([, name]) => name);
  const written = readdirSync(pages).filter((name) => name !== 'README.md');
  expect(written.filter((name) => !named.includes(name))).toEqual([]);
  await expect(list).toMatchFileSnapshot(`${folder}/README.md`);
});

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

/** Writes what the agent should do, and runs the experiment, as a person would. */
async function findCause(
  page: Page,
  { id, line, askedBefore = [], triedModel }: HiddenFault,
): Promise<Explained> {
  const panel = page.getByRole('region', { name: 'Vitrine devtools' });
  await panel.getByText(`run ${askedBefore.length + 1}`, { exact: true }).waitFor();
  const verdict = panel.locator('.verdict');
  await expect
    .poll(() => verdict.innerText(), { message: id })
    .toMatch(/^It (finished|ended|failed|was stopped)/);
  await diagnosed(panel);
  const seen = {
    verdict: await verdict.innerText(),
    isGreen: await isGreen(panel),
    findings: await panel.locator('[data-code]').count(),
  };
  await panel.getByRole('tab', { name: 'Cause' }).click();
  await panel.getByLabel('What should the agent do?').fill(line);
  const meaning = panel.getByLabel('That means');
  const expectation = await meaning.inputValue();
  await panel.getByRole('button', { name: 'Find out why' }).click();
  if (triedModel !== undefined) {
    await panel.getByText('Change something yourself').click();
    await panel.getByLabel('Edit').selectOption('model');
    await panel.getByLabel('New value').fill(triedModel);
    await panel.getByRole('button', { name: 'Try it too' }).click();
    await panel.getByText('Change something yourself (1)').waitFor();
  }
  await panel.getByRole('button', { name: 'Run the experiment' }).click();
  const sentence = panel.getByRole('group', { name: 'The cause of what the run does' }).getByRole('status');
  await expect.poll(() => sentence.innerText(), { message: id }).toMatch(/As it was: \d+ of \d+\.$/);
  const changes = await panel
    .getByRole('table', { name: 'What was tried' })
    .getByRole('rowheader')
    .allInnerTexts();
  const spent = await panel.getByText(/^\d+ model calls, /).innerText();
  return {
    ...seen,
    meaning: await meaning.locator('option:checked').innerText(),
    expectation,
    tried: changes.filter((name) => name !== 'as it was'),
    sentence: await sentence.innerText(),
    calls: Number.parseInt(spent, 10),
    cap: Number(await panel.getByLabel('Most model calls').inputValue()),
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
