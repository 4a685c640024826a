import {
  type AgentDefinition,
  AgentError,
  type AgentInit,
  defineAgent,
  type JsonObject,
  type Tool,
} from '@vitrine/core';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { splitFrontMatter } from './front-matter.ts';

const mostCharacters = 200_000;

const names = z.union([z.string(), z.array(z.string())]);
const amount = z.number().check(z.positive());
const limits = z.strictObject({ maxSteps: amount, maxTokens: amount, maxCost: amount, maxSeconds: amount });
const definition = z.strictObject({
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(100)),
  description: z.optional(z.string()),
  model: z.optional(z.string()),
  tools: z.optional(names),
  subagents: z.optional(names),
  budget: z.optional(z.partial(limits)),
  prompt: z.optional(z.string()),
});

/**
 * An agent from a text: Markdown whose front matter has its name, description, model, tools, subagents and budget, and whose
 * body is its prompt; or JSON with the same keys and `prompt`. Nothing in the text is executed: tools and subagents are
 * chosen by name from the lists that the application gives, and without a list in the text there are none.
 * @throws AgentError `agent-invalid` that names an unknown key, tool or subagent, or a value that does not fit
 */
export function agentFromMarkdown(
  text: string,
  options: Omit<AgentInit, 'tools' | 'subagents'> & {
    readonly tools?: readonly Tool[];
    readonly subagents?: readonly AgentDefinition[];
  } = {},
): AgentDefinition {
  const { tools = [], subagents = [], ...others } = options;
  const read = definition.safeParse(fieldsOf(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    if (issue?.code !== 'unrecognized_keys')
      throw invalid(`${issue?.path.join('.') || 'the definition'} has a value that does not fit.`);
    const known = Object.keys(definition.shape).join(', ');
    throw invalid(`unknown keys: ${issue.keys.slice(0, 20).join(', ')}; known are: ${known}.`);
  }
  const { name, description, model, budget, prompt } = read.data;
  return defineAgent({
    ...others,
    name,
    ...(description !== undefined && { description }),
    ...(prompt !== undefined && { systemPrompt: prompt }),
    ...(model !== undefined && { llmConfig: { ...others.llmConfig, model } }),
    ...(budget !== undefined && {
      budget: { ...others.budget, ...budget } as NonNullable<AgentInit['budget']>,
    }),
    tools: chooseNamed(read.data.tools, tools, 'tool'),
    subagents: chooseNamed(read.data.subagents, subagents, 'subagent'),
  });
}

/** The description of an agent as JSON: for lists, reviews and tests. It holds neither code nor clients. */
export function describeAgent(agent: AgentDefinition): JsonObject {
  const { name, description, systemPrompt, llmConfig, version, budget } = agent;
  return {
    name,
    description,
    prompt: systemPrompt,
    model: llmConfig?.model ?? null,
    version,
    budget: budget as unknown as JsonObject,
    tools: agent.tools.map(({ name: tool, description: does, effects }) => {
      return { name: tool, description: does, effects };
    }),
    plugins: agent.plugins.map(({ id, tools }) => ({ id, tools: tools.map((tool) => tool.name) })),
    hooks: agent.hooks.map((hook) => hook.name),
    subagents: agent.subagents.map(({ agent: { name: subagent, description: does } }) => {
      return { name: subagent, description: does };
    }),
  };
}

/** @throws AgentError `agent-invalid` for a text that is neither */
function fieldsOf(text: string): unknown {
  if (text.length > mostCharacters) throw invalid(`the text has more than ${mostCharacters} characters.`);
  try {
    if (text.trimStart().startsWith('{')) return JSON.parse(text);
    const { head, body } = splitFrontMatter(text);
    if (head === null) throw new TypeError('it has no front matter');
    const read = parse(head, { maxAliasCount: 0, prettyErrors: false, logLevel: 'silent' });
    return { ...read, prompt: body.trim() };
  } catch (thrown) {
    throw invalid(`the text cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}.`);
  }
}

function invalid(problem: string): AgentError {
  return new AgentError('agent-invalid', `agentFromMarkdown: ${problem}`);
}

/** @throws AgentError `agent-invalid` that names what there is */
function chooseNamed<Item extends { readonly name: string }>(
  wanted: string | string[] | undefined,
  given: readonly Item[],
  what: string,
): readonly Item[] {
  const list = [wanted ?? []].flat().flatMap((one) => one.match(/[^\s,]+/g) ?? []);
  return [...new Set(list)].map((name) => {
    const item = given.find((one) => one.name === name);
    if (item !== undefined) return item;
    const known = given.map((one) => one.name).join(', ') || 'none';
    throw invalid(`there is no ${what} ${JSON.stringify(name)}; given are: ${known}.`);
  });
}
