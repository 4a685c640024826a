import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const rows = read('docs/guide/coming-from.md')
  .split('\n')
  .filter((line) => /^\| (?!-|useChat |assistant-ui |LangGraph |CopilotKit )/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.trim()));
/** Every name that applications may write: imports, members, options, props, and options of agents and tools. */
const known = [
  read('tests/public-api/public-names.md'),
  read('docs/guide/reference-use-agent.md'),
  read('docs/guide/reference-components.md'),
  read('packages/core/src/agent/define-agent.ts'),
  read('packages/core/src/agent/tool.ts'),
  read('packages/core/src/agent/chat-message.ts'),
  read('packages/core/src/graph/limits.ts'),
].join('\n');

it('every name of this library in the tables exists', () => {
  expect(rows.length).toBeGreaterThan(50);
  const names = rows.flatMap(([, here = '']) =>
    [...here.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) =>
      [...code.replaceAll(/'[^']*'/g, '').matchAll(/[A-Za-z]\w+/g)].map(([name]) => name),
    ),
  );
  const ofExamples = ['true', 'part', 'text', 'files', 'url', 'agent', 'data', 'model', 'type'];
  const missing = names.filter(
    (name) => !ofExamples.includes(name) && !new RegExp(`\\b${name}\\b`).test(known),
  );
  expect(missing).toEqual([]);
});

it('every row has a name on both sides, or says that there is none', () => {
  const bare = rows.filter(([, here = '']) => !here.includes('`') && !here.startsWith('none'));
  expect(bare).toEqual([]);
});
