import { readdirSync, readFileSync } from 'node:fs';
import { explainError } from '@vitrine/core';
import { errorTable } from '@vitrine/core/internal/kit/errors/error-table';
import { wireErrors } from '@vitrine/core/internal/kit/errors/wire-errors';
import { detectors } from '@vitrine/inspect';
import { root } from '../root.ts';
import { featureTable, figureTable, peerTable } from './compared.ts';
import { type Choice, type Member, sourceTypes } from './source-types.ts';

// The tables of the reference pages. A page holds `<!-- made: NAME -->` and `<!-- /made -->`, and the lines between
// them are written by the function of that name. `npx vitest run --project node reference -u` writes them again.

/** The marked tables by name. Each function returns Markdown, without a heading. */
export const referenceTables: Readonly<Record<string, () => string>> = {
  'use-agent-data': () => memberTable(agentFields(), 'Field'),
  'use-agent-commands': () => commandTable(agentCommands()),
  'use-agent-options': () => memberTable(agentOptions(), 'Option'),
  'session-statuses': () => choiceTable(session().choices('SessionStatus'), 'Status'),
  'session-activities': () => choiceTable(session().choices('SessionActivity'), 'Activity'),
  'turn-fields': () => memberTable(commands().members('Turn'), 'Field'),
  components: () => componentList('packages/react/src/components/index.ts'),
  providers: () => componentList('packages/react/src/index.ts'),
  'devtools-options': () =>
    memberTable(sourceTypes('packages/devtools/src/options.ts').members('AgentDevtoolsOptions'), 'Option'),
  'library-errors': () => errorList(Object.keys(errorTable).filter((name) => !(name in wireErrors))),
  'proxy-errors': () => errorList(Object.keys(wireErrors)),
  environment: environmentTable,
  peers: peerTable,
  features: featureTable,
  figures: figureTable,
  events: () => eventTable(sourceTypes('packages/core/src/run/event-shapes.ts').choices('eventFields')),
  signals: () => eventTable(sourceTypes('packages/core/src/run/events.ts').choices('AgentSignalBody')),
  detectors: detectorTable,
  'stop-reasons': () =>
    choiceTable(sourceTypes('packages/core/src/graph/stop-reason.ts').choices('stopReasons'), 'Reason'),
};

/** The page with all of its marked tables written anew. @throws Error for a mark without a table. */
export function withTables(page: string): string {
  return page.replaceAll(
    /(<!-- made: ([\w-]+) -->)[^]*?(?=<!-- \/made -->)/g,
    (_all, mark: string, name: string) => {
      const table = referenceTables[name];
      if (table === undefined) throw new Error(`There is no table ${JSON.stringify(name)} in reference.ts.`);
      return `${mark}\n\n${table()}\n\n`;
    },
  );
}

const session = (): ReturnType<typeof sourceTypes> =>
  sourceTypes('packages/core/src/session/agent-session.ts');
const commands = (): ReturnType<typeof sourceTypes> =>
  sourceTypes('packages/core/src/session/session-commands.ts');

function agentFields(): readonly Member[] {
  return sourceTypes('packages/react/src/fields.ts').members('AgentFields');
}

/** The commands of `useAgent`: those of a session without those that it leaves to other hooks. */
function agentCommands(): readonly Member[] {
  return commands()
    .members('SessionCommands')
    .filter(({ name }) => !['update', 'rename', 'rate', 'chooseModel'].includes(name));
}

function agentOptions(): readonly Member[] {
  const given = ['agent', 'createStore?'];
  return session()
    .members('AgentSessionOptions')
    .filter(({ name }) => !given.includes(name));
}

