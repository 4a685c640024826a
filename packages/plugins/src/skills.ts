import { definePlugin, defineTool, type Plugin, type Tool, defineHook, PluginState } from '@vitrine/core';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { splitFrontMatter } from './front-matter.ts';

/** Files by their path, each as its text or a function that loads it, as `import.meta.glob` gives them. */
type Files = Readonly<Record<string, string | (() => Promise<unknown>)>>;
type Skill = {
  readonly name: string;
  readonly description: string;
  /** Null allows every tool. */
  readonly allowedTools: string[] | null;
  readonly body: string;
  readonly folder: string;
};

const mostSkills = 100;
const mostCharacters = 200_000;
const mostFrontMatter = 16_384;

const frontMatter = z.object({
  name: z.string().check(z.regex(/^[a-z0-9](?:-?[a-z0-9])*$/), z.maxLength(64)),
  description: z.string().check(z.trim(), z.minLength(1), z.maxLength(1024)),
  'allowed-tools': z.optional(z.union([z.string(), z.array(z.string())])),
});

const result = z.union([
  z.object({ success: z.literal(true), content: z.string() }),
  z.object({ success: z.literal(false), error: z.string() }),
]);
type Result = z.output<typeof result>;

const loaded = z.object({ skill: z.string(), allowed: z.nullable(z.array(z.string())) });

type Loaded = z.output<typeof loaded>;
type SkillTool =
  | Tool<{ name: string }, Result, 'load_skill'>
  | Tool<{ name: string; path: string }, Result, 'read_skill_file'>;

/**
 * Skills in the open format: folders with a `SKILL.md`, whose front matter names and describes them. The model is told names
 * and descriptions; `load_skill` gives the body as a result, and `read_skill_file` a file beside it. While a skill with
 * `allowed-tools` is loaded in a run, calls of other tools are blocked.
 *
 * A file that is no skill is left out, and `onError` is told why (default: a warning in the console).
 * @example
 * skillsPlugin({ skills: import.meta.glob('./skills/**', { query: '?raw', import: 'default' }) })
 */
export function skillsPlugin(options: {
  readonly skills: Files;
  readonly onError?: (error: Error) => void;
}): Plugin<Loaded, 'skills', SkillTool> {
  // oxlint-disable-next-line no-console -- a mistake that needs no crash belongs in the console
  const { skills: files, onError = ({ message }) => console.warn(message) } = options;
  let reading: Promise<readonly Skill[]> | null = null;
  const readAll = (): Promise<readonly Skill[]> => (reading ??= readSkills(files, onError));

  const find = async (name: string) => {
    const all = await readAll();
    const missing = failure(`There is no skill ${quote(name)}. ${listNames(all)}`);
    return { all, missing, skill: all.find((one) => one.name === name) };
  };
  const load = defineTool({
    name: 'load_skill',
    description: 'Gives the instructions of a skill. Load a skill as soon as its description fits the task.',
    input: z.object({ name: z.string() }),
    output: result,
    effects: 'idempotent',
    async execute({ name }, ctx): Promise<Result> {
      const { skill, missing } = await find(name);
      if (skill === undefined) return missing;
      ctx.own<Loaded>().update(() => ({ skill: name, allowed: skill.allowedTools }));
      return { success: true, content: skill.body };
    },
  });
  const readFile = defineTool({
    name: 'read_skill_file',
    description: 'Reads a file in the folder of a skill, by its path from there.',
    input: z.object({ name: z.string(), path: z.string() }),
    output: result,
    effects: 'idempotent',
    async execute({ name, path }): Promise<Result> {
      const { all, skill, missing } = await find(name);
      if (skill === undefined) return missing;
      const inside = pathInside(path);
      const full = inside === null ? null : `${skill.folder}${inside}`;
      // Only what the application gave can be read, and of it only what is below the folder.
      if (full === null || !Object.hasOwn(files, full) || isOfOther(full, skill, all)) {
        const own = Object.keys(files).filter((one) => one.startsWith(skill.folder));
        const others = own.filter((one) => !isOfOther(one, skill, all));
        const names = others.slice(0, 50).map((one) => one.slice(skill.folder.length));
        return failure(`The skill ${quote(name)} has no file ${quote(path)}. It has: ${names.join(', ')}.`);
      }
      return { success: true, content: (await textOf(files[full])).slice(0, mostCharacters) };
    },
  });
  const plugin: Plugin<Loaded, 'skills', SkillTool> = definePlugin({
    id: 'skills',
    state: loaded,
    persist: 'execution',
    tools: [load, readFile],
    async prepare() {
      const all = await readAll();
      if (all.length === 0) return undefined;
      const lines = all.map(({ name, description }) => `- ${name}: ${description.replaceAll(/\s+/g, ' ')}`);
      return { instructions: ['Skills, which load_skill gives you:', ...lines].join('\n') };
    },
    hooks: [
      defineHook({
        name: 'allowed-tools',
        on: 'before-tool-use',
        run(state, ctx): void {
          const name = ctx.fields.toolCall?.name ?? '';
          const { skill, allowed = null } = PluginState.get(state, plugin) ?? {};
          if (allowed === null || [load.name, readFile.name, ...allowed].includes(name)) return;
          const only = `the skill ${skill} allows only ${allowed.join(', ')}`;
          ctx.block(`${only}. Load another skill to use other tools`);
        },
      }),
    ],
  });
  return plugin;
}

