import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const rows = read('docs/guide/coming-from.md')
  .split('\n')
  .filter((line) => /^\| (?!-|useChat |assistant-ui |LangGraph |CopilotKit |ChatKit )/.test(line))
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
  read('packages/proxy/src/sessions/session-routes-options.ts'),
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

/** The signs of what the page calls missing: names that would be public, if it were there. */
const missing: Readonly<Record<string, RegExp>> = {
  'hooks for Vue, Svelte and Angular': /@vitrine\/(?:vue|svelte|angular)/,
  'models of speech, images and embeddings': /generateSpeech|transcribe|generateImage|\bembed(?!ded)/i,
  '`useCompletion`': /useCompletion/,
  'unstyled primitives for each button': /Primitive\b/,
  'a hosted cloud': /\bcloud/i,
  'React Native': /react-native|ReactNative/i,
  graphs: /StateGraph|defineGraph/,
  'a hosted platform with schedules': /schedule(?!r)/i,
  'a text area with completion': /textarea|autocompl/i,
  'tools that a component registers while it is mounted': /useTool\(|useRegisterTool|useAgentTool/,
  'widgets that a server streams': /widget/i,
};

it('what the page calls missing has no public name, and each of it has a sign', () => {
  const page = read('docs/guide/coming-from.md');
  const told = [...page.matchAll(/Missing here: ([^.]+)\./g)].flatMap(([, list = '']) => list.split('; '));
  expect([...new Set(told)].toSorted()).toEqual(Object.keys(missing).toSorted());
  const names = [
    read('tests/public-api/public-names.md'),
    read('docs/guide/reference-use-agent.md'),
    read('docs/guide/reference-components.md'),
  ].join('\n');
  const there = Object.entries(missing).filter(([, sign]) => sign.test(names));
  expect(there.map(([what, sign]) => `${what}: ${sign.exec(names)?.[0]}`)).toEqual([]);
});

it('a table names "none" only for what has no public name', () => {
  const none = rows.filter(([, here = '']) => here === 'none');
  expect(none.map(([theirs]) => theirs)).toEqual(['| `StateGraph`, edges, `Command({ goto })`']);
  expect(/StateGraph/.test(known)).toBe(false);
});
