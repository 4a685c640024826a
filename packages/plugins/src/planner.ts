import { type AgentInit, defineAgent, defineHook, definePlugin, PluginState } from '@vitrine/core';
import * as z from 'zod/mini';
import { todoPlugin } from './todo.ts';

const mostTodos = 20;
const mostCharacters = 200;
const longestPlan = 20_000;

const task = `You plan work for another assistant. Look at what you need to know, then answer with the plan alone: a list of at most ${mostTodos} steps in their order, one a line, each beginning with "- " and an order of at most ${mostCharacters} characters.`;

/**
 * A planning subagent whose plan becomes the task list: plugins and subagents for `defineAgent`. The agent hands it a goal
 * with `delegate`; the lines of its answer that begin with "- " or a number become the tasks of `todoPlugin`, which it brings.
 * @param init Options of the planning agent, such as its `inference` and tools that look around. Default: a model alone.
 * @example
 * defineAgent({ ...planner({ inference }), inference, tools })
 */
export function planner(init: Partial<AgentInit> = {}): Required<Pick<AgentInit, 'plugins' | 'subagents'>> {
  const description = 'Plans work of several steps. Its plan becomes your task list.';
  const agent = defineAgent({ name: 'planner', description, systemPrompt: task, ...init });
  const todos = todoPlugin();
  const plans = definePlugin({
    id: 'planner',
    state: z.unknown(),
    hooks: [
      defineHook({
        name: 'planner',
        on: 'after-tool-use',
        run(state, ctx) {
          const { status, toolCall, result } = ctx.fields.execution ?? {};
          const { agent: asked } = Object(toolCall?.input) as { readonly agent?: unknown };
          if (status !== 'completed' || toolCall?.name !== 'delegate' || asked !== agent.name)
            return undefined;
          const steps = stepsOf(typeof result === 'string' ? result : JSON.stringify(result));
          if (steps.length === 0) return undefined;
          const list = steps.map((content) => ({ content, status: 'pending' as const, activeForm: content }));
          return PluginState.set(state, todos, list, ctx.env);
        },
      }),
    ],
  });
  return { plugins: [todos, plans], subagents: [agent] };
}

/** The items of the list in a text. */
function stepsOf(plan: string): readonly string[] {
  return plan
    .slice(0, longestPlan)
    .split(/\r?\n/)
    .map((line) => /^(?:[-*]|\d{1,3}[.)])\s(?:\[.\]\s)?(.*)$/.exec(line.trim())?.[1]?.trim() ?? '')
    .filter((step) => step !== '')
    .map((step) => step.slice(0, mostCharacters))
    .slice(0, mostTodos);
}
