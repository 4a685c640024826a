import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { registry as shadcnRegistry, writeRegistry } from '../../scripts/docs/registry.ts';
import { axeFaults } from '../journeys/axe-faults.ts';
import { closeBrowser, visit } from '../matrix/visit.ts';
import { type Registry, serveRegistry } from './registry.ts';
import { Shell } from './shell.ts';

// The registry for shadcn: its own command validates it, adds the items to a new application with Tailwind 4, and the
// chat looks like the application in both themes. STARTS=all or STARTS=shadcn tries it; it needs the builds.

const isChosen = ['all', 'shadcn'].includes(process.env['STARTS'] ?? '');
const shadcn = 'npx --yes shadcn@4';
const folder = mkdtempSync(join(tmpdir(), 'vitrine-shadcn-'));
const pages = join(folder, 'r');
let npm: Registry;
let shell: Shell;
let items = '';
/** The site of shadcn has the colours of its themes, which the command wants to know. An application has its own. */
const colors = { inlineColors: { light: {}, dark: {} }, cssVars: { light: {}, dark: {} } };
const templates = { inlineColorsTemplate: '', cssVarsTemplate: '' };
const server = createServer(({ url = '' }, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(
    url.startsWith('/colors/') ? JSON.stringify({ ...colors, ...templates }) : readFileSync(join(pages, url)),
  );
});

beforeAll(async () => {
  if (!isChosen) return;
  npm = await serveRegistry();
  writeRegistry(pages);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  items = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  shell = new Shell(folder, { npm_config_registry: npm.url, npm_config_yes: 'true', REGISTRY_URL: items });
});
afterAll(async () => {
  await closeBrowser();
  server.close();
  if (isChosen) await Promise.all([shell.close(), npm.close()]);
  rmSync(folder, { recursive: true, force: true });
});

