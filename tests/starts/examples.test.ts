import { cpSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { axeFaults, panelFaults } from '../journeys/axe-faults.ts';
import { closeBrowser, visit } from '../matrix/visit.ts';
import { type OtlpReceiver, pathsOf, startReceiver } from '../otel/otlp-receiver.ts';
import { freePort } from '../servers/test-server.ts';
import { expectArtifacts } from './artifact-scenario.ts';
import { backendScenarios } from './backend-scenarios.ts';
import { eightScenarios } from './eight-scenarios.ts';
import { type OllamaServer, serveOllama } from './ollama-server.ts';
import { type Registry, serveRegistry } from './registry.ts';
import { Shell } from './shell.ts';

// The applications of `examples/`, from an empty folder with the packed packages and a model on this machine.
// `npm test` tries the cheapest; EXAMPLES=all tries all, EXAMPLES=<folder> one.

/** A page of an application. */
type Looked = {
  /** Default: the first page. */
  readonly path?: string;
  /** The sentence of the panel beside the steps of a run. */
  readonly beside: RegExp;
  /** The verdict of an answer that the model did not end. Default: its source tells that. */
  readonly verdict?: RegExp;
  /** A feature of Chromium that is off by default. */
  readonly feature?: string;
};

const observed = /Watched from this page\. Not known: the request/;
const told = /\d+ tok[\s\S]*Watched from this page\. Not known: exact times of tools\./;
const own = /\d+ tok/;
const examples = {
  // AG-UI has no finish reason.
  'ag-ui': [
    { beside: observed, verdict: /^It finished after 1 step/ },
    { path: '/use-agent', beside: own, verdict: /^It finished after 1 step/ },
  ],
  'ai-sdk-panel': [{ beside: told }],
  'ai-sdk-session': [{ beside: own }],
  artifacts: [{ beside: own }],
  'assistant-ui': [{ beside: own }],
  copilotkit: [{ beside: own }],
  langgraph: [{ beside: observed }, { path: '/use-agent.html', beside: own }],
  mcp: [{ beside: own }],
  opentelemetry: [{ beside: own }],
  'tanstack-ai': [{ beside: observed }],
  'web-mcp': [{ beside: own, feature: 'WebMCP' }],
} satisfies { readonly [folder: string]: readonly Looked[] };
type Example = keyof typeof examples;

/** WebMCP as Chrome has it, as far as it is used here. */
type ModelContext = {
  readonly getTools: () => Promise<readonly { readonly name: string }[]>;
  readonly executeTool: (tool: { readonly name: string }, input: object) => Promise<unknown>;
};

/** More of the chat of an example. */
const scenarios: { readonly [folder in Example]?: (page: Page, panel: Locator) => Promise<void> } = {
  'ag-ui': backendScenarios,
  'ai-sdk-panel': expectPrompt,
  copilotkit: eightScenarios,
  langgraph: backendScenarios,
  opentelemetry: expectSpans,
  'web-mcp': expectOffered,
};

/** Examples whose pages have to please axe; the others show interfaces of their peers. */
const checked: readonly Example[] = ['ag-ui', 'langgraph', 'mcp', 'opentelemetry', 'web-mcp'];

/** Starts what an example needs beside a model. */
const surroundings: { readonly [folder in Example]?: (shell: Shell) => Promise<void> } = {
  langgraph: serveGraph,
  opentelemetry: serveCollector,
};

const chosen = (Object.keys(examples) as Example[]).filter((example) =>
  ['all', example].includes(process.env['EXAMPLES'] ?? 'web-mcp'),
);

const viewerFile = 'node_modules/@vitrine/devtools/dist/trace-viewer.html';
const folder = mkdtempSync(join(tmpdir(), 'vitrine-examples-'));
let registry: Registry;
let model: OllamaServer;
let shell: Shell | null = null;
let collector: OtlpReceiver | null = null;
beforeAll(async () => {
  [registry, model] = await Promise.all([serveRegistry(), serveOllama()]);
}, 300_000);
afterEach(async () => {
  await shell?.close();
  await collector?.close();
  collector = null;
});
afterAll(async () => {
  await closeBrowser();
  await Promise.all([model.close(), registry.close()]);
  await rm(folder, { recursive: true, force: true });
}, 300_000);

it('every folder of examples is tried', () => {
  const folders = readdirSync(join(root, 'examples'), { withFileTypes: true });
  expect(folders.filter((entry) => entry.isDirectory()).map(({ name }) => name)).toEqual(
    Object.keys(examples).sort(),
  );
});

it.each(chosen)(
  'the example %s builds, and the panel shows the steps, the call, the verdict, a finding and a trace of its runs',
  // CopilotKit brings 900 packages along.
  { timeout: 1_200_000 },
  async (example) => {
    const began = performance.now();
    const place = join(folder, example);
    cpSync(join(root, 'examples', example), place, { recursive: true });
    shell = new Shell(place, {
      npm_config_registry: registry.url,
      npm_config_prefer_offline: 'true',
      OPENAI_COMPATIBLE_BASE_URL: `${model.url}/v1`,
    });
    await shell.run('npm install --no-audit --no-fund');
    await shell.run('npm run build');
    await surroundings[example]?.(shell);
    const url = await shell.serve('npm run dev');
    if (example === 'artifacts') await expectArtifacts(url);
    else for (const looked of examples[example]) await look(example, url, looked, place);
    process.stdout.write(`${example}: ${Math.round((performance.now() - began) / 1000)} s\n`);
  },
);

/** Starts the server of the graph, and tells the pages where it is. */
async function serveGraph(shell: Shell): Promise<void> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  shell.set('VITE_LANGGRAPH_URL', url);
  await shell.serve(`npm run server -- --port ${port}`);
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/ok`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isReady, { timeout: 300_000 }).toBe(true);
}

async function serveCollector(shell: Shell): Promise<void> {
  collector = await startReceiver();
  shell.set('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
}

/** Waits for the spans of a run, which are one trace of the page and its server. */
async function expectSpans(): Promise<void> {
  const step = (number: number): string[] =>
    ['', ' > chat', ' > chat > POST', ' > chat > POST > chat llama3.2'].map(
      (below) => `invoke_agent assistant > step ${number}${below}`,
    );
  const expected = [
    'invoke_agent assistant',
    ...step(1),
    'invoke_agent assistant > step 1 > execute_tool get_weather',
    ...step(2),
  ];
  const paths = (): string[] => {
    const spans = collector?.spans() ?? [];
    const { traceId } = spans.find(({ name }) => name === 'execute_tool get_weather') ?? {};
    return pathsOf(spans.filter((span) => span.traceId === traceId));
  };
  // Both send every five seconds.
  await expect.poll(paths).toEqual(expected.toSorted());
}

/** Calls the tool of the agent as an agent of the browser does. */
async function expectOffered(page: Page): Promise<void> {
  const { names, answer } = await page.evaluate(async () => {
    const { modelContext } = document as unknown as { readonly modelContext: ModelContext };
    const tools = await modelContext.getTools();
    const own = tools.find(({ name }) => name === 'rename_page')!;
    return {
      names: tools.map(({ name }) => name),
      answer: await modelContext.executeTool(own, { title: 'Oslo' }),
    };
  });
  expect(names.toSorted()).toEqual(['get_weather', 'rename_page']);
  expect(answer).toContain('The page is called Oslo');
  expect(await page.title()).toBe('Oslo');
}

/** Looks for the prompt of a step, which the server tells. */
async function expectPrompt(_: Page, panel: Locator): Promise<void> {
  await panel.getByRole('tab', { name: 'Run', exact: true }).click();
  await panel.getByRole('tree', { name: 'Steps' }).locator('.lane.step').first().click();
  await panel
    .getByRole('tablist', { name: /Views of step/ })
    .getByRole('tab', { name: 'Sent' })
    .click();
  const sent = await panel.getByRole('region', { name: 'Step 1' }).innerText();
  expect(sent).toMatch(/System prompt[\s\S]*You are a helpful assistant\.[\s\S]*Tools offered \(1\)/);
}

async function look(example: Example, url: string, looked: Looked, place: string): Promise<void> {
  const { path = '', beside, verdict = /^It ended after 1 step, but the answer was cut/, feature } = looked;
  // A development server may build the page when it is first asked for it.
  await fetch(`${url}${path}`);
  const { page, complaints, close } = await visit(
    `${url}${path}`,
    'textarea:visible, input:visible',
    feature,
  );
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('button', { name: 'Open Vitrine devtools' }).click();
  const panel = page.getByRole('region', { name: 'Vitrine devtools' });
  await ask(page, 'What is the weather in Oslo?');
  // The development server builds the route now.
  await panel.getByText(/^It finished after 2 steps/).waitFor({ timeout: 120_000 });
  await page.getByText('Hello there').first().waitFor();
  await expect.poll(() => panel.textContent()).toMatch(beside);
  await panel.getByRole('tree', { name: 'Steps' }).locator('.lane.step').first().click();
  await panel
    .getByRole('tablist', { name: /Views of step/ })
    .getByRole('tab', { name: 'Tools' })
    .click();
  expect(await panel.getByRole('region', { name: 'Step 1' }).innerText()).toMatch(
    /get_weather[\s\S]*Input[\s\S]*Oslo[\s\S]*Result[\s\S]*21/,
  );
  await ask(page, 'Tell me a long story');
  await panel.getByText(verdict).waitFor();
  await expectTraceIn(page, panel, { viewer: join(place, viewerFile), verdict });
  await scenarios[example]?.(page, panel);
  if (checked.includes(example)) await expectNoFaults(page, `${example}${path.replaceAll('/', '-')}`);
  // CopilotKit brings Lit along, which warns in a development server.
  expect(complaints.filter((text) => !text.startsWith('Lit is in dev mode.'))).toEqual([]);
  await close();
}

/** Asks axe about the page and the panel, in both themes, wide and narrow. PICTURES=<folder> keeps what it saw. */
async function expectNoFaults(page: Page, name: string): Promise<void> {
  const faults: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const found = [...(await axeFaults(page)), ...(await panelFaults(page))];
      faults.push(...found.map((fault) => `${colorScheme} ${width}: ${fault}`));
      if (process.env['PICTURES'])
        await page.screenshot({ path: join(process.env['PICTURES'], `${name}-${colorScheme}-${width}.png`) });
    }
  expect(faults).toEqual([]);
}

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
}

/** Saves a trace of the run, and opens it in the viewer that the packages bring along. */
async function expectTraceIn(
  page: Page,
  panel: Locator,
  { viewer, verdict }: { readonly viewer: string; readonly verdict: RegExp },
): Promise<void> {
  await panel.getByRole('tab', { name: 'Trace', exact: true }).click();
  await panel.getByRole('button', { name: 'Preview trace' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'Save trace' }).click(),
  ]);
  const isThere = 'role=region[name="Vitrine devtools"]';
  const { page: opened, complaints, close } = await visit(pathToFileURL(viewer).href, isThere);
  const shown = opened.locator(isThere);
  await shown.getByLabel('Trace file to open').setInputFiles(await download.path());
  await shown.getByText(verdict).waitFor();
  expect(complaints).toEqual([]);
  await close();
}
