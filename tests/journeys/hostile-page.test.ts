import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { startUpstream, type Upstream } from '../upstream/upstream.ts';
import { demoJourneys } from './demo-journeys.ts';
import { payloads } from './page/payloads.ts';
import { streamOf } from './stream-of.ts';
import type { Visitor } from './visitor.ts';

let upstream: Upstream;
const demo = demoJourneys(
  async () => {
    upstream = await startUpstream();
    return { OPENAI_COMPATIBLE_BASE_URL: upstream.url, VITRINE_MODELS: 'openai-compatible:llama3.3' };
  },
  { isLive: true },
);
afterAll(() => upstream.close());
let visitor: Visitor;

const load = (file: string): string => `import(${JSON.stringify(`/@fs${root}/tests/journeys/page/${file}`)})`;

it(
  'no text of a model brings a script, a frame, an image or a name into the page, at any length',
  { timeout: 240_000 },
  async () => {
    visitor = await demo.visit();
    const { drawn, found } = await visitor.page.evaluate<{ drawn: number; found: string[] }>(
      `${load('draw-prefixes.tsx')}.then((page) => page.drawPrefixes(${JSON.stringify(payloads)}))`,
    );
    expect(drawn).toBeGreaterThan(4000);
    expect(found).toEqual([]);
  },
);

it('what a model says does nothing in the chat and in the panel, and is read there as it was said', async () => {
  visitor = await demo.visit();
  const { page, conversation, say } = visitor;
  upstream.behave = streamOf(`${payloads.join('\n\n')}\n\nThe end of it.`);
  await say(payloads.slice(0, 20).join(' '));
  await conversation.getByText('The end of it.').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
  const panel = page.getByRole('region', { name: 'Vitrine devtools' });
  await panel.getByRole('tree', { name: 'Steps' }).getByRole('treeitem').first().click();
  await panel.getByRole('region', { name: 'Step 1' }).waitFor();
  const pages = ['Sent', 'Received', 'Tools', 'State', 'Why'].map((name) => [name, 'Views of step'] as const);
  for (const [tab, list] of [...pages, ['State', 'Views'] as const, ['Events', 'Views'] as const]) {
    await panel
      .getByRole('tablist', { name: list, exact: list === 'Views' })
      .getByRole('tab', { name: tab, exact: true })
      .click();
    const found = await page.evaluate<string[]>(
      `${load('findings.ts')}.then(({ findings }) => [
        ...[...document.querySelectorAll('.vitrine-markdown, .vitrine-user')].flatMap(findings),
        ...[document.querySelector('[data-vitrine-devtools]').shadowRoot].flatMap((panel) =>
          [...panel.querySelectorAll('script, iframe, object, embed, img, link, base, meta, form, [onerror], [onload]')].map(
            (element) => element.outerHTML),
        ),
      ])`,
    );
    expect(found, tab).toEqual([]);
  }
  expect(await conversation.innerText()).toContain('<script>alert(document.domain)</script>');
});

it('a person sees what would be invisible, and copies what is seen', async () => {
  visitor = await demo.visit();
  const { page, conversation, say } = visitor;
  upstream.behave = streamOf('Run `rm\u202e -rf` \u{e0068}\u{e0069} and a\u200bb.\n\nThe end of it.');
  await say('Is this\u2066 fine?');
  await conversation.getByText('The end of it.').waitFor();
  await conversation.locator('.vitrine-markdown').waitFor();
  const seen = await conversation.innerText();
  expect(seen).toContain('Run rm⟨RLO⟩ -rf ⟨hidden text: hi⟩ and a⟨ZWSP⟩b.');
  expect(seen).toContain('Is this⟨LRI⟩ fine?');
  expect(await conversation.getByTitle('Invisible: U+202E right-to-left override').count()).toBe(1);
  const copied = await page.evaluate(() => {
    getSelection()?.selectAllChildren(document.querySelector('.vitrine-markdown') as Element);
    return String(getSelection());
  });
  expect(copied).toContain('Run rm⟨RLO⟩ -rf ⟨hidden text: hi⟩ and a⟨ZWSP⟩b.');
});

it('the page is shown in no frame of another site, so that nobody is led to approve there', async () => {
  visitor = await demo.visit();
  const frames = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<link rel="icon" href="data:,"><iframe src="${demo.url()}"></iframe>`);
  });
  await new Promise<void>((resolve) => frames.listen(0, '127.0.0.1', resolve));
  const page = await visitor.context.newPage();
  await page.goto(`http://localhost:${(frames.address() as AddressInfo).port}/`);
  const frame = page.frames()[1];
  expect(await frame?.locator('#composer').count()).toBe(0);
  expect(frame?.url()).toBe('chrome-error://chromewebdata/');
  frames.close();
});

it('the page of who develops loads itself again when its server comes back, under the same policy', async () => {
  visitor = await demo.visit();
  const { page } = visitor;
  const sockets: { close(): Promise<void> }[] = [];
  await page.routeWebSocket(/./, (socket) => {
    socket.connectToServer();
    sockets.push(socket);
  });
  await page.reload();
  await expect.poll(() => sockets.length).toBeGreaterThan(0);
  await page.evaluate(() => Object.assign(globalThis, { isOld: true }));
  await sockets[0]?.close();
  await expect.poll(() => page.evaluate(() => 'isOld' in globalThis), { timeout: 10_000 }).toBe(false);
});
