import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { launchOptions } from '../../scripts/ensure-chromium.ts';
import { root } from '../../scripts/root.ts';
import { traceViewer } from '../../scripts/trace-viewer.ts';
import { folderOfTest } from '../folder-of-test.ts';

const secret = 'sk-canary-abcdefghijklmnop123456';

/** An agent with a subagent and a call for a title, which begins and ends when a line comes in. */
const agent = `
import { createInterface } from 'node:readline';
const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const tools = [{ type: 'function', function: { name: 'research', description: 'Asks a researcher', parameters: {} } }];
async function ask(messages, given) {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.OPENAI_API_KEY };
  const response = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', headers, body: JSON.stringify({ model: 'm', messages, tools: given }) });
  return (await response.json()).choices[0].message;
}
await input.next();
await ask([{ role: 'user', content: 'Title for: Weather?' }]);
const messages = [{ role: 'system', content: 'You are Looper. password=${secret}' }, { role: 'user', content: 'Weather?' }];
for (;;) {
  const message = await ask(messages, tools);
  messages.push(message);
  if (!message.tool_calls) break;
  for (const { id, function: { arguments: given } } of message.tool_calls) {
    const { content } = await ask([{ role: 'system', content: 'You are Researcher.' }, { role: 'user', content: JSON.parse(given).task }]);
    messages.push({ role: 'tool', tool_call_id: id, content });
  }
}
console.log(messages.at(-1).content);
await input.next();
process.exit(0);
`;

const task = 'Find the weather of today';
const call = {
  id: 'c1',
  type: 'function',
  function: { name: 'research', arguments: JSON.stringify({ task }) },
};

/** The answers of the model, by what it is sent. */
function answerTo(body: string): object {
  if (body.includes('Title for')) return { content: 'On weather' };
  if (body.includes('You are Researcher')) return { content: 'It is 3 degrees.' };
  return body.includes('"role":"tool"')
    ? { content: body.includes('30 degrees') ? 'Hot, 30 degrees.' : 'Cold, 3 degrees.' }
    : { content: null, tool_calls: [call] };
}

/** Starts a provider on this machine; `asked` counts its requests. */
async function startModel(): Promise<{ readonly url: string; readonly asked: () => number }> {
  let asked = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    asked++;
    const message = { role: 'assistant', ...answerTo(body) };
    const finish_reason = 'tool_calls' in message ? 'tool_calls' : 'stop';
    const usage = { prompt_tokens: 10, completion_tokens: 5 };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ id: 'a', model: 'm', choices: [{ index: 0, message, finish_reason }], usage }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked };
}

type Started = {
  readonly child: ChildProcess;
  readonly err: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
};

