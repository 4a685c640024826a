import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { add } from './add.ts';
import { doctor } from './doctor.ts';
import { watchChats } from './project/watch-chats.ts';
import { folderOfTest } from '../../../tests/folder-of-test.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

type Files = Readonly<Record<string, string>>;
type Added = {
  readonly folder: string;
  readonly said: string;
  readonly read: (path: string) => Promise<string>;
};

async function added(what: string, files: Files): Promise<Added> {
  const folder = folderOfTest('add');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return again(what, folder);
}

function again(what: string, folder: string): Added {
  const lines: string[] = [];
  add(what, folder, (line) => void lines.push(line));
  return { folder, said: lines.join('\n'), read: (path) => readFile(join(folder, path), 'utf8') };
}

const vite: Files = {
  'package.json': '{ "dependencies": { "react": "19" }, "devDependencies": { "vite": "8" } }',
  'vite.config.ts': `import react from '@vitejs/plugin-react';\nexport default { plugins: [react()] };\n`,
  'src/main.tsx': `import { createRoot } from 'react-dom/client';\ncreateRoot(document.body).render(null);\n`,
};
const layout = `export default ({ children }) => <html><body>{children}</body></html>;\n`;
const next: Files = { 'package.json': '{ "dependencies": { "next": "16" } }', 'app/layout.tsx': layout };
const chat = `'use client';\n\nimport { useChat } from '@ai-sdk/react';\nimport { DefaultChatTransport } from 'ai';\n\nconst transport = new DefaultChatTransport({ api: '/api/chat' });\nexport const useIt = () => useChat({ transport });\n`;