/** A text for a cell or paragraph: outside of code, characters that start HTML are escaped. */
function prose(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, place) => (place % 2 === 1 ? part : part.replaceAll('<', '&lt;').replaceAll('|', '\\|')))
    .join('')
    .replaceAll(/(`[^`]*`)/g, (code) => code.replaceAll('|', '\\|'));
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function memberTable(members: readonly Member[], title: string): string {
  return table(
    [title, 'Type', 'Meaning'],
    members.map(({ name, type, comment }) => [
      code(name.replace('?', '')),
      code(type.replace(/^\((\(.*)\) \| undefined$/, '$1').replace(' | undefined', '')),
      prose(comment),
    ]),
  );
}

function commandTable(members: readonly Member[]): string {
  return table(
    ['Command', 'Returns', 'Meaning'],
    members.map(({ name, parameters, result, comment }) => [
      code(`${name}(${parameters ?? ''})`),
      code(result ?? ''),
      prose(comment),
    ]),
  );
}

function choiceTable(choices: readonly Choice[], title: string): string {
  return table(
    [title, 'Meaning'],
    choices.map(({ value, comment }) => [code(value), prose(comment)]),
  );
}

function eventTable(choices: readonly Choice[]): string {
  return table(
    ['Event', 'Meaning', 'Fields'],
    choices.map(({ value, comment, members }) => [
      code(value),
      prose(comment),
      members.map(({ name }) => code(name)).join(', '),
    ]),
  );
}

/** The components that a file exports, each with its sentence and a table of its props. */
function componentList(index: string): string {
  const folder = index.slice(0, index.lastIndexOf('/'));
  const exported = [
    ...readFileSync(`${root}/${index}`, 'utf8').matchAll(/export \{([^}]*)\} from '\.\/([^']+)'/g),
  ];
  const components = exported.flatMap(([, names = '', file = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => /^[A-Z]\w+$/.test(name))
      .map((name) => ({ name, types: sourceTypes(`${folder}/${file}`) })),
  );
  return components
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, types }) => {
      const props = (types.has(`${name}Props`) ? types.members(`${name}Props`) : []).filter(
        ({ type }) => type !== 'never',
      );
      const rows = props.length === 0 ? '' : `\n\n${memberTable(props, 'Prop')}`;
      return `### \`<${name}>\`\n\n${prose(types.comment(name))}${rows}`;
    })
    .join('\n\n');
}

/** The detectors of the library by area, with the comment and the events of each. */
function detectorTable(): string {
  const folder = `${root}/packages/inspect/src/findings`;
  const sources = readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, 'utf8'));
  const comments = sources.flatMap((source) => [
    ...source.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s+[^\n]*\('([a-z0-9-]+)', \{\n/g),
  ]);
  const found = new Map(
    comments.map(([, text = '', name]) => [name, text.replace(/\s+\*?\s*/g, ' ').trim()]),
  );
  const rows = detectors.map(({ code: name, area, severity, reads }) => [
    code(name),
    area,
    severity,
    prose(found.get(name) ?? ''),
    Object.keys(reads).map(code).join(', '),
  ]);
  return table(['Code', 'Area', 'Severity', 'What it finds', 'Events'], rows);
}

/** A heading for each error code, so that other pages can link to it, with its three texts. */
function errorList(codes: readonly string[]): string {
  const statuses = httpStatuses();
  return codes
    .toSorted()
    .map((name) => {
      const { fix, operator, person } = explainError({ code: name });
      const status = statuses.get(name);
      const lines = [
        `- Person: ${person}`,
        `- Remedy: ${fix}`,
        `- Server: ${operator}`,
        ...(status === undefined ? [] : [`- HTTP status: ${status}`]),
      ];
      return `### \`${name}\`\n\n${lines.map(prose).join('\n')}`;
    })
    .join('\n\n');
}

/** The HTTP statuses that the proxy and its routes of sessions answer with, by code. */
function httpStatuses(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const files = [
    'proxy/src/guard/problems.ts',
    'proxy/src/sessions/session-problems.ts',
    'server/src/routes/problems.ts',
  ];
  for (const file of files) {
    const text = readFileSync(`${root}/packages/${file}`, 'utf8');
    for (const [, status = '', name = ''] of text.matchAll(/\[(\d{3}), '([\w-]+)', '/g))
      found.set(name, found.get(name)?.includes(status) === false ? `${found.get(name)}, ${status}` : status);
  }
  return found;
}

/** The variables of `.env.example` with the comments above them. */
function environmentTable(): string {
  const rows: string[][] = [];
  let comment: string[] = [];
  let isOver = false;
  for (const line of readFileSync(`${root}/.env.example`, 'utf8').split('\n')) {
    const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      rows.push([code(name), value ? code(value) : '', prose(comment.join(' '))]);
      isOver = true;
      continue;
    }
    if (isOver || line === '') comment = [];
    isOver = false;
    if (line.startsWith('# ')) comment.push(line.slice(2));
  }
  return table(['Variable', 'In the example', 'Meaning'], rows);
}