/** Writes files below a folder. */
function write(below: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(below, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

it.runIf(isChosen)(
  'the command of shadcn builds the same items from the index',
  { timeout: 300_000 },
  async () => {
    const { index, items } = shadcnRegistry();
    const source = join(folder, 'source');
    const files = items.flatMap((item) => item.files.map(({ path, content }) => [path, content] as const));
    write(source, { 'registry.json': JSON.stringify(index), ...Object.fromEntries(files) });
    await new Shell(source, { npm_config_registry: npm.url }).run(`${shadcn} build`);
    for (const item of items)
      expect(JSON.parse(readFileSync(join(source, `public/r/${item.name}.json`), 'utf8'))).toEqual(item);
  },
);

const markdown = `## What Markdown looks like here

Text can be **bold**, *italic*, ~~struck~~ or \`code\`, with a [link](https://commonmark.org).

| Part | What it holds |
| --- | --- |
| \`AgentState\` | identity, conversation, plugins |

1. First the model is called,
2. then its tools run.

\`\`\`ts
console.log(AgentState.stopReason(state));
\`\`\`

> A state is plain data: it can be saved, shown, compared and replayed.`;

/** An application of Vite with Tailwind 4 and the colours of shadcn's neutral theme, as its `init` leaves one. */
const application = {
  'components.json': JSON.stringify({
    style: 'new-york',
    rsc: false,
    tsx: true,
    tailwind: { config: '', css: 'src/index.css', baseColor: 'neutral', cssVariables: true },
    aliases: { components: '@/components', utils: '@/lib/utils' },
  }),
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      target: 'es2023',
      lib: ['ES2023', 'DOM'],
      module: 'esnext',
      moduleResolution: 'bundler',
      types: ['vite/client'],
      jsx: 'react-jsx',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      paths: { '@/*': ['./src/*'] },
    },
    include: ['src'],
  }),
  'vite.config.ts': `import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { offlineModel } from '@vitrine/proxy/offline';
import { vitrine } from '@vitrine/proxy/vite';
import { defineConfig } from 'vite';
const alias = { '@': new URL('./src', import.meta.url).pathname };
const text = ${JSON.stringify(markdown)};
const replies = ({ asked }) => (/markdown/.test(asked) ? { text } : null);
const proxy = vitrine({ models: [offlineModel({ replies })] });
export default defineConfig({ plugins: [react(), tailwindcss(), proxy], resolve: { alias } });
`,
  'src/index.css': `@import 'tailwindcss';
@custom-variant dark (&:is(.dark *));
:root {
  --background: oklch(1 0 0); --foreground: oklch(0.145 0 0); --card: oklch(1 0 0);
  --primary: oklch(0.205 0 0); --primary-foreground: oklch(0.985 0 0);
  --muted: oklch(0.97 0 0); --muted-foreground: oklch(0.556 0 0); --border: oklch(0.922 0 0);
}
.dark {
  --background: oklch(0.145 0 0); --foreground: oklch(0.985 0 0); --card: oklch(0.205 0 0);
  --primary: oklch(0.922 0 0); --primary-foreground: oklch(0.205 0 0);
  --muted: oklch(0.269 0 0); --muted-foreground: oklch(0.708 0 0); --border: oklch(1 0 0 / 10%);
}
@theme inline {
  --color-background: var(--background); --color-foreground: var(--foreground); --color-card: var(--card);
  --color-primary: var(--primary); --color-primary-foreground: var(--primary-foreground);
  --color-muted: var(--muted); --color-muted-foreground: var(--muted-foreground); --color-border: var(--border);
}
@layer base { * { @apply border-border; } body { @apply bg-background text-foreground; } }
`,
  'src/main.tsx': `import { createRoot } from 'react-dom/client';
import App from './App';
import './index.css';

createRoot(document.querySelector('#root')!).render(<App />);
`,
  'src/App.tsx': `import { AgentProvider, browserSessions, defineAgent, defineTool } from '@vitrine/react';
import { useState } from 'react';
import * as z from 'zod';
import { Chat } from '@/components/chat';
import { ChatSessionList } from '@/components/chat-session-list';

const calculator = defineTool({
  name: 'calculator',
  description: 'Calculates',
  input: z.object({ expression: z.string() }),
  needsApproval: true,
  execute: () => '84',
});
const assistant = defineAgent({ name: 'assistant', tools: [calculator] });
const sessions = browserSessions();

export default function App() {
  const [id, setId] = useState('first');
  return (
    <AgentProvider sessions={sessions}>
      <div className="flex h-dvh">
        <ChatSessionList currentId={id} onOpen={setId} />
        <Chat key={id} agent={assistant} sessionId={id} />
      </div>
    </AgentProvider>
  );
}
`,
} as const;

it.runIf(isChosen)(
  'the items that the command of shadcn adds are a chat in the colours of the application, in both themes',
  { timeout: 600_000 },
  async () => {
    await shell.run('npm create --yes vite@latest my-app -- --template react-ts --no-interactive');
    await shell.run('cd my-app');
    write(shell.folder, application);
    await shell.run('npm install --no-audit --no-fund tailwindcss @tailwindcss/vite @vitrine/proxy zod');
    for (const item of ['chat', 'chat-session-list'])
      await shell.run(`${shadcn} add ${items}/${item}.json --yes`);
    await shell.run('npx tsc --noEmit');
    const { page, complaints, close } = await visit(await shell.serve('npm run dev'), 'textarea');
    await page.setViewportSize({ width: 1100, height: 760 });
    const ask = async (text: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Message' }).fill(text);
      await page.getByRole('button', { name: 'Send' }).click();
    };
    await ask('Show me markdown');
    await page.getByRole('listitem').filter({ hasText: 'Show me markdown' }).waitFor();
    await page.getByText('A state is plain data').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor({ timeout: 30_000 });
    await ask('Use the calculator for 12 * (3 + 4)');
    await page
      .getByRole('button', { name: /Approve/ })
      .first()
      .waitFor();
    for (const look of ['light', 'dark']) {
      await page.evaluate((name) => (document.documentElement.className = name), look);
      if (process.env['PICTURES'])
        await page.screenshot({ path: join(process.env['PICTURES'], `shadcn-${look}.png`) });
      expect(await axeFaults(page), look).toEqual([]);
    }
    await page
      .getByRole('button', { name: /Approve/ })
      .first()
      .click();
    await page.getByText('answered: 84').waitFor();
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    await page.getByRole('heading', { name: 'What can I help you with?' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  },
);
