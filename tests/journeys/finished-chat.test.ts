import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectSound, pageJourneys } from './page-journeys.ts';
import { say } from './visitor.ts';

const { url, open } = pageJourneys('journeys/chat-page', { viewport: { width: 1000, height: 800 } });

/** Expects that the corners of an element are in the window, and that nothing covers or clips them. */
async function expectInside(page: Page, selector: string): Promise<void> {
  const hits = await page.locator(selector).evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const at = (x: number, y: number): boolean => element.contains(document.elementFromPoint(x, y));
    return [
      at(left + 9, top + 9),
      at(right - 9, top + 9),
      at(left + 9, bottom - 9),
      at(right - 9, bottom - 9),
    ];
  });
  expect(hits).toEqual([true, true, true, true]);
}

/** The script of a `SpeechRecognition` that a test speaks to, by `speech`. */
const speechOfBrowser = `
  window.SpeechRecognition = window.webkitSpeechRecognition = class {
    start() {
      window.speech = {
        hear: (...texts) => this.onresult({ results: texts.map((transcript) => [{ transcript }]) }),
        fail: (error) => (this.onerror({ error }), this.onend()),
      };
    }
    stop() {
      setTimeout(() => this.onend());
    }
    abort() {
      setTimeout(() => (this.onerror({ error: 'aborted' }), this.onend()));
    }
  };`;

const looks = [
  ['light', 390, 'ltr'],
  ['dark', 390, 'rtl'],
  ['light', 1440, 'rtl'],
  ['dark', 1440, 'ltr'],
] as const;

