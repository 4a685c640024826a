import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { defineAgent } from '@vitrine/core/internal/agent/define-agent';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { type Plugin } from '@vitrine/core/internal/agent/plugin/plugin';
import type { Tool } from '@vitrine/core/internal/agent/tool';
import { withMetadata } from '@vitrine/core/internal/graph/agent-state/transitions';
import { none } from '@vitrine/core/internal/graph/usage';
import type { InferenceClient } from '@vitrine/core/internal/model/inference-client';
import { fakeTool } from '../fake-tool.ts';
import type { MortalProcess } from './mortal-process.ts';
import { definePlugin } from '@vitrine/core/internal/features/define-plugin';

/** Counts the finished `send` calls. */
export const sent: Plugin<number> = definePlugin({
  id: 'sent',
  state: {
    '~standard': { version: 1, vendor: 'vitrine', validate: (value: unknown) => ({ value: Number(value) }) },
  },
  initial: 0,
});

/** The tool calls of each answer; the answer after them is text. */
type Script = readonly (readonly string[])[];

const rootScript: Script = [
  ['look', 'send', 'bad', 'kid'],
  ['pay', 'look'],
  ['send', 'pay', 'look'],
];
const kidScript: Script = [['send', 'look']];

/** The process of a run, and its settings. */
export type ProcessContext = {
  readonly process: MortalProcess;
  /** Called when a `once` tool has its effect. */
  readonly onEffect: (toolCallId: string) => void;
  readonly toolConcurrency: number;
};

/** Creates an agent with `once` and idempotent tools, a subagent, an approval and a hook that asks a model. */
export function killableAgent(surroundings: ProcessContext): AgentDefinition {
  const { process, toolConcurrency } = surroundings;
  const tools = toolsOf(surroundings);
  const judge = defineHook({
    name: 'judge',
    on: 'before-step',
    async run(state, ctx) {
      const verdict = await ctx.callModel({
        input: { step: ctx.stepNumber },
        call: () => process.alive(Promise.resolve(`fine ${ctx.stepNumber}`)),
      });
      return withMetadata(state, { verdict });
    },
  });
  const common = { tools, plugins: [sent], toolConcurrency, retry: { maxAttempts: 2, baseDelayMs: 0 } };
  const kid = defineAgent({ name: 'kid', inference: modelOf(process, kidScript), ...common });
  const inference = modelOf(process, rootScript);
  return defineAgent({ name: 'agent', inference, ...common, hooks: [judge], subagents: [kid] });
}

function toolsOf({ process, onEffect }: ProcessContext): readonly Tool[] {
  const pause = (): Promise<void> => process.alive(Promise.resolve());
  const once = (name: string): Tool => ({
    ...fakeTool(name, name),
    effects: 'once',
    async execute(_input, ctx) {
      await pause();
      onEffect(ctx.toolCallId);
      await pause();
      if (name === 'bad') throw new Error('bad luck');
      if (name === 'send') ctx.plugin(sent).update((count = 0) => count + 1);
      return { done: name };
    },
  });
  const look: Tool = {
    ...fakeTool('look', 'blue'),
    async execute(_input, ctx) {
      await pause();
      ctx.report({ half: true });
      await pause();
      return 'blue';
    },
  };
  return [once('send'), once('bad'), { ...once('pay'), needsApproval: () => true }, look];
}

/** A model that knows from the request how far it is, so that every process continues the script. */
function modelOf(process: MortalProcess, script: Script): InferenceClient {
  return {
    async *stream({ messages }) {
      const at = messages.filter(({ role }) => role === 'assistant').length;
      await process.alive(Promise.resolve());
      for (const delta of ['A', 'nswer ', String(at)]) {
        yield { type: 'text-delta', delta };
        await process.alive(Promise.resolve());
      }
      const calls = script[at] ?? [];
      for (const [index, name] of calls.entries()) {
        const isKid = name === 'kid';
        const input = isKid ? { agent: 'kid', task: 'help' } : { at };
        const toolName = isKid ? 'delegate' : name;
        yield { type: 'tool-call', toolCallId: `${at}-${index}`, toolName, input };
      }
      const finishReason = calls.length > 0 ? 'tool-calls' : 'stop';
      yield {
        type: 'finish',
        finishReason,
        usage: { ...none(), inputTokens: 10, outputTokens: 5, isExact: true },
      };
    },
  };
}