describe('vitrine add', () => {
  it('a chat in an application of Vite has its page and its proxy, and the doctor finds no fault', async () => {
    const { folder, said, read } = await added('chat', vite);
    expect(said).toContain('src/vitrine-chat.tsx: written\nvite.config.ts: changed');
    expect(said).toContain('Next: npm install @vitrine/react @vitrine/proxy');
    expect(await read('vite.config.ts')).toBe(
      `import { vitrine } from '@vitrine/proxy/vite';\nimport react from '@vitejs/plugin-react';\nexport default { plugins: [vitrine(), react()] };\n`,
    );
    expect(again('chat', folder).said).toContain('src/vitrine-chat.tsx: is as it should be');
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    expect(await doctor(folder, { now: 0, url: 'http://127.0.0.1:1', env: {}, print: () => {} })).toBe(0);
  });

  it('a chat in a Next application has its page and the route of the proxy', async () => {
    const { read } = await added('chat', next);
    expect(await read('app/chat/page.tsx')).toContain('<Chat agent={assistant}');
    expect(await read('app/api/v1/[...path]/route.ts')).toContain('createInferenceProxy()');
  });

  it('the panel is mounted once, in the entry of Vite or in the layout of Next', async () => {
    const { folder, read } = await added('panel', vite);
    again('panel', folder);
    expect((await read('src/main.tsx')).match(/mountAgentDevtools\(\);/g)).toHaveLength(1);
    const inNext = await added('panel', next);
    expect(await inNext.read('app/layout.tsx')).toBe(
      `import { VitrinePanel } from './vitrine-panel';\n${layout.replace('</body>', '<VitrinePanel /></body>')}`,
    );
  });

  it('a chat of the AI SDK in Next is watched with its prompts, and nothing is added twice', async () => {
    const { folder, said, read } = await added('ai-sdk', { ...next, 'app/page.tsx': chat });
    expect(await read('app/page.tsx')).toBe(
      chat
        .replace(
          `import { useChat }`,
          `import { observeChat } from '@vitrine/ai-sdk/observe';\nimport { useChat }`,
        )
        .replace(
          `new DefaultChatTransport({ api: '/api/chat' })`,
          `observeChat(new DefaultChatTransport({ api: '/api/chat' }), { telemetry: '/api/vitrine' })`,
        ),
    );
    const example = (path: string) => readFile(join(root, 'examples/ai-sdk-panel', path), 'utf8');
    expect(await read('instrumentation.ts')).toBe(await example('instrumentation.ts'));
    expect(await read('app/api/vitrine/route.ts')).toBe(await example('app/api/vitrine/route.ts'));
    expect(await read('app/layout.tsx')).toContain('<VitrinePanel />');
    expect(said).toContain('Next: npm install @vitrine/ai-sdk @vitrine/devtools');
    expect(again('ai-sdk', folder).said).not.toMatch(/: (?:changed|written)/);
  });

  it('an instrumentation that is there stays, and its line is told', async () => {
    const own = 'export function register() {}\n';
    const { said, read } = await added('ai-sdk', {
      ...next,
      'app/page.tsx': chat,
      'instrumentation.ts': own,
    });
    expect(await read('instrumentation.ts')).toBe(own);
    expect(said).toContain(
      'Next: call registerTelemetry(vitrineTelemetry()) in register of instrumentation.ts.',
    );
  });

  it('a useChat without a transport gets one, and one that another file may have made stays', () => {
    const bare = `import { useChat } from '@ai-sdk/react';\nexport const useIt = () => useChat();\n`;
    expect(watchChats(bare, null)).toBe(
      `import { observeChat } from '@vitrine/ai-sdk/observe';\nimport { DefaultChatTransport } from 'ai';\n\nconst watchedTransport = observeChat(new DefaultChatTransport({ api: '/api/chat' }));\n\n${bare.replace('useChat()', 'useChat({ transport: watchedTransport })')}`,
    );
    for (const kept of [
      `import { useChat } from '@ai-sdk/react';\nuseChat({ transport });\n`,
      'export {};\n',
    ])
      expect(watchChats(kept, null)).toBe(kept);
  });

  it('any arguments of a transport stay as they are inside of observeChat, and the file stays a program', async () => {
    const leaf = fc.constantFrom(
      `')'`,
      '"(("',
      '`) ${1} (`',
      `'it\\'s )'`,
      '/* ) */ 1',
      '// )\n2',
      '[]',
      'fetch(a)',
    );
    const node = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('node'), { maxLength: 3 }).map((list) => `f(${list.join(', ')})`),
        tie('node').map((value) => `{ api: '/a', fetch: (x) => (${value}) }`),
      ),
    })).node;
    await fc.assert(
      fc.asyncProperty(fc.array(node, { maxLength: 3 }), async (list) => {
        const call = `new DefaultChatTransport(${list.join(', ')}\n)`;
        const source = `const a = ${call};\nuse(${call}, ')');\n`;
        const after = watchChats(source, null);
        expect(after).toBe(
          `import { observeChat } from '@vitrine/ai-sdk/observe';\nconst a = observeChat(${call});\nuse(observeChat(${call}), ')');\n`,
        );
        await transform(after, { loader: 'tsx' });
        expect(watchChats(after, null)).toBe(after);
      }),
      { numRuns: Number(process.env['PROVE_RUNS'] ?? 60) },
    );
  });

  it('the skill is copied with links that lead to the installed pages', async () => {
    const skill = 'node_modules/@vitrine/react/skills/vitrine/SKILL.md';
    const { read } = await added('skill', {
      [skill]: 'See [tools](../../docs/tools.md).\n',
      '.claude/x': '',
    });
    for (const place of ['.agents', '.claude'])
      expect(await read(`${place}/skills/vitrine/SKILL.md`)).toBe(
        'See [tools](../../../node_modules/@vitrine/react/docs/tools.md).\n',
      );
  });

  it('an unknown part, and a skill without its package, are refused with what to do', async () => {
    await expect(added('everything', {})).rejects.toThrow(
      'vitrine add ai-sdk | chat | panel | server | skill',
    );
    await expect(added('toString', {})).rejects.toThrow('Name what to add');
    await expect(added('skill', {})).rejects.toThrow('Install @vitrine/react');
  });

  it('pnpm, yarn and bun are asked where their lock is', async () => {
    expect((await added('panel', { ...vite, 'pnpm-lock.yaml': '' })).said).toContain(
      'Next: pnpm add @vitrine/devtools',
    );
  });
});
