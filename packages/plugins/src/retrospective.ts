import {
  AgentState,
  defineHook,
  definePlugin,
  defineTool,
  type Plugin,
  PluginState,
  type Tool,
} from '@vitrine/core';
import * as z from 'zod/mini';

const mostEffects = 50;

const ofStep = z.describe('The number of the last step to keep, counted from 1 in this run; 0 keeps none');
const ofLesson = z.describe('What you know now and will do otherwise');
const input = z.object({
  to: z.int().check(z.minimum(0), ofStep),
  lesson: z.string().check(z.trim(), z.minLength(1), z.maxLength(4000), ofLesson),
});
const output = z.object({ success: z.boolean(), message: z.string() });
const rewinds = z.array(
  z.object({ after: z.int(), through: z.int(), lesson: z.string(), calls: z.array(z.string()) }),
);
type Rewinds = z.output<typeof rewinds>;

/**
 * The tool `rewind`, by which a model takes steps that led nowhere out of its requests and puts a lesson in their place. The
 * journal and the chat keep all of them. Calls that ran in them are listed to the model, because nothing undoes them.
 */
export function retrospective(
  options: {
    /** Rewinds of one run; further ones are ignored. Default: 2. */
    readonly most?: number;
  } = {},
): Plugin<Rewinds, 'retrospective', Tool<z.input<typeof input>, z.output<typeof output>, 'rewind'>> {
  const { most = 2 } = options;
  const rewind = defineTool({
    name: 'rewind',
    description: `Takes the steps after a number out of your sight and keeps a lesson in their place. Use it when an approach has failed, at most ${most} times. What tools did is not undone.`,
    input,
    output,
    effects: 'idempotent',
    execute({ to, lesson }, ctx) {
      const own = ctx.own<Rewinds>();
      const steps = AgentState.steps(ctx.state);
      const number = AgentState.stepCount(ctx.state);
      if ((own.get() ?? []).length >= most)
        return { success: false, message: `You have rewound ${most} times. Go on from here.` };
      if (to >= number) return { success: false, message: `This is step ${number}; give a number below it.` };
      const calls = steps
        .slice(to, number)
        .flatMap(({ toolExecutions }) => toolExecutions)
        .filter(({ status, toolCall }) => status === 'completed' && toolCall.name !== 'rewind')
        .map(({ toolCall }) => `${toolCall.name} ${JSON.stringify(toolCall.input).slice(0, 200)}`);
      const taken = { after: to, through: number, lesson, calls: calls.slice(0, mostEffects) };
      own.update((before = []) => [...before, taken]);
      return { success: true, message: `The steps ${to + 1} to ${number} are out of sight.` };
    },
  });
  const plugin: Plugin<Rewinds, 'retrospective', typeof rewind> = definePlugin({
    id: 'retrospective',
    state: rewinds,
    initial: [],
    persist: 'execution',
    tools: [rewind],
    prepare: ({ get }) => ({
      context: (get() ?? []).map(({ after, through, lesson, calls }, at) => ({
        name: `Lesson ${at + 1}`,
        content: [
          `You took the steps ${after + 1} to ${through} back: ${lesson}`,
          ...(calls.length > 0
            ? ['These calls ran in them and are not undone:', ...calls.map((call) => `- ${call}`)]
            : []),
        ].join('\n'),
      })),
    }),
    hooks: [
      defineHook({
        name: 'rewind',
        on: 'before-inference',
        run(state, ctx): void {
          const { request } = ctx.fields;
          const taken = PluginState.get(state, plugin) ?? [];
          if (request === undefined || taken.length === 0) return;
          const gone = new Set(
            AgentState.steps(state)
              .filter((_step, at) => taken.some(({ after, through }) => at >= after && at < through))
              .map(({ id }) => id),
          );
          const messages = request.messages.filter(({ metadata }) => !gone.has(metadata['step_id'] as never));
          if (messages.length < request.messages.length) ctx.replace('request', { ...request, messages });
        },
      }),
    ],
  });
  return plugin;
}
