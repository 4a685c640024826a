import type { Locator } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { demoJourneys } from './demo-journeys.ts';
import type { Visitor } from './visitor.ts';

const demo = demoJourneys();
let visitor: Visitor;
let panel: Locator;
let clicks = 0;

/** A click of the person, counted. */
async function click(target: Locator): Promise<void> {
  clicks++;
  await target.click();
}

/** Two questions that were answered with the calculator. */
async function afterTwoRuns(): Promise<void> {
  visitor = await demo.visit();
  const { page, conversation, say } = visitor;
  panel = page.getByRole('region', { name: 'Vitrine devtools' });
  await say('What is 12 * 7?');
  await conversation.getByText('The result is 84.').waitFor();
  await say('What is 40 + 2?');
  await conversation.getByText('The result is 42.').waitFor();
  await panel.getByText(/^It finished after 2 steps/).waitFor();
  clicks = 0;
}

const stepRow = (number: number): Locator =>
  panel
    .getByRole('tree', { name: 'Steps' })
    .getByRole('treeitem', { level: 1 })
    .nth(number - 1);
const step = (number: number): Locator => panel.getByRole('region', { name: `Step ${number}` });
const view = (name: string): Locator =>
  panel.getByRole('tablist', { name: /Views of step/ }).getByRole('tab', { name });
const run = (): Locator => panel.getByRole('combobox', { name: 'Run' });

describe('a person who looks into a run', () => {
  beforeEach(afterTwoRuns);

  it('a person finds in three clicks at most which messages the compiler left out, and why', async () => {
    await click(stepRow(1));
    await click(step(1).getByText('2 messages of earlier runs not sent again, as usual'));
    const text = await step(1).innerText();
    expect(text).toContain('It belongs to the trace of an earlier run');
    expect(text).toMatch(/not sent[\s\S]*12 \* 7/);
    expect(clicks).toBeLessThanOrEqual(3);
  });

  it('a person finds in three clicks at most the arguments and the result of a tool', async () => {
    await click(stepRow(1));
    await click(view('Tools'));
    expect(await step(1).innerText()).toMatch(/calculator[\s\S]*Input[\s\S]*40 \+ 2[\s\S]*Result[\s\S]*42/);
    expect(clicks).toBeLessThanOrEqual(3);
  });

  it('a person finds in three clicks at most the state at step 2', async () => {
    await click(stepRow(2));
    await click(view('State'));
    await step(2)
      .getByText(/after step 2; changes/)
      .waitFor();
    await step(2)
      .getByRole('treeitem', { name: /ExecutionState completed/ })
      .waitFor();
    expect(await step(2).locator('[data-changed="true"]').count()).toBeGreaterThan(2);
    expect(clicks).toBeLessThanOrEqual(3);
  });

  it('a person goes back to the first run, also after a reload, as long as the store has its events', async () => {
    await run().selectOption({ index: 0 });
    await click(stepRow(1));
    expect(await step(1).innerText()).toMatch(/What is 12 \* 7\?/);
    await click(view('Tools'));
    expect(await step(1).innerText()).toMatch(/12 \* 7[\s\S]*84/);
    await panel.getByRole('button', { name: 'Back to live' }).click();
    await visitor.page.reload();
    await visitor.conversation.getByText('The result is 42.').waitFor();
    await run().waitFor();
    // They are told from the messages until the store was read.
    await expect
      .poll(() => run().locator('option').allInnerTexts())
      .toEqual(['Run 1 · What is 12 * 7?', 'Run 2 · What is 40 + 2?']);
    await run().selectOption({ index: 0 });
    await click(stepRow(1));
    await click(view('Tools'));
    expect(await step(1).innerText()).toMatch(/12 \* 7[\s\S]*84/);
  });

  it('a person moves through the moments by keyboard, sees the past only in the panel, and comes back', async () => {
    await click(panel.getByRole('button', { name: 'Look back' }));
    const slider = panel.getByRole('slider', { name: 'Moment' });
    await visitor.page.keyboard.press('Home');
    await panel.getByText('It had not run yet.').waitFor();
    expect(await slider.getAttribute('aria-valuetext')).toBe('before the first event');
    expect(await visitor.conversation.getByText('The result is 42.').count()).toBe(1);
    await visitor.page.keyboard.press(']');
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/step 1, step-start/);
    await panel.getByText('It was running.').waitFor();
    await visitor.page.keyboard.press('Escape');
    await panel.getByText(/^It finished after 2 steps/).waitFor();
  });

  it('a person searches everything, and each result is opened, scrolled to and marked', async () => {
    const field = panel.getByRole('searchbox', { name: 'Search everything' });
    await field.fill('12 * 7');
    const found = panel.getByRole('listbox', { name: 'Found' }).getByRole('option');
    await found.filter({ hasText: 'Run 1, step 1, call of calculator' }).click();
    const marked = panel.locator('.item[data-found="true"]');
    await marked.waitFor();
    expect(await marked.innerText()).toMatch(/calculator[\s\S]*12 \* 7/);
    await expect
      .poll(() => run().inputValue())
      .toBe(await run().locator('option').first().getAttribute('value'));
  });

  it('a person saves a trace, opens it beside the session, and finds the way out of it, however long its name', async () => {
    const { page } = visitor;
    await panel.getByRole('tab', { name: 'Trace', exact: true }).click();
    await panel.getByRole('button', { name: 'Preview trace' }).click();
    const download = page.waitForEvent('download');
    await panel.getByRole('button', { name: 'Save trace' }).click();
    await panel.getByLabel('Trace file to open').setInputFiles(await (await download).path());
    await panel
      .locator('.agent')
      .getByText(/view only/)
      .waitFor();
    await panel.getByRole('button', { name: 'Menu' }).click();
    const closing = panel.getByRole('button', { name: 'Close trace' });
    await closing.waitFor();
    const { x, width } = (await panel.getByRole('button', { name: 'Close devtools' }).boundingBox())!;
    expect(x + width).toBeLessThanOrEqual(1440);
    await closing.click();
    await closing.waitFor({ state: 'detached' });
    await panel.getByText(/^It finished after 2 steps/).waitFor();
  });
});
