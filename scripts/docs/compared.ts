import { readFileSync } from 'node:fs';
import { measured } from './measured.ts';
import { root } from '../root.ts';
import { sizeBudgets } from '../size-budgets.ts';

// The tables of docs/guide/compared.md. `reference.ts` puts them on the page.

/** One feature with a letter for this library and each peer, in their order: y (yes), p (partly), n (not found). */
export const features: readonly (readonly [feature: string, marks: string])[] = [
  ['Stop an answer', 'yyyyyyyy'],
  ['Leave while the agent goes on', 'ynpnpypy'],
  ['Abort a running tool of the page', 'ynnyynnn'],
  ['Answer again', 'yyyyppyy'],
  ['Edit an earlier message', 'ypnypppp'],
  ['Branches that are kept', 'ynnypppn'],
  ['Continue a stream after a reload', 'yyyppyyy'],
  ['Stores in the browser', 'ynypnnnn'],
  ['Several tabs on one conversation', 'ynpnnnyy'],
  ['Queue while the agent works', 'ypypnypp'],
  ['Approval of tool calls', 'yyyyyyyp'],
  ['Approval with edited arguments', 'ynypppnn'],
  ['Remembered decisions', 'ynnpnnnn'],
  ['Approvals that survive a reload', 'ypyppyyp'],
  ['Tools that run in the page', 'yyyyyyyp'],
  ['Structured output in the same hook', 'ypynnpnn'],
  ['Attachments', 'yyyyyyyp'],
  ['Usage as state', 'ynnpnnnn'],
  ['Cost as state', 'ynpnnnpp'],
  ['Budgets in the page', 'ynnpnnnn'],
  ['The reason of the end as state', 'yppynppp'],
  ['Steps as data', 'ypppppnn'],
  ['Subagents in the hook', 'ypnppyyp'],
  ['State beside the messages', 'ypppyyyp'],
  ['Selectors that limit renders', 'ynnypynn'],
  ['Throttled renders', 'yynnyypy'],
  ['Rendering on a server', 'yyyyyypp'],
  ['React Native', 'nppyypnn'],
  ['Suspense', 'nnnnnypn'],
  ['Reconnects and typed errors', 'ypppppyp'],
  ['Offline', 'pnpnnnnn'],
  ['Devtools in the page', 'ypyyynnn'],
  ['Time travel in the devtools', 'ynnnnnnn'],
  ['Fork from a step, or replay', 'ynpnnypp'],
  ['Test kit for the hook', 'ynnnnnnn'],
  ['Typed tools from end to end', 'yyyppyyp'],
  ['No provider component needed', 'yyynnyyy'],
  ['A loop that runs in the page', 'ypppnnnn'],
  ['Tools of MCP servers', 'yyyppnyn'],
  ['WebMCP', 'ynyyynyn'],
  ['Breakpoints before calls', 'ynnnnpnn'],
  ['Findings: what went wrong in a run', 'ynnnnnnn'],
  ['Experiments on a recorded run', 'ynnnnnnn'],
];

const words: Readonly<Record<string, string>> = { y: 'yes', p: 'partly', n: 'no' };

/** The names that `npm run probe` has found in the published packages of the peers. */
export const probed = JSON.parse(readFileSync(`${root}/scripts/docs/probed.json`, 'utf8')) as {
  readonly day: string;
  readonly peers: Readonly<
    Record<
      string,
      {
        readonly versions: Readonly<Record<string, string>>;
        readonly names: Readonly<Record<string, readonly string[]>>;
      }
    >
  >;
};

/** Sentences about a probe that is older than 90 days; it is then time for `npm run probe`. */
export function agedProbe(now: number): string | null {
  const days = Math.floor((now - Date.parse(probed.day)) / 86_400_000);
  return days > 90
    ? `The peers of docs/guide/compared.md were probed ${days} days ago: npm run probe.`
    : null;
}

/** The peers with the versions and the day of the probe. */
export function peerTable(): string {
  const rows = Object.entries(probed.peers).map(([name, { versions }]) => {
    const listed = Object.entries(versions).map(([one, version]) => `\`${one}\` ${version}`);
    return `| ${name} | ${listed.join(', ')} | ${probed.day} |`;
  });
  return ['| Library | Versions | Probed on |', '| --- | --- | --- |', ...rows].join('\n');
}

/** The features of this library and its peers. */
export function featureTable(): string {
  const names = ['Vitrine', ...Object.keys(probed.peers)];
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
