import type { Locator } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { diagnosed, endPanelVisits, panelVisit } from './panel-page/panel-visit.ts';

/** The targets of clicks: a step, a call in it, a page of the inspector, a part of a page, a button, a filter. */
type Click =
  | `step ${number}`
  | `call ${string}`
  | `page ${string}`
  | `part ${string}`
  | `button ${string}`
  | `filter ${string}`;

/** A fault of an agent, the way to it, and what is read there. */
type Case = readonly [bug: string, clicks: readonly Click[], seen: RegExp];

const stopped: readonly Case[] = [
  ['stopped before it began', [], /stopped after 0 steps because .*Not today \(raised by never\)/],
  ['steps used up', [], /It was stopped after 2 steps because it reached its limit of steps/],
  ['tokens used up', [], /because it reached its token limit/],
  ['the same call again and again', [], /It was stopped after \d+ steps because .*look.*same arguments/],
  ['provider that fails', [], /It failed after \d+ steps? because of an error: The model is away/],
  ['approval that nobody has given', [], /It waits for your approval of a tool call/],
  ['budget cut by the parent', ['call delegate', 'part Subagent'], /steps-limit-reached/],
  [
    'signal overridden',
    ['page Why'],
    /Overridden by a request to go on \(1\)[\s\S]*stop-requested[\s\S]*One is enough/,
  ],
  ['answer cut short', ['page Received'], /Finish reason\s+length/],
];

const sent: readonly Case[] = [
  [
    'message left out by the compiler',
    [],
    /Left out or changed by the compiler \(1\)[\s\S]*compileMessages[\s\S]*Please help/,
  ],
  ['wrong argument', ['call weather'], /"city": "Pariss"[\s\S]*No city is called Pariss/],
  ['system prompt changed by a hook', ['step 2'], /Against step 1: .*system prompt changed[\s\S]*Be rude\./],
  ['no tools offered', [], /No tools were offered/],
  ['wrong temperature', ['part Settings'], /"temperature": 1\.9/],
  ['invented tool', ['call forecast'], /forecast[\s\S]*(blocked|failed)[\s\S]*weather/],
  ['call refused by its own rule', ['call pay'], /more than 100 is never paid/],
];

const state: readonly Case[] = [
  [
    'plugin key overwritten',
    ['step 1', 'page State'],
    /notes[\s\S]*written by the tool first, then the tool second/,
  ],
  [
    'metadata overwritten by a hook',
    ['step 1', 'page State'],
    /metadata · locale added: none\s*written by careless/,
  ],
  [
    'arguments changed by a hook',
    ['call weather', 'part History of the call'],
    /call-change weather, changed by meddler/,
  ],
  [
    'stale approval',
    ['step 2', 'page Tools'],
    /Nobody was asked, because a person approved all calls of pay earlier/,
  ],
  ['tool that throws', ['button Filter', 'filter Errors', 'call broken'], /The disk is on fire/],
  ['call blocked by a hook', ['call delete'], /blocked[\s\S]*deleting is not allowed/],
  ['tool that is slow', ['button Filter', 'filter Slow', 'call slow'], /slow\s+1\.3\d s[\s\S]*at last/],
];

afterAll(endPanelVisits);

const targets: Readonly<Record<string, (panel: Locator, name: string) => Locator>> = {
  step: (panel, number) =>
    panel
      .getByRole('tree', { name: 'Steps' })
      .locator('.lane.step')
      .filter({ has: panel.page().locator(`.step-number:text-is("${number}")`) })
      .first(),
  call: (panel, name) =>
    panel.getByRole('tree', { name: 'Steps' }).locator('.lane.call').filter({ hasText: name }).first(),
  page: (panel, name) => panel.getByRole('tablist', { name: /Views of step/ }).getByRole('tab', { name }),
  part: (panel, name) => panel.locator('summary').filter({ hasText: name }).first(),
  button: (panel, name) => panel.getByRole('button', { name, exact: true }),
  filter: (panel, name) => panel.getByRole('group', { name: 'Which steps' }).getByRole('button', { name }),
};

async function find([bug, clicks, seen]: Case): Promise<void> {
  const { page, panel, complaints, close } = await panelVisit();
  await page.evaluate(async (name) => {
    panelPage.mount();
    await panelPage.bugs[name]?.();
  }, bug);
  await panel.getByText(/^run 1$/).waitFor();
  await diagnosed(panel);
  for (const click of clicks) {
    const [what = '', ...name] = click.split(' ');
    await targets[what]?.(panel, name.join(' ')).click();
  }
  await expect.poll(() => panel.innerText()).toMatch(seen);
  expect(clicks.length).toBeLessThanOrEqual(3);
  expect(complaints).toEqual([]);
  await close();
}

describe('why did it stop?', () => {
  it.each(stopped)('%s', (...given) => find(given));
});

describe('what did the model get?', () => {
  it.each(sent)('%s', (...given) => find(given));
});

describe('what was the state then?', () => {
  it.each(state)('%s', (...given) => find(given));
});
