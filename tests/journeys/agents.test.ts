import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFaults } from './axe-faults.ts';
import { demoJourneys } from './demo-journeys.ts';

const demo = demoJourneys({ VITRINE_DEMO_PACE_MS: '4' });

const table = [
  'month,region,revenue',
  '2026-01,North,100',
  '2026-01,South,40417',
  '2026-02,North,250',
  '2026-03,South,"1,300"',
].join('\n');

/** Drops a file on the message box, as a person does from a folder. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).evaluate(
    (field, [called, content]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], called, { type: 'text/csv' }));
      field.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
    },
    [name, text] as const,
  );
}

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it('the data agent draws a table that was dropped, which stays in the browser', async () => {
    const { page, conversation, say } = await demo.visit({ colorScheme });
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.postData() ?? ''));
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('radio', { name: /^Data agent/ }).check();
    await drop(page, 'money.csv', table);
    await say('Draw the revenue by month');
    const chart = conversation.getByRole('img', {
      name: /^revenue by month: 2026-01 40,517, 2026-02 250, 2026-03 1,300$/,
    });
    await chart.waitFor();
    await conversation
      .getByText(/2026-01 \(40,517\) is the highest and 2026-02 \(250\) the lowest/)
      .waitFor();
    await expect.poll(() => inkOf(page)).toBeGreaterThan(1000);
    await conversation.getByText('Values', { exact: true }).click();
    expect(await axeFaults(page)).toEqual([]);
    expect(sent.join('')).toContain('money.csv');
    // What was computed is told; no row is, nor the file.
    expect(sent.join('')).toContain('40517');
    expect(sent.join('')).not.toContain('40417');
    expect(sent.join('')).not.toContain(Buffer.from(table).toString('base64').slice(0, 40));
    await page.reload();
    await chart.waitFor();
    await page.locator('.agent-badge').getByText('Data agent').waitFor();
    await say('Compare the average revenue by region');
    await conversation.getByRole('img', { name: /: North 175, South 20,858.5$/ }).waitFor();
  });

  it('the researcher has two others look side by side, and keeps the report as it was changed', async () => {
    const { page, conversation, say } = await demo.visit({ colorScheme });
    await page.getByRole('radio', { name: /^Researcher/ }).check();
    await say('Research how budgets work');
    const at = conversation.locator('.vitrine-subagent[data-status="running"] progress');
    await expect.poll(() => at.count()).toBe(2);
    await expect
      .poll(() => at.first().evaluate((bar) => (bar as HTMLProgressElement).value))
      .toBeGreaterThan(0.2);
    const card = page.getByRole('region', { name: 'May save_report run?' });
    await card.getByText('The report will carry your name').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await card.getByRole('button', { name: 'Edit' }).click();
    await card.getByLabel('title', { exact: true }).fill('');
    await card.getByRole('button', { name: 'Approve with these changes' }).click();
    await card.getByText(/^title: /).waitFor();
    await card.getByLabel('title', { exact: true }).fill('What budgets do');
    await card.getByLabel('For whom it is written').selectOption('the team');
    await card.getByRole('button', { name: 'Approve with these changes' }).click();
    const report = conversation.getByRole('region', { name: 'Report: What budgets do' });
    await report.getByText('for the team').waitFor();
    await report
      .getByRole('listitem')
      .filter({ hasText: /^budgets: .*budget/ })
      .first()
      .waitFor();
    await conversation.getByText('save_report is done: “What budgets do”.').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    const download = page.waitForEvent('download');
    await report.getByRole('button', { name: 'Download' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('What-budgets-do.md');
    expect(readFileSync(await file.path(), 'utf8')).toMatch(/^# What budgets do\n\n- \*\*budgets\*\*/);
  });
});

/** Points of the chart that were drawn. */
function inkOf(page: Page): Promise<number> {
  return page.locator('.chart canvas').evaluate((element) => {
    const { width, height } = element as HTMLCanvasElement;
    const data =
      (element as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
    return Array.from(data).filter((value, at) => at % 4 === 3 && value > 0).length;
  });
}

it('a session keeps the agent that it was begun with; a new one begins with the last that was chosen', async () => {
  const { page, conversation, say } = await demo.visit();
  const badge = page.locator('.agent-badge');
  await say('What is 1 + 1?');
  await conversation.getByText('The result is 2.').waitFor();
  await page.getByRole('button', { name: 'New session', exact: true }).click();
  await page.getByRole('radio', { name: /^Researcher/ }).check();
  await say('Hello');
  await conversation.getByText(/You said: “Hello”/).waitFor();
  expect(await badge.innerText()).toBe('Researcher');
  await page.getByRole('navigation', { name: 'Sessions' }).getByText('What is 1 + 1?').click();
  await conversation.getByText('The result is 2.').waitFor();
  expect(await badge.innerText()).toBe('Assistant');
  await say('What is 2 + 2?');
  await conversation.getByText('The result is 4.').waitFor();
  await conversation.getByRole('button', { name: 'Fork into a new session' }).last().click();
  await expect
    .poll(() => page.getByRole('navigation', { name: 'Sessions' }).getByRole('listitem').count())
    .toBe(3);
  await conversation.getByText('The result is 4.').waitFor();
  await expect.poll(() => badge.innerText()).toBe('Assistant');
  await page.getByRole('button', { name: 'New session', exact: true }).click();
  await expect.poll(() => page.getByRole('radio', { name: /^Researcher/ }).isChecked()).toBe(true);
});

it('what may run without asking is listed, and asked for again once it was taken back', async () => {
  const { page, conversation, say } = await demo.visit();
  await say('Remember to buy milk');
  await conversation.getByText('Noted. There is 1 note now.').waitFor();
  await say('Save my notes as a.md');
  await page.getByRole('button', { name: 'Always for this session' }).click();
  await conversation.getByText('Saved 1 note as a.md.').last().waitFor();
  await page.reload();
  const list = page.getByRole('list', { name: 'Answered without asking' });
  await list.getByText('runs without asking, in this session').waitFor();
  await list.getByRole('button', { name: /^Ask about .* again$/ }).click();
  await list.waitFor({ state: 'detached' });
  await say('Save my notes as b.md');
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
});

it('what a reload interrupted is not said to run, and comes to its end when it is taken up', async () => {
  const { page, conversation } = await demo.visit();
  await page.getByRole('radio', { name: /^Researcher/ }).check();
  await page.getByRole('button', { name: 'Research how budgets work' }).click();
  await conversation.getByText('running…').nth(1).waitFor();
  await page.reload();
  await page.getByText('The last run was interrupted').waitFor();
  expect(await conversation.getByText('interrupted', { exact: true }).count()).toBe(2);
  expect(await conversation.getByText('running…').count()).toBe(0);
  expect(await conversation.getByRole('progressbar').count()).toBe(0);
  const panel = page.getByRole('region', { name: 'Vitrine devtools' });
  await panel.getByText(/^It was interrupted after 1 step/).waitFor();
  expect(await panel.locator('.lane').getByText('running').count()).toBe(0);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
});

it('a file that is no table, and a column that there is not, are said and not guessed', async () => {
  const { page, conversation, say } = await demo.visit();
  await page.getByRole('radio', { name: /^Data agent/ }).check();
  await drop(page, 'words.csv', 'one\ntwo\n');
  await say('Draw it');
  await conversation.getByText(/`?read_table`? did not work: .*The file is no table/).waitFor();
});
