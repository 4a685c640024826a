import { parseSync } from 'oxc-parser';
import type { Node } from './recursion.ts';

/** A doc comment or test title that breaks a rule of plain words, with its place. */
export type WordFinding = {
  readonly path: string;
  readonly line: number;
  readonly kind: 'doc-comment' | 'test-title';
  readonly text: string;
};

/** The figures of one area: all doc comments and test titles, and the ones with a finding. */
export type WordCount = {
  readonly docComments: number;
  readonly testTitles: number;
  readonly findings: readonly WordFinding[];
};

/**
 * Upper bounds of the findings by area: the first part of the path, for packages the first two.
 */
export const wordBounds: Readonly<
  Record<string, { readonly docComments: number; readonly testTitles: number }>
> = {
  apps: { docComments: 0, testTitles: 0 },
  benches: { docComments: 0, testTitles: 0 },
  docs: { docComments: 0, testTitles: 0 },
  'bridges/ag-ui': { docComments: 0, testTitles: 0 },
  'bridges/ai-sdk': { docComments: 0, testTitles: 0 },
  'bridges/assistant-ui': { docComments: 0, testTitles: 0 },
  'bridges/langgraph': { docComments: 0, testTitles: 0 },
  'bridges/mcp': { docComments: 0, testTitles: 0 },
  'bridges/otel': { docComments: 0, testTitles: 0 },
  'bridges/tanstack-ai': { docComments: 0, testTitles: 0 },
  'bridges/web-mcp': { docComments: 0, testTitles: 0 },
  'packages/core': { docComments: 0, testTitles: 0 },
  'packages/devtools': { docComments: 0, testTitles: 0 },
  'packages/inspect': { docComments: 0, testTitles: 0 },
  'packages/messages': { docComments: 0, testTitles: 0 },
  'packages/plugins': { docComments: 0, testTitles: 0 },
  'packages/persist': { docComments: 0, testTitles: 0 },
  'packages/testing': { docComments: 0, testTitles: 0 },
  'packages/proxy': { docComments: 0, testTitles: 0 },
  'packages/server': { docComments: 0, testTitles: 0 },
  'packages/react': { docComments: 0, testTitles: 0 },
  scripts: { docComments: 0, testTitles: 0 },
  tests: { docComments: 0, testTitles: 0 },
};

/** Openings of a doc comment that begin a relative clause instead of naming the thing. */
const relativeOpening = /^(what|who|how|where|which|whether|whoever|that|whose|whatever|when)\b/i;

const prepositions =
  'about after as against at because before behind beside between by for from in into of on once over since to under ' +
  'until with within without';

const verbs =
  'aborts accepts accuses adds agrees are asks becomes begins believes belongs blocks breaks brings can cannot ' +
  'carries charges clears checks clicks closes comes compares completes computes copies cuts deletes ' +
  'delegates demands describes differs do does doubles drops ends erases explains exports fails fills finds flushes ' +
  'folds follows forgets gets gives goes grows had handles hands has have hears hides holds includes is ' +
  'joins keeps knows lacks leads leaves lets lives loads looks loses makes masks may mends merges ' +
  'misses must needs never opens passes prefers publishes puts raises reaches reads ' +
  'refuses rejects remembers renders replays rests resolves saves says searches sees sends separates serves ' +
  'settles should shows skips sorts spends stands starts stays survives takes tells thinks ' +
  'took waits wants was were will withholds writes';

/** Plural nouns that are verbs in front of an object, as in "stores a message". */
const nounsOrVerbs = new Set(
  (
    'answers calls changes costs counts edits forks groups limits lists marks moves names queues records retries runs ' +
    'shares stops stores sums turns'
  ).split(' '),
);
const opensObject =
  /^(an?|the|its|their|every|each|no|nothing|all|any|what|it|them|one|only|once|whole|\d.*)$/;

/** Words that a sentence with a subject does not begin with. */
const subjectless = new Set(`${prepositions} ${verbs} and or also still that whose`.split(' '));

