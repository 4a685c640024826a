import { definePlugin, defineTool, type JsonObject, type Plugin, type Tool } from '@vitrine/core';
import * as z from 'zod/mini';

const mostTodos = 20;
const mostCharacters = 200;
/** Steps of a run between two reminders. */
const stepsToReminder = 10;

const text = z.string().check(z.trim(), z.minLength(1), z.maxLength(mostCharacters));
const todo = z.pipe(
  z.object({
    content: text.check(z.describe('The task, as an order: "Write the tests"')),
    status: z.enum(['pending', 'in_progress', 'completed']),
    activeForm: z.optional(text).check(z.describe('The task while it is done: "Writing the tests"')),
  }),
  z.transform(({ content, status, activeForm = content }) => ({ content, status, activeForm })),
);
type Todo = z.output<typeof todo>;

const items = z.array(todo);
// Counted first, so that a list of any length is refused in one sentence.
const tooMany = `a list has at most ${mostTodos} items; put some together, or leave out what is done`;
const hasOneAtMost = (todos: readonly Todo[]): boolean =>
  todos.filter(({ status }) => status === 'in_progress').length <= 1;
const todoList = z
  .pipe(z.array(z.unknown()).check(z.maxLength(mostTodos, tooMany)), items)
  .check(z.refine(hasOneAtMost, 'one item at a time is in_progress')) as unknown as z.ZodMiniType<
  Todo[],
  z.input<typeof items>
>;

const bounded = z.object({ todos: items.check(z.maxLength(mostTodos)) });
type TodoTool = Tool<{ todos: z.input<typeof items> }, string, 'todo_write'>;

/**
 * A task list that the model keeps while it works: the tool `todo_write` replaces the list, and the model is told the list
 * behind the conversation, with a reminder in every tenth step while something is open. A list has at most 20 items of 200
 * characters, one of them in progress. `<Todos>` of `@vitrine/react/components` shows it, and a person may change it there.
 */
export function todoPlugin(): Plugin<Todo[], 'tasks', TodoTool> {
  const write = defineTool({
    name: 'todo_write',
    description: `Replaces your task list by a new one. Use it for work of three steps or more: write the list first, set one item to in_progress before you begin it, and to completed as soon as it is done. At most ${mostTodos} items of ${mostCharacters} characters; one at a time is in_progress. The person sees the list and may change it.`,
    input: z.object({ todos: todoList }),
    inputSchema: z.toJSONSchema(bounded, { io: 'input' }) as JsonObject,
    effects: 'idempotent',
    execute({ todos }, ctx) {
      ctx.own<Todo[]>().update(() => todos);
      return summaryOf(todos);
    },
  });
  return definePlugin({
    id: 'tasks',
    state: todoList,
    initial: [],
    tools: [write],
    prepare({ get, stepNumber }) {
      const todos = get() ?? [];
      if (todos.length === 0) return undefined;
      const content = [...listOf(todos), ...reminderOf(todos, stepNumber)].join('\n');
      return { context: [{ name: 'Tasks', content }] };
    },
  });
}

function summaryOf(todos: readonly Todo[]): string {
  const count = (status: Todo['status']): number => todos.filter((todo) => todo.status === status).length;
  return `Tasks: ${count('completed')}/${todos.length} completed, ${count('in_progress')} in progress, ${count('pending')} pending`;
}

const marks = { pending: '[ ]', in_progress: '[>]', completed: '[x]' } as const;

function listOf(todos: readonly Todo[]): readonly string[] {
  return [summaryOf(todos), ...todos.map(({ content, status }) => `${marks[status]} ${content}`)];
}

function reminderOf(todos: readonly Todo[], stepNumber: number): readonly string[] {
  const steps = Math.floor((stepNumber - 1) / stepsToReminder) * stepsToReminder;
  const open = todos.filter(({ status }) => status !== 'completed').length;
  if (steps === 0 || open === 0) return [];
  const count = open === 1 ? 'one of them is' : `${open} of them are`;
  return [`After ${steps} steps ${count} open. Go on, or bring the list up to date.`];
}