async function readSkills(files: Files, onError: (error: Error) => void): Promise<readonly Skill[]> {
  const skills: Skill[] = [];
  const leaveOut = (path: string, why: string): void =>
    onError(new Error(`The skill ${quote(path)} is left out: ${why}.`));
  for (const [path, file] of Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!/(^|\/)SKILL\.md$/.test(path)) continue;
    try {
      const skill = skillOf(path, await textOf(file));
      if (skills.some(({ name }) => name === skill.name))
        leaveOut(path, `another one is named ${quote(skill.name)}`);
      else if (skills.length >= mostSkills) leaveOut(path, `there are more than ${mostSkills}`);
      else skills.push(skill);
    } catch (thrown) {
      leaveOut(path, thrown instanceof Error ? thrown.message : String(thrown));
    }
  }
  return skills;
}

/** @throws Error that says why a text is no skill */
function skillOf(path: string, text: string): Skill {
  if (text.length > mostCharacters) throw new Error(`it has more than ${mostCharacters} characters`);
  const { head, body } = splitFrontMatter(text);
  const begin = 'begin it with a line `---`, its name and its description, and `---`';
  if (head === null) throw new Error(`it has no front matter; ${begin}`);
  if (head.length > mostFrontMatter)
    throw new Error(`its front matter has more than ${mostFrontMatter} characters`);
  // Aliases are refused: a few lines of them unfold to gigabytes.
  const options = { maxAliasCount: 0, logLevel: 'silent', schema: 'failsafe', prettyErrors: false } as const;
  const read = frontMatter.safeParse(parse(head, options));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Error(`${issue?.path.join('.') || 'its front matter'}: ${issue?.message}`);
  }
  const { name, description, 'allowed-tools': allowed } = read.data;
  // `Bash(git add:*)` names the tool `Bash`.
  const given = [allowed ?? []].flat().join(' ');
  const named = given.replaceAll(/\([^()]*\)/g, ' ').match(/[^\s,]+/g) ?? [];
  return {
    name,
    description,
    allowedTools: named.length === 0 ? null : named,
    body: body.trim(),
    folder: path.slice(0, -'SKILL.md'.length),
  };
}

/** The path as it stands in a folder; null when it leaves the folder or is none. */
function pathInside(path: string): string | null {
  const parts = path.split('/').filter((part) => part !== '.');
  if (path === '' || /[\\\0]/.test(path) || parts.some((part) => part === '..' || part === '')) return null;
  return parts.join('/');
}

/** True for a file of a skill whose folder is within that of another. */
function isOfOther(path: string, { folder }: Skill, all: readonly Skill[]): boolean {
  return all.some((other) => other.folder.length > folder.length && path.startsWith(other.folder));
}

async function textOf(file: Files[string] | undefined): Promise<string> {
  const given: unknown = typeof file === 'function' ? await file() : file;
  if (typeof given === 'string') return given;
  const { default: text } = Object(given) as { readonly default?: unknown };
  if (typeof text === 'string') return text;
  throw new Error("it is no text; load it with { query: '?raw' }");
}

function failure(error: string): Result {
  return { success: false, error };
}

function listNames(all: readonly Skill[]): string {
  return all.length === 0 ? 'There are none.' : `There are: ${all.map(({ name }) => name).join(', ')}.`;
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