/** Starts `vitrine` in a folder. */
function startVitrine(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Started {
  const program = ['--conditions=@vitrine/source', join(root, 'packages/cli/src/vitrine.ts')];
  const child = spawn(process.execPath, [...program, ...args], { cwd, env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  const ended = new Promise<Awaited<Started['ended']>>((resolve) =>
    child.on('close', (code) => resolve({ code, ...said })),
  );
  return { child, err: () => said.err, ended };
}

let browser: Browser;
beforeAll(async () => {
  const folder = join(root, 'packages/cli/dist');
  await mkdir(folder, { recursive: true });
  // The build puts the page there.
  await writeFile(join(folder, 'recorder.html'), await traceViewer());
  await rename(join(folder, 'recorder.html'), join(folder, 'trace-viewer.html'));
  browser = await chromium.launch(launchOptions());
});
afterAll(() => browser.close());

/** The page of a recording, and what its console says that it should not. */
async function pageOf({ err }: Started) {
  await expect.poll(err, { timeout: 60_000 }).toMatch(/vitrine: http\S+\n/);
  const [, address = ''] = /vitrine: (\S+)/.exec(err()) ?? [];
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(address);
  const panel = page.getByRole('region', { name: 'Vitrine devtools' });
  const note = page.locator('body > p[role="status"]');
  return { page, panel, note, complaints };
}

/** Takes a picture of the page where the caller names a folder for them. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** Demands that nothing of the page lies beside it. */
async function expectNoOverflow(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
}

const chooseSession = async (panel: Locator, name: RegExp): Promise<void> => {
  const list = panel.getByRole('combobox', { name: 'Session' });
  const option = list.locator('option').filter({ hasText: name });
  await list.selectOption((await option.getAttribute('value'))!);
};

describe('the page of vitrine record', { timeout: 120_000 }, () => {
  it('a program is seen with its subagent, saved as a test, and the line of the page runs it again', async () => {
    const model = await startModel();
    const cwd = folderOfTest('record');
    await writeFile(join(cwd, 'agent.mjs'), agent);
    const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: secret };
    const program = [process.execPath, 'agent.mjs'];
    const recorded = startVitrine(['record', '--no-open', '--', ...program], cwd, env);
    const { page, panel, note, complaints } = await pageOf(recorded);
    await panel.getByText(/^No request yet, \d+ s\. The program was started with OPENAI_BASE_URL=/).waitFor();
    recorded.child.stdin!.write('begin\n');
    await expect
      .poll(() => note.textContent())
      .toContain('answers of models that were read: 4, conversations: 2.');
    const list = panel.getByRole('combobox', { name: 'Session' });
    const groups = list.locator('optgroup');
    expect(
      await groups.evaluateAll((all) => all.map((one) => [one.getAttribute('label'), one.textContent])),
    ).toEqual([
      ['Single calls', expect.stringContaining('Title for: Weather?')],
      [program.join(' '), '≈ Looper · Weather?'],
    ]);
    await chooseSession(panel, /Looper/);
    await panel.getByText(/^It finished after 2 steps/).waitFor();
    await picture(page, 'run');
    // The call, the subagent in it, and its answer.
    const delegated = panel.getByRole('treeitem').getByText('research → ≈ Researcher', { exact: true });
    expect(await delegated.getAttribute('title')).toBe('The result of the call is its answer.');
    await panel.getByRole('treeitem').nth(2).click();
    await panel.getByText('You are Researcher.').waitFor();
    await panel.getByRole('region', { name: /≈ Researcher/ }).waitFor();
    await picture(page, 'subagent');
    await panel.getByRole('treeitem').first().click();
    await panel.getByRole('tab', { name: 'Tools' }).click();
    await panel.getByText(task).first().waitFor();
    await panel.getByRole('tab', { name: 'Events' }).click();
    await panel
      .getByText(/≈ Researcher/)
      .first()
      .waitFor();
    await panel.getByRole('tab', { name: 'Test' }).click();
    const command = await panel.locator('pre').textContent();
    expect(command).toBe(`npx @vitrine/cli rerun run.tape -- ${program.join(' ')}`);
    const save = async (): Promise<string> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        panel.getByRole('button', { name: 'Save as test' }).click(),
      ]);
      return readFileSync(await download.path(), 'utf8');
    };
    expect((await save()).split('\n')).toHaveLength(6);
    await panel.getByText(/The program still runs: save again when it has ended\./).waitFor();
    recorded.child.stdin!.end('end\n');
    expect(await recorded.ended).toMatchObject({ code: 0, out: 'Cold, 3 degrees.\n' });
    await expect.poll(() => note.textContent()).toContain('The program has ended (exit code 0).');
    const tape = await save();
    await panel.getByText('Saved as run.tape.', { exact: true }).waitFor();
    expect(tape).not.toContain('canary');
    await picture(page, 'test');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoOverflow(page);
    await picture(page, 'test-narrow-dark');
    await panel.getByRole('tab', { name: 'Run' }).click();
    await expectNoOverflow(page);
    await picture(page, 'run-narrow-dark');
    await writeFile(join(cwd, 'run.tape'), tape);
    const args = command!.replace('npx @vitrine/cli ', '').split(' ');
    const again = startVitrine(args, cwd);
    again.child.stdin!.end('begin\nend\n');
    expect(await again.ended).toEqual({
      code: 0,
      out: 'Cold, 3 degrees.\n',
      err: 'vitrine: 4 of 4 requests are as recorded.\n',
    });
    expect(model.asked()).toBe(4);
    expect(complaints).toEqual([]);
  });

  it('a person changes a result of the program, and the next answers of its model prove the cause', async () => {
    const model = await startModel();
    const cwd = folderOfTest('record-cause');
    await writeFile(join(cwd, 'agent.mjs'), agent);
    const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: secret };
    const recorded = startVitrine(['record', '--no-open', '--', process.execPath, 'agent.mjs'], cwd, env);
    const { page, panel, note, complaints } = await pageOf(recorded);
    recorded.child.stdin!.write('begin\n');
    await expect.poll(() => note.textContent()).toContain('answers of models that were read: 4');
    await chooseSession(panel, /Looper/);
    await panel.getByRole('tab', { name: 'Cause' }).click();
    await panel.getByLabel('What should the agent do?').fill('it says "Hot"');
    await panel.getByRole('button', { name: 'Find out why' }).click();
    await panel.getByText(/with the key of the program\. No tool runs\.$/).waitFor();
    await panel.getByText('Change something yourself').click();
    const edit = panel.getByLabel('Edit');
    expect(await edit.locator('option').allTextContents()).toEqual([
      'system prompt',
      'message of the user',
      'result of research',
    ]);
    await edit.selectOption({ label: 'result of research' });
    await panel.getByLabel('New value').fill('"It is 30 degrees."');
    await panel.getByRole('button', { name: 'Try it too' }).click();
    await panel.getByText('Change something yourself (1)').waitFor();
    await picture(page, 'cause-plan');
    expect(model.asked()).toBe(4);
    await panel.getByRole('button', { name: 'Run the experiment' }).click();
    await panel
      .getByText('With result of research: It is 30 degrees. it says "Hot": 5 of 5. As it was: 0 of 5.')
      .waitFor();
    // Changes next to a secret are not sent.
    await panel
      .getByText(/^This text holds a secret that the page does not see/)
      .first()
      .waitFor();
    expect(model.asked()).toBe(15);
    await picture(page, 'cause-found');
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoOverflow(page);
    await picture(page, 'cause-narrow');
    // Without the program there is nobody to ask.
    recorded.child.stdin!.end('end\n');
    expect((await recorded.ended).out).toBe('Cold, 3 degrees.\n');
    await expect.poll(() => note.textContent()).toContain('The program has ended');
    await panel.getByRole('button', { name: 'Run the experiment' }).click();
    await panel
      .getByText(/vitrine record has ended/)
      .first()
      .waitFor();
    expect(model.asked()).toBe(15);
    expect(complaints).toEqual([]);
  });
});