/** Counts the doc comments and test titles of one file, and finds those that break a rule. */
export function wordsOf(path: string, text: string): WordCount {
  const { comments, program } = parseSync(path, text);
  const lineOf = (offset: number): number => text.slice(0, offset).split('\n').length;
  const docComments = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'));
  const isOfLaws = /laws?(\.fixture)?\.ts$/.test(path);
  const titles =
    isOfLaws || /\b(it|test)\b/.test(text) ? testTitles(program as unknown as Node, isOfLaws) : [];
  const findings = [
    ...docComments.flatMap(({ value, start }): WordFinding[] => {
      const words = value.replace(/^[\s*]+/, '');
      if (!relativeOpening.test(words)) return [];
      return [{ path, line: lineOf(start), kind: 'doc-comment', text: words.slice(0, 60) }];
    }),
    ...titles.flatMap(({ title, start }): WordFinding[] =>
      isSentence(title) ? [] : [{ path, line: lineOf(start), kind: 'test-title', text: title }],
    ),
  ];
  return { docComments: docComments.length, testTitles: titles.length, findings };
}

/** Tells whether a title begins with its subject and has at least three words; a placeholder counts as a subject. */
function isSentence(title: string): boolean {
  const words = title.replace(/^\d+ /, '').trim().split(/\s+/);
  const hasPlaceholder = /[%$]/.test(title);
  const [first = '', second = ''] = words.map((word) => word.replace(/[,:]$/, ''));
  if (subjectless.has(first) || (nounsOrVerbs.has(first) && opensObject.test(second))) return false;
  return words.length >= 3 || hasPlaceholder;
}

/**
 * The titles of all calls of `it` and `test`, also of `it.each(…)` and `it.skipIf(…)`, and the names in tables of laws,
 * which become titles.
 */
function testTitles(program: Node, isOfLaws: boolean): { readonly title: string; readonly start: number }[] {
  const titles: { title: string; start: number }[] = [];
  const open: unknown[] = [program];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    open.push(
      ...(Array.isArray(value) ? value : Object.values(value)).filter((child) => child !== undefined),
    );
    const node = value as Node;
    const law = isOfLaws ? titleOfLaw(node) : null;
    if (law !== null) titles.push(law);
    if (node.type !== 'CallExpression' || !/^(it|test)$/.test(calledName(node))) continue;
    const [first, ...rest] = node['arguments'] as readonly Node[];
    const title = first === undefined || rest.length === 0 ? null : titleOf(first);
    if (first !== undefined && title !== null) titles.push({ title, start: Number(first['start']) });
  }
  return titles;
}

/** The name of a law: of an object with `name` and `run` that is no hook, which has an `on`. */
function titleOfLaw(node: Node): { readonly title: string; readonly start: number } | null {
  if (node.type !== 'ObjectExpression') return null;
  const valueOf = (name: string): Node | undefined =>
    (node['properties'] as readonly Node[]).find(
      (property) => (property['key'] as Node | undefined)?.['name'] === name,
    )?.['value'] as Node | undefined;
  const name = valueOf('name');
  if (name === undefined || valueOf('run') === undefined || valueOf('on') !== undefined) return null;
  const title = titleOf(name);
  return title === null ? null : { title, start: Number(name['start']) };
}

/** The identifier at the root of a call: `it` of `it.each(table)(title, test)`. */
function calledName(call: Node): string {
  let callee: Node | null = call;
  while (callee !== null && callee.type !== 'Identifier')
    callee = (callee['callee'] ?? callee['object'] ?? callee['tag'] ?? null) as Node | null;
  return String(callee?.['name'] ?? '');
}

/** The text of a title, with `$` for each inserted value of a template; null for other expressions. */
function titleOf(node: Node): string | null {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : null;
  if (node.type !== 'TemplateLiteral') return null;
  const parts = node['quasis'] as readonly { readonly value: { readonly raw: string } }[];
  return parts.map(({ value }) => value.raw).join('$');
}
