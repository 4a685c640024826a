import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInferenceProxy, type InferenceProxy, modelsFromEnv } from '@vitrine/proxy';
import { requestListener } from '@vitrine/proxy/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type KillableChromium, killableChromium } from '../kills/killable-chromium.ts';
import { type ServedPage, servePage } from '../serve-page.ts';
import { type Behaviour, startUpstream, type Upstream } from '../upstream/upstream.ts';

let upstream: Upstream;
let proxy: InferenceProxy;
let served: ServedPage;
let profile: string;
let browser: KillableChromium;

/** Knows the name when the request has it. */
function answerTo(body: string): Behaviour {
  const content = body.includes('Ada') ? 'You are Ada.' : 'I do not know you.';
  const usage = { prompt_tokens: 40, completion_tokens: 10, total_tokens: 50 };
  const lines = [
    { id: 'x', model: 'm', choices: [{ index: 0, delta: { content } }] },
    { id: 'x', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { id: 'x', model: 'm', choices: [], usage },
  ].map((event) => `data: ${JSON.stringify(event)}\n\n`);
  return { kind: 'answer', body: `${lines.join('')}data: [DONE]\n\n`, size: null };
}

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.behave = answerTo;
  const env = { OPENAI_COMPATIBLE_BASE_URL: upstream.url, VITRINE_MODELS: 'openai-compatible:m' };
  proxy = createInferenceProxy({ models: modelsFromEnv(env), log: () => undefined });
  served = await servePage('journeys/cause-page', requestListener(proxy), {
    'process.env.NODE_ENV': '"development"',
  });
  profile = await mkdtemp(join(tmpdir(), 'vitrine-cause-'));
  browser = await killableChromium(profile);
});
afterAll(async () => {
  await browser?.kill();
  await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  await served?.close();
  await proxy?.close();
  await upstream?.close();
});

it('three clicks lead from a complaint to the hook that drops the name, in Chromium', async () => {
  const page = await browser.open(served.url);
  await page.setViewportSize({ width: 1440, height: 900 });
  const panel = page.getByRole('region', { name: 'Vitrine devtools' });
  for (const [text, answer] of [
    ['Hi, I am Ada.', 'I do not know you.'],
    ['Who am I?', 'I do not know you.'],
  ] as const) {
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.keyboard.press('Enter');
    await page.getByText(answer, { exact: true }).first().waitFor();
    await panel.getByText(text === 'Who am I?' ? 'run 2' : 'run 1', { exact: true }).waitFor();
  }
  const asked = (): number => upstream.bodies().filter((body) => body !== '').length;
  const before = asked();
  await panel.getByRole('tab', { name: 'Cause' }).click();
  await panel.getByLabel('What should the agent do?').fill('it knows the name');
  await panel.getByRole('button', { name: 'Find out why' }).click();
  await panel.getByText(/up to \d+ model calls/).waitFor();
  expect(asked()).toBe(before);
  await panel.getByRole('button', { name: 'Run the experiment' }).click();
  await panel
    .getByText('With hook `save-tokens` off it knows the name: 5 of 5. As it was: 0 of 5.')
    .waitFor();
  expect(asked() - before).toBeLessThanOrEqual(30);
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [390, 460, 820]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const shots = process.env['SHOTS'];
      if (shots !== undefined) await page.screenshot({ path: `${shots}/cause-${width}-${colorScheme}.png` });
      const cause = panel.getByRole('group', { name: 'The cause of what the run does' });
      const isWithin = await cause.evaluate((element) => element.scrollWidth <= element.clientWidth + 1);
      expect(isWithin, `${width} px`).toBe(true);
      const broken = await cause.locator('thead th').evaluateAll((cells) =>
        cells.flatMap(({ firstChild: text }) =>
          [...(text?.textContent ?? '').matchAll(/\S+/g)].flatMap(({ 0: word, index }) => {
            const range = document.createRange();
            range.setStart(text!, index);
            range.setEnd(text!, index + word.length);
            return range.getClientRects().length > 1 ? [word] : [];
          }),
        ),
      );
      expect(broken, `${width} px`).toEqual([]);
    }
});
