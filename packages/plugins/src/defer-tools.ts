import {
  defineHook,
  definePlugin,
  defineTool,
  type Plugin,
  PluginState,
  type Tool,
  Tool as Tools,
} from '@vitrine/core';
import MiniSearch from 'minisearch';
import * as z from 'zod/mini';

const mostFound = 8;
const mostNames = 100;
const mostQuery = 500;

const input = z.object({
  action: z.optional(z.string().check(z.describe('"search" (default), "list" or "help"'))),
  query: z.optional(z.string().check(z.describe('For search: words of what the tool should do'))),
  tool: z.optional(z.string().check(z.describe('For help: the name of a tool'))),
});
const summary = z.object({ name: z.string(), summary: z.string() });
const output = z.union([
  z.object({ success: z.literal(true), tools: z.array(summary), note: z.optional(z.string()) }),
  z.object({ success: z.literal(true), name: z.string(), description: z.string(), inputSchema: z.unknown() }),
  z.object({ success: z.literal(false), error: z.string() }),
]);
type Output = z.output<typeof output>;
const found = z.array(z.string());

/**
 * Keeps tools out of requests until the model has searched for them by `search_tools`: it finds them by words of their
 * names, the first sentences of their descriptions, and their `tags`. Found tools are offered from the next step on, behind
 * all others and in the order in which they were found, for the rest of the session.
 */
export function deferTools<T extends Tool>(
  tools: readonly T[],
  options: {
    /** Further words by which a tool is found, by its name. */
    readonly tags?: Readonly<Record<string, readonly string[]>>;
    /** Returns the names of the tools that fit a query, the best first. Default: a search of words. */
    readonly search?: (query: string, tools: readonly T[]) => readonly string[] | Promise<readonly string[]>;
  } = {},
): Plugin<string[], 'deferred-tools', T | Tool<z.input<typeof input>, Output, 'search_tools'>> {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const { tags = {} } = options;
  const search = options.search ?? wordSearch(tools, tags);
  const find = defineTool({
    name: 'search_tools',
    description: `Finds tools that are not offered yet: there are ${byName.size}. A tool that it finds can be called from your next step on.`,
    input,
    output,
    effects: 'idempotent',
    async execute({ action = 'search', query = '', tool: name = '' }, ctx): Promise<Output> {
      const add = (names: readonly string[]): void =>
        ctx.own<string[]>().update((before = []) => [...new Set([...before, ...names])]);
      if (action === 'list') return listOf([...byName.values()], 'Search, to be offered one of them.');
      if (action === 'help') {
        const tool = byName.get(name);
        if (tool === undefined)
          return failure(`There is no tool ${quote(name)}. Search by words of what it should do.`);
        add([name]);
        const inputSchema = await Tools.inputSchema(tool);
        return { success: true, name, description: tool.description, inputSchema };
      }
      if (action !== 'search')
        return failure(`There is no action ${quote(action)}; it is "search", "list" or "help".`);
      if (query.trim() === '') return failure('The query is empty. Give words of what the tool should do.');
      const names = await search(query.slice(0, mostQuery), tools);
      const hits = names.filter((one) => byName.has(one)).slice(0, mostFound);
      if (hits.length === 0) return listOf([], 'Nothing was found. Try other words, or the action "list".');
      add(hits);
      const offered = hits.map((one) => byName.get(one) as T);
      return listOf(offered, 'You can call them from your next step on.');
    },
  });
  const plugin: Plugin<string[], 'deferred-tools', T | typeof find> = definePlugin({
    id: 'deferred-tools',
    state: found,
    initial: [],
    tools: [find],
    prepare: ({ get }) => ({ tools: (get() ?? []).flatMap((name) => byName.get(name) ?? []) }),
    hooks: [
      defineHook({
        name: 'deferred-tools',
        on: 'before-tool-use',
        run(state, ctx): void {
          const name = ctx.fields.toolCall?.name ?? '';
          if (!byName.has(name) || PluginState.get(state, plugin)?.includes(name)) return;
          const help = `{ "action": "help", "tool": ${quote(name)} }`;
          ctx.block(`it is not offered yet. Call search_tools with ${help} first`);
        },
      }),
    ],
  });
  return plugin;
}

function wordSearch<T extends Tool>(
  tools: readonly T[],
  tags: Readonly<Record<string, readonly string[]>>,
): (query: string) => readonly string[] {
  const index = new MiniSearch<{ readonly id: string }>({
    fields: ['name', 'summary', 'tags'],
    // `readFile` and `read_file` are two words.
    tokenize: (text) =>
      text
        .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
        .split(/[^\p{L}\p{N}]+/u)
        .filter((word) => word !== ''),
    searchOptions: { prefix: true, fuzzy: 0.2, boost: { name: 2 } },
  });
  index.addAll(
    tools.map((tool) => {
      const { name } = tool;
      return { id: name, name, summary: summaryOf(tool), tags: (tags[name] ?? []).join(' ') };
    }),
  );
  return (query) => index.search(query).map(({ id }) => String(id));
}

function listOf(tools: readonly Tool[], note: string): Output {
  const rest = tools.length - mostNames;
  return {
    success: true,
    tools: tools.slice(0, mostNames).map((tool) => ({ name: tool.name, summary: summaryOf(tool) })),
    note: rest > 0 ? `${rest} more are not listed. ${note}` : note,
  };
}

/** The first sentence of the description. */
function summaryOf({ description }: Tool): string {
  return (/^[\s\S]*?[.!?](?=\s|$)/.exec(description)?.[0] ?? description).slice(0, 200);
}

function failure(error: string): Output {
  return { success: false, error };
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
