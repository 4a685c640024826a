import { describe, expect, it } from 'vitest';
import { axeFaults } from './axe-faults.ts';
import { demoJourneys } from './demo-journeys.ts';
import type { Visitor } from './visitor.ts';

const demo = demoJourneys({ VITRINE_DEMO_PACE_MS: '10' });

/** Sets limits in the settings, by the names of their fields. */
async function setLimits({ page }: Visitor, limits: Readonly<Record<string, string>>): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click();
  const dialog = page.getByRole('dialog', { name: 'Settings' });
  for (const [name, value] of Object.entries(limits))
    await dialog.getByLabel(name, { exact: true }).fill(value);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
}

/** Takes the prices out of what the server says, as one without prices answers. */
async function withoutPrices({ page }: Visitor): Promise<void> {
  await page.route(/\/v1\/(models|inference)$/, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replaceAll(/"(price|cost)":/g, '"none":');
    await route.fulfill({ response, body });
  });
}

describe('an answer that reaches a limit says which one, and goes on when it is asked to', () => {
  it.each<[string, Record<string, string>, string, RegExp, RegExp | null]>([
    [
      'of steps',
      { Steps: '1' },
      'What is 3 + 4?',
      /this answer reached its limit of one step/,
      /The result is 7/,
    ],
    [
      'of tokens',
      { Tokens: '20' },
      'What is 3 + 4?',
      /the next step needs more than the 20 tokens left of 20/,
      /this answer reached its limit of [\d,]+ tokens|needs more than the [\d,]+ tokens left/,
    ],
    [
      'of time',
      { Seconds: '0.6' },
      'Write a long answer',
      /this answer reached its limit of 0.6 seconds/,
      /this answer reached its limit of 1\.\d+ seconds/,
    ],
    [
      'of cost',
      { 'Cost in dollars': '0.0001', 'Price of input': '3', 'Price of output': '15' },
      'What is 3 + 4?',
      /this answer reached its cost limit of [\d.]+/,
      /The result is 7|reached its cost limit|may cost more/,
    ],
    [
      'of cost, while nobody knows the price',
      { 'Cost in dollars': '1' },
      'What is 3 + 4?',
      /this answer has a cost limit of 1, and the price of this model is unknown/,
      null,
    ],
  ])('%s', async (what, limits, text, sentence, then) => {
    const visitor = await demo.visit();
    const { page, conversation, say } = visitor;
    if (what.includes('nobody knows the price')) await withoutPrices(visitor);
    await setLimits(visitor, limits);
    await say(text);
    await conversation.getByText(sentence).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    const goOn = conversation.getByRole('button', { name: 'Go on' });
    // Nobody can say how much more to allow.
    if (then === null) return void expect(await goOn.count()).toBe(0);
    await goOn.click();
    await conversation.getByText(then).waitFor();
    // The same run goes on: no message of the person is added.
    expect(await conversation.locator('.vitrine-user').count()).toBe(1);
  });

  it('an answer is complete after its limit was changed from there, and the new limit is kept', async () => {
    const visitor = await demo.visit({ colorScheme: 'dark' });
    const { page, conversation, say } = visitor;
    await setLimits(visitor, { Steps: '1' });
    await page.reload();
    await say('What is 3 + 4?');
    await conversation.getByRole('button', { name: 'Change the limits' }).click();
    const steps = page.getByRole('dialog').getByLabel('Steps', { exact: true });
    expect(await steps.inputValue()).toBe('1');
    await steps.fill('none');
    await page.getByText('Enter a number.').waitFor();
    // Just enough.
    await steps.fill('2');
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await conversation.getByRole('button', { name: 'Go on' }).click();
    await conversation.getByText('The result is 7.').waitFor();
    expect(await conversation.getByRole('button', { name: 'Go on' }).count()).toBe(0);
  });
});