describe.each(looks)('a finished chat in %s at %i pixels, %s', (colorScheme, width, dir) => {
  const options = { colorScheme, viewport: { width, height: 844 } };
  const shot = (name: string): string => `${name}-${colorScheme}-${width}-${dir}`;

  it('a person chooses a model by search during an answer, and it answers next, also after a reload', async () => {
    const page = await open(`?store&models&dir=${dir}`, options);
    await say(page, 'One');
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    const button = page.locator('.vitrine-composer summary');
    await button.click();
    await page.getByRole('searchbox', { name: 'Search models' }).fill('lun');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Think hard' }).click();
    await page.getByRole('button', { name: 'Think hard', pressed: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Search models' }).fill('');
    await expectInside(page, '.vitrine-menu-items');
    await expectSound(page, shot('models'));
    await page.keyboard.press('Escape');
    await page.getByText('null thinks undefined.', { exact: true }).waitFor();
    await say(page, 'Two');
    await page.getByText('p:Luna thinks high.', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('p:Luna thinks high.', { exact: true }).waitFor();
    expect(await button.getAttribute('aria-label')).toBe('Model: Luna, think hard');
    await expectSound(page, shot('models-closed'));
  });

  it('a person rates an answer with a reason, which is there after a reload', async () => {
    const page = await open(`?store&feedback&dir=${dir}`, options);
    await say(page, 'A plan, please');
    await page.getByRole('button', { name: 'Bad answer' }).click();
    await page.getByRole('textbox', { name: 'What was wrong?' }).fill('Too long.');
    await expectSound(page, shot('feedback'));
    await page.keyboard.press('Enter');
    await page.getByText('Thank you.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Bad answer', pressed: true }).waitFor();
  });

  it('a person dictates behind a text, and sees why a microphone does not listen', async () => {
    // Chromium without a window has no service of speech, so the page gets a small one in place of the browser's.
    const page = await open(`?dictation&dir=${dir}`, { ...options, script: speechOfBrowser });
    const field = page.getByLabel('Message', { exact: true });
    const button = page.getByRole('button', { name: 'Dictate' });
    await field.fill('Dear Ann,');
    await button.click();
    await page.getByText('Listening. What you say is written, not sent.').waitFor();
    await page.evaluate(`speech.hear('I come', ' on Friday')`);
    expect(await field.inputValue()).toBe('Dear Ann, I come on Friday');
    expect(await button.getAttribute('aria-pressed')).toBe('true');
    await expectSound(page, shot('dictation'));
    await button.click();
    await page.getByRole('button', { name: 'Dictate', pressed: false }).waitFor();
    // Typing ends it, and nothing that is heard later takes the place of what was typed.
    await button.click();
    await field.press('End');
    await field.pressSequentially('!');
    await page.getByRole('button', { name: 'Dictate', pressed: false }).waitFor();
    await button.click();
    await page.evaluate(`speech.fail('not-allowed')`);
    await page
      .getByText('The microphone is not allowed here. Allow it in the settings of your browser.')
      .waitFor();
    expect(await field.inputValue()).toBe('Dear Ann, I come on Friday!');
    expect(await page.locator('.vitrine-user').count()).toBe(0);
    await expectSound(page, shot('dictation-refused'));
  });

  it('a person chooses from the menus of the message box by keys and by press, and the model is asked with it', async () => {
    const page = await open(`?store&menus&dir=${dir}`, options);
    const field = page.getByLabel('Message', { exact: true });
    const option = (name: RegExp): Locator => page.getByRole('option', { name });
    const before = await field.boundingBox();
    await field.pressSequentially('/');
    await option(/^mend/).waitFor();
    await expectInside(page, '.vitrine-field-menu');
    await expectSound(page, shot('menus'));
    await field.press('ArrowUp');
    await option(/^mend/).and(page.locator('[aria-selected=true]')).waitFor();
    expect(await option(/^mend/).evaluate((it) => it.id)).toBe(
      await field.getAttribute('aria-activedescendant'),
    );
    await expectSound(page, shot('menus-last'));
    expect(await field.boundingBox()).toEqual(before);
    await field.pressSequentially('EAT');
    await page.getByText('1 entry', { exact: true }).waitFor();
    await field.press('Enter');
    expect(await field.inputValue()).toBe('Repeat ');
    await field.press('ControlOrMeta+z');
    expect(await field.inputValue()).toBe('/EAT');
    // The browser marks what it brings back.
    await field.press('End');
    await option(/^repeat/).waitFor();
    await field.press('Tab');
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    await field.pressSequentially('to ann@example.org: @Be');
    await page.getByText('3 entries', { exact: true }).waitFor();
    await expectInside(page, '.vitrine-field-menu');
    await option(/^Berlin/).click();
    await field.pressSequentially('@fail');
    await page.getByText('The entries could not be loaded.').waitFor();
    await expectSound(page, shot('menus-failed'));
    await field.press('Escape');
    for (const _letter of '@fail') await field.press('Backspace');
    await field.press('Enter');
    await page.getByText(/^I was asked: Repeat to ann@.*: @Berlin$/).waitFor();
  });

  it('a person who may only follow reads the chat and its open question, and changes nothing that is stored', async () => {
    const page = await open(`?store&dir=${dir}`, options);
    await say(page, 'A plan, please');
    await page.getByRole('button', { name: 'Copy answer' }).waitFor();
    await say(page, 'Please book a table');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.evaluate('session.flush?.()');
    await page.goto('about:blank');
    await page.goto(`${url()}?store&follow&feedback&download&suggestions&dir=${dir}`);
    await page.getByText('book_table').last().waitFor();
    await page
      .getByRole('button', { name: 'Save the conversation' })
      .or(page.getByLabel('Save the conversation'))
      .first()
      .waitFor();
    const stored = (): Promise<string> => page.evaluate(`JSON.stringify({ ...localStorage })`);
    const before = await stored();
    for (const name of [
      'Approve',
      'Reject',
      'Send',
      'Good answer',
      'Try again',
      'Edit message',
      'New session',
    ])
      expect([name, await page.getByRole('button', { name, exact: true }).count()]).toEqual([name, 0]);
    expect(await page.getByRole('textbox').count()).toBe(0);
    expect(await page.getByText('needs your approval').count()).toBe(0);
    await page.getByText('A plan', { exact: true }).waitFor();
    // Without the buttons below it, a message keeps its distance to the answer.
    const bottom = await page.locator('.vitrine-user').last().boundingBox();
    const top = await page.locator('.vitrine-tool-call').last().boundingBox();
    expect(top!.y - bottom!.y - bottom!.height).toBeGreaterThan(10);
    await expectSound(page, shot('follow'));
    expect(await stored()).toBe(before);
  });

  it('a person sends a suggestion of an empty chat by a click', async () => {
    const page = await open(`?store&suggestions&dir=${dir}`, options);
    const button = page.getByRole('button', { name: 'A plan, please' });
    await button.waitFor();
    await expectSound(page, shot('suggestions'));
    await button.click();
    await page.getByRole('button', { name: 'Copy answer' }).waitFor();
    expect(await page.getByRole('group', { name: 'Suggestions' }).count()).toBe(0);
  });

  it('a person saves the open conversation as Markdown, and prints it whole without controls', async () => {
    const page = await open(`?store&download&dir=${dir}`, options);
    for (const text of ['A plan, please', 'A long story']) {
      await say(page, text);
      await page.locator('.vitrine-user').getByText(text, { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
    }
    const menu = page.locator('.vitrine-bar summary');
    await menu.click();
    await page.getByRole('button', { name: 'As data (JSON)' }).waitFor();
    await expectInside(page, '.vitrine-menu-items');
    await expectSound(page, shot('download'));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'As text (Markdown)' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('A-plan-please.md');
    expect(readFileSync(await download.path(), 'utf8')).toMatch(
      /^# A plan, please\n[^]*## Assistant\n[^]*A long story/,
    );
    await page.emulateMedia({ media: 'print', colorScheme });
    const isShown = (selector: string): Promise<boolean> => page.locator(selector).first().isVisible();
    for (const selector of ['.vitrine-composer', '.vitrine-actions', '.vitrine-side', '.vitrine-bar button'])
      expect(await isShown(selector)).toBe(false);
    const cut = await page.evaluate<boolean>(
      `document.documentElement.scrollHeight < document.querySelector('.vitrine-rows').offsetHeight`,
    );
    expect(cut).toBe(false);
    if (process.env['SHOTS'])
      await page.screenshot({ path: `${process.env['SHOTS']}/${shot('print')}.png`, fullPage: true });
  });

  it('a person has an answer read aloud, and stops it', async () => {
    const page = await open(`?store&aloud&dir=${dir}`, options);
    await say(page, 'A plan, please');
    const button = page.getByRole('button', { name: 'Read aloud' });
    await button.waitFor();
    await page.evaluate(() => {
      const spoken: string[] = [];
      Object.assign(window, { spoken });
      // The machine of the test has no voice, so nothing would end.
      SpeechSynthesis.prototype.speak = ({ text }) => void spoken.push(text.trim());
    });
    await button.click();
    await page.getByRole('button', { name: 'Read aloud', pressed: true }).waitFor();
    await expect.poll(() => page.evaluate('window.spoken[0]')).toBe('A plan.');
    await expectSound(page, shot('aloud'));
    await button.click();
    await page.getByRole('button', { name: 'Read aloud', pressed: false }).waitFor();
  });
});

it('the button of dictation has its place before it comes, and none where the browser recognises no speech', async () => {
  const noteBox = `
    window.sizes = () => {
      const row = document.querySelector('.vitrine-composer-row');
      return row && [row.querySelector('textarea').offsetWidth, row.offsetHeight];
    };
    new MutationObserver(() => (window.first ??= sizes())).observe(document, { childList: true, subtree: true });`;
  const sizes = (page: Page): Promise<readonly (readonly number[])[]> => page.evaluate('[first, sizes()]');
  const page = await open('?dictation', { script: speechOfBrowser + noteBox });
  await page.getByRole('button', { name: 'Dictate' }).waitFor();
  const [[width = 0, height = 0] = [], last] = await sizes(page);
  expect(last).toEqual([width, height]);
  const none = 'delete window.SpeechRecognition; delete window.webkitSpeechRecognition;';
  const other = await open('?dictation', { script: none + noteBox });
  await other.waitForLoadState('networkidle');
  // The button takes 36 pixels, and 8 are between it and the field.
  const bare = [width + 44, height];
  expect(await sizes(other)).toEqual([bare, bare]);
  expect(await other.getByRole('button', { name: 'Dictate' }).count()).toBe(0);
});
