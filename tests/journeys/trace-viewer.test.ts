import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchOptions } from '../../scripts/ensure-chromium.ts';
import { root } from '../../scripts/root.ts';
import { traceViewer } from '../../scripts/trace-viewer.ts';
import { endPanelVisits, panelVisit } from './panel-page/panel-visit.ts';

const html =
  '<img src="x" onerror="alert(1)"><script>alert(2)</script><a href="javascript:alert(3)">here</a>';

let browser: Browser;
let folder: string;
let trace: string;
let page: Page;
let panel: Locator;
const asked: string[] = [];
const complaints: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-viewer-'));
  await writeFile(join(folder, 'viewer.html'), await traceViewer());
  trace = await savedTrace();
  browser = await chromium.launch(launchOptions());
  page = await browser.newPage();
  page.on('request', (request) => asked.push(request.url()));
  page.on('dialog', (dialog) => complaints.push(dialog.message()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => complaints.push(message.text()));
  panel = page.getByRole('region', { name: 'Vitrine devtools' });
});
afterAll(async () => {
  await browser.close();
  await endPanelVisits();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => page.goto(pathToFileURL(join(folder, 'viewer.html')).href).then(() => undefined));

/** A trace as somebody saves it out of the panel, of a session that is full of markup. */
async function savedTrace(): Promise<string> {
  const visit = await panelVisit();
  await visit.page.evaluate(async (text) => {
    panelPage.mount();
    await panelPage.planted(text);
  }, html);
  await visit.panel.getByRole('tab', { name: 'Trace' }).click();
  await visit.panel.getByRole('button', { name: 'Preview trace' }).click();
  const [download] = await Promise.all([
    visit.page.waitForEvent('download'),
    visit.panel.getByRole('button', { name: 'Save trace' }).click(),
  ]);
  const text = readFileSync(await download.path(), 'utf8');
  await visit.close();
  return text;
}

async function drop(text: string): Promise<void> {
  const files = await page.evaluateHandle((content) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], 'helper.trace.json', { type: 'application/json' }));
    return transfer;
  }, text);
  await panel.getByText('Open trace', { exact: true }).dispatchEvent('drop', { dataTransfer: files });
}

describe('the trace viewer, opened from the disk', () => {
  it('the page of vitrine view shows its trace at once, its markup as text', async () => {
    const [file, held] = [join(folder, 'trace.json'), join(folder, 'held.html')];
    await writeFile(file, trace);
    // The build puts the page there.
    await mkdir(join(root, 'packages/cli/dist'), { recursive: true });
    await writeFile(join(root, 'packages/cli/dist/trace-viewer.html'), await traceViewer());
    const program = ['--conditions=@vitrine/source', join(root, 'packages/cli/src/vitrine.ts')];
    execFileSync(process.execPath, [...program, 'view', file, '--out', held, '--no-open']);
    await page.goto(pathToFileURL(held).href);
    await panel.getByText(/^It failed after 3 steps/).waitFor();
    await expectNoMarkup();
    expect(complaints).toEqual([]);
  });

  it('the trace viewer shows a dropped trace in every view, its markup as text, and contacts no server', async () => {
    await panel.getByText(/Drop a trace file here/).waitFor();
    await drop(trace);
    await panel.getByText(/^It failed after 3 steps/).waitFor();
    const view = (name: string): Locator =>
      panel.getByRole('tablist', { name: 'Views', exact: true }).getByRole('tab', { name });
    for (const item of await panel.getByRole('treeitem').all()) {
      await item.click();
      for (const name of ['Sent', 'Received', 'Tools', 'State', 'Why']) {
        await panel
          .getByRole('tablist', { name: /^Views of step/ })
          .getByRole('tab', { name })
          .click();
        await expectNoMarkup();
      }
    }
    await view('State').click();
    await panel.getByRole('button', { name: /look/ }).first().waitFor();
    await expectNoMarkup();
    await view('Events').click();
    await panel.getByText('execution-end', { exact: true }).waitFor();
    await expectNoMarkup();
    await view('Trace').click();
    await panel.getByText(/The agent is not on this page/).waitFor();
    await panel.getByRole('button', { name: 'Make a test' }).click();
    await expectNoMarkup();
    await panel.getByLabel('Search everything').fill('onerror');
    await panel.getByText(/^\d+ found$/).waitFor();
    await expectNoMarkup();
    expect(complaints).toEqual([]);
    expect(asked.filter((url) => !/^(file|data|blob):/.test(url))).toEqual([]);
  });

  it('the trace viewer explains why it refuses a file, and still opens the next one', async () => {
    for (const [file, sentence] of [
      ['no', /It is no JSON/],
      [trace.replace('"version":1', '"version":99'), /version 99; version 1 is read\. Update the library/],
      [
        trace.replace('"format"', '"__proto__":{"polluted":true},"format"'),
        /"__proto__", which no trace has/,
      ],
      [' '.repeat(50 * 2 ** 20), /52428800 bytes; at most \d+ are read/],
    ] as const) {
      await drop(file);
      await panel.getByRole('alert').filter({ hasText: sentence }).waitFor();
    }
    expect(await page.evaluate(() => 'polluted' in {})).toBe(false);
    await drop(trace);
    await panel.getByText(/^It failed after 3 steps/).waitFor();
    expect(await panel.getByRole('alert').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

/** The panel itself has neither pictures nor links nor frames, but for the name of what draws the graph. */
async function expectNoMarkup(): Promise<void> {
  expect(
    await panel.locator('img, a:not(.react-flow__attribution a), script, iframe, object, embed').count(),
  ).toBe(0);
}
