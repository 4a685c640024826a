import { readFileSync } from 'node:fs';
import { measured } from './measured.ts';
import { root } from '../root.ts';
import { sizeBudgets } from '../size-budgets.ts';

// The tables of docs/guide/compared.md. `reference.ts` puts them on the page.

/** The libraries of the feature table: their sources and docs, read on this day. */
const peersReadOn = '2026-11-20';
const peers = [
  { name: 'AI SDK', packages: '`@ai-sdk/react` 4.0.80, `ai` 7.0.77' },
  { name: 'TanStack AI', packages: '`@tanstack/ai-react` 0.22.0' },
  { name: 'assistant-ui', packages: '`@assistant-ui/react` 0.15.16' },
  { name: 'CopilotKit', packages: '`@copilotkit/react-core` 1.69.0' },
  { name: 'LangGraph', packages: '`@langchain/react` 1.0.32' },
  { name: 'Cloudflare Agents', packages: '`agents` at the head of August 2026' },
] as const;

/** One feature with a letter for this library and each peer, in their order: y (yes), p (partly), n (not found). */
const features: readonly (readonly [feature: string, marks: string])[] = [
  ['Stop an answer', 'yyyyyyy'],
  ['Leave while the agent goes on', 'pnpnpyp'],
  ['Abort a running tool of the page', 'ynnyynn'],
  ['Answer again', 'yyyynpy'],
  ['Edit an earlier message', 'ypnynpp'],
  ['Branches that are kept', 'ynnynnp'],
  ['Continue a stream after a reload', 'yyyppyy'],
  ['Stores in the browser', 'ynypnnn'],
  ['Several tabs on one conversation', 'ynpnnny'],
  ['Queue while the agent works', 'ynypnyp'],
  ['Approval of tool calls', 'yyyyyyy'],
  ['Approval with edited arguments', 'ynppppn'],
  ['Remembered decisions', 'ynnpnnn'],
  ['Approvals that survive a reload', 'ypyppyy'],
  ['Tools that run in the page', 'yyyyyyy'],
  ['Structured output in the same hook', 'ypynnpn'],
  ['Attachments', 'yyyyyyy'],
  ['Usage as state', 'ynnpnnn'],
  ['Cost as state', 'ynnnnnn'],
  ['Budgets in the page', 'ynnpnnn'],
  ['The reason of the end as state', 'ypnynpp'],
  ['Steps as data', 'ypnpppn'],
  ['Subagents in the hook', 'ypnpnyy'],
  ['State beside the messages', 'ypppyyy'],
  ['Selectors that limit renders', 'ynnypyn'],
  ['Throttled renders', 'yynnynp'],
  ['Rendering on a server', 'yyyyyyp'],
  ['React Native', 'nppyypn'],
  ['Suspense', 'nnnnnyp'],
  ['Reconnects and typed errors', 'ypppppy'],
  ['Offline', 'pnpnnnn'],
  ['Devtools in the page', 'ypyyynn'],
  ['Time travel in the devtools', 'ynnnnnn'],
  ['Fork from a step, or replay', 'ynpnnyn'],
  ['Test kit for the hook', 'ynnnnnn'],
  ['Typed tools from end to end', 'yyyppyy'],
  ['No provider component needed', 'yyynnyy'],
  ['A loop that runs in the page', 'ypppnnn'],
];

const words: Readonly<Record<string, string>> = { y: 'yes', p: 'partly', n: 'no' };

/** The peers with the versions and the day of reading. */
export function peerTable(): string {
  const rows = peers.map(({ name, packages }) => `| ${name} | ${packages} | ${peersReadOn} |`);
  return ['| Library | Versions | Read on |', '| --- | --- | --- |', ...rows].join('\n');
}

/** The features of this library and its peers. */
export function featureTable(): string {
  const names = ['Vitrine', ...peers.map(({ name }) => name)];
  const rows = features.map(([feature, marks]) => {
    if (marks.length !== names.length) throw new Error(`${feature} needs a mark for each library.`);
    return `| ${feature} | ${[...marks].map((mark) => words[mark]).join(' | ')} |`;
  });
  return [`| Feature | ${names.join(' | ')} |`, `| --- |${' --- |'.repeat(names.length)}`, ...rows].join(
    '\n',
  );
}

/** The figures of the benches, with the version of the peer that this repository installs for them. */
export function figureTable(): string {
  const { devDependencies } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const peer = `AI SDK (\`ai\` ${devDependencies['ai'] ?? ''}, \`@ai-sdk/react\` ${devDependencies['@ai-sdk/react'] ?? ''})`;
  const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rows = [
    ...measured.map(({ what, vitrine, peer: theirs, command, day }) =>
      row(what, vitrine, theirs ?? 'not measured', `\`${command}\``, day),
    ),
    ...loads.map(([what, name]) =>
      row(what, atMost(name), 'not measured', '`npm test -- --only build,sizes`', 'in every run'),
    ),
  ];
  return [`| Figure | Vitrine | ${peer} | Command | Day |`, '| --- | --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

/** Loads of a page, by the name of their budget. */
const loads = [
  [
    'Size of a chat before the first message can be typed',
    'plain chat, before the first message can be typed',
  ],
  ['Size of all that a chat downloads', 'plain chat, all that it downloads'],
] as const;

/** The size that a budget allows with Vite, up to the next 10 kB, so that the page does not change with every byte. */
function atMost(name: string): string {
  const bytes = sizeBudgets.find((budget) => budget.name === name)?.limits.vite;
  if (bytes === undefined) throw new Error(`There is no budget ${JSON.stringify(name)} for Vite.`);
  return `under ${Math.ceil(bytes / 10_000) * 10} kB (gzip, without React)`;
}
