import { readdirSync, readFileSync } from 'node:fs';
import { defineAgent, defineTool, runAgent, AgentState } from '@vitrine/core';
import { offlineModel } from '@vitrine/proxy/offline';
import { parseSync } from 'oxc-parser';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { examplesOf } from '../../scripts/docs/examples.ts';
import { packageFolders } from '../../scripts/packages.ts';
import { root } from '../../scripts/root.ts';

// Who tries a starting point has no key yet: the offline model has to call the tools that the page has just shown.

type Node = { readonly type: string; readonly start: number; readonly end: number } & {
  readonly [field: string]: unknown;
};

/** A tool as a page defines it, without its function. */
type Printed = { readonly page: string; readonly name: string; readonly init: object };

/** The fields of a tool that a model is told; each is an expression of its own. */
const told = ['name', 'description', 'input', 'inputSchema'];

const pages = [
  ...readdirSync(`${root}/docs/guide`).map((file) => `docs/guide/${file}`),
  ...packageFolders.map((folder) => `${folder}/README.md`),
  'README.md',
].filter((page) => page.endsWith('.md'));
const templates = readdirSync(`${root}/packages/create-vitrine/templates`, {
  recursive: true,
  encoding: 'utf8',
})
  .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'))
  .map((file) => `packages/create-vitrine/templates/${file}`);

const printed: readonly Printed[] = [
  ...pages.flatMap((page) => examplesOf(read(page)).flatMap(({ code, kind }) => toolsIn(page, code, kind))),
  ...templates.flatMap((file) => toolsIn(file, read(file), 'tsx')),
];

function read(file: string): string {
  return readFileSync(`${root}/${file}`, 'utf8');
}

/** The calls of `defineTool` in a program whose schema stands in them. */
function toolsIn(page: string, code: string, kind: string): readonly Printed[] {
  return nodesOf(parseSync(`page.${kind}`, code).program as unknown as Node)
    .filter(({ type, callee }) => type === 'CallExpression' && (callee as Node)['name'] === 'defineTool')
    .flatMap((call) => {
      const [given] = call['arguments'] as readonly Node[];
      if (given?.type !== 'ObjectExpression') return [];
      const fields = (given['properties'] as readonly Node[]).flatMap((property) => {
        const key = (property['key'] as Node | undefined)?.['name'];
        const value = property['value'] as Node | undefined;
        if (typeof key !== 'string' || value === undefined || !told.includes(key)) return [];
        return [`${key}: ${code.slice(value.start, value.end)}`];
      });
      // A tool that is made in a loop has no name in the program.
      if (fields.some((field) => field === 'name: name')) return [];
      // A schema that stands elsewhere is read from there.
      const consts = nodesOf(parseSync(`page.${kind}`, code).program as unknown as Node)
        .filter(
          ({ type, init }) =>
            type === 'VariableDeclarator' && textOf(code, init as Node | null).startsWith('z.'),
        )
        .map(({ id, init }) => `const ${textOf(code, id as Node)} = ${textOf(code, init as Node)};`);
      const make = new Function('z', `${consts.join('\n')} return { ${fields.join(', ')} };`) as (
        zod: typeof z,
      ) => { readonly name: string };
      const init = make(z);
      return [{ page, name: init.name, init }];
    });
}

function textOf(code: string, node: Node | null): string {
  return node === null ? '' : code.slice(node.start, node.end);
}

function nodesOf(program: Node): readonly Node[] {
  const nodes: Node[] = [];
  const open: unknown[] = [program];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    if ('type' in next && 'start' in next) nodes.push(next as Node);
    open.push(...Object.values(next));
  }
  return nodes;
}

/** Messages of a person who wants the tool: its name, and each word of its description that says something. */
function messagesFor({ init }: Printed): readonly string[] {
  const { name, description = '' } = init as { name: string; description?: string };
  const words = description.toLowerCase().match(/\p{L}{5,}/gu) ?? [];
  const plain = name.replaceAll('_', ' ').replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ');
  return [`Please ${plain} for me`, ...words.slice(0, 4).map((word) => `Something with ${word}, please: 12`)];
}

it('the guide and the templates print tools', () => {
  expect(printed.map(({ name }) => name)).toEqual(expect.arrayContaining(['refund', 'weather', 'clock']));
  expect(printed.length).toBeGreaterThanOrEqual(25);
});

it.each(printed)(
  'the offline model calls the tool $name of $page with arguments that it takes',
  async (tool) => {
    for (const message of messagesFor(tool)) {
      const got: unknown[] = [];
      const agent = defineAgent({
        name: 'a',
        inference: offlineModel({ paceMs: 0 }).client,
        tools: [
          defineTool({
            ...tool.init,
            execute: (input: unknown) => {
              got.push(input);
              return 'done';
            },
          } as never),
        ],
      });
      const { state, text } = await runAgent(agent, message);
      const [call] = AgentState.steps(state).flatMap(({ toolExecutions }) => toolExecutions);
      expect(call?.error ?? null, `${message}: ${text}`).toBeNull();
      expect(got, message).toHaveLength(1);
    }
  },
);
