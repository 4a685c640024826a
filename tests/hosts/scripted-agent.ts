import {
  type AgentDefinition,
  defineAgent,
  defineTool,
  type InferenceClient,
  type Tool,
  Usage,
} from '@vitrine/core';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';

/** The functions that an agent calls around each of its calls and deltas. */
export type AgentPlace = {
  /** Notes an effect of a tool outside of the session. */
  readonly deed: (text: string) => void;
  /** Called between any two steps of the work, with the kind of the place. */
  readonly point: (kind: string) => void;
  /** Milliseconds of a delta and of each half of a tool. */
  readonly paceMs: number;
  /** Ends the process, as a tool that exits does. */
  readonly exit: () => void;
};

/** The tools that a message may ask for, and whether each may happen only once. */
const kinds = {
  pay: 'once',
  mail: 'once',
  book: 'once',
  look: 'idempotent',
  read: 'idempotent',
  refund: 'once',
  stay: 'once',
  exit: 'idempotent',
} as const;

/** A message that asks for five tools, two subagents with a tool each, and a call that needs an approval. */
export const wholeScript = 'pay:a look:b scout:read.c mail:d buyer:book.e read:f book:g refund:h look:i';
/** The names of the tools whose effects may happen once only. */
export const onceTools: readonly string[] = Object.entries(kinds).flatMap(([name, kind]) =>
  kind === 'once' ? [name] : [],
);

/**
 * An agent whose model asks for the tools in the message of the user, one a step: `pay:a look:b`. `scout:read.c` asks the
 * subagent `scout` for `read:c`, and `say:40` says 40 words at the end. The model has no memory, so any process goes on.
 */
export function scriptedAgent(place: AgentPlace): AgentDefinition {
  const inference = model(place);
  const tools = (names: readonly (keyof typeof kinds)[]): Tool[] => names.map((name) => tool(name, place));
  const subagent = (name: string): AgentDefinition =>
    defineAgent({ name, description: `Helps as ${name}`, inference, tools: tools(['read', 'book']) });
  return defineAgent({
    name: 'clerk',
    inference,
    tools: tools(['pay', 'mail', 'book', 'look', 'read', 'refund', 'stay', 'exit']),
    subagents: [subagent('scout'), subagent('buyer')],
  });
}

function model({ point, paceMs }: AgentPlace): InferenceClient {
  return {
    async *stream({ messages }) {
      const from = messages.findLastIndex(({ role }) => role === 'user');
      const said =
        messages[from]?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
      const wanted = said.split(' ').filter((word) => /^\w+:\S/.test(word) && !word.startsWith('say:'));
      const next = wanted[messages.slice(from).filter(({ role }) => role === 'assistant').length];
      point('model');
      yield { type: 'start', id: `r${messages.length}`, model: 'scripted' };
      for (const word of next === undefined ? lastWords(said) : ['Next ', next, '.']) {
        if (paceMs > 0) await sleep(paceMs);
        point('delta');
        yield { type: 'text-delta', delta: word };
      }
      if (next !== undefined) {
        const [name = '', line = ''] = next.split(':');
        yield { type: 'tool-call', toolCallId: `call_${next}`, ...callOf(name, line) };
      }
      const usage = { ...Usage.none(), isExact: true as const };
      yield { type: 'finish', finishReason: next === undefined ? 'stop' : 'tool-calls', usage };
    },
  };
}

function lastWords(said: string): readonly string[] {
  const count = Number(/say:(\d+)/.exec(said)?.[1] ?? 3);
  return Array.from({ length: count }, (_, i) => `word${i} `);
}

function callOf(name: string, line: string): { toolName: string; input: { [key: string]: string } } {
  if (name in kinds) return { toolName: name, input: { line } };
  return { toolName: 'delegate', input: { agent: name, task: line.replace('.', ':') } };
}

function tool(name: keyof typeof kinds, { deed, point, paceMs, exit }: AgentPlace): Tool {
  return defineTool({
    name,
    description: `The tool ${name}`,
    input: z.object({ line: z.string() }),
    effects: kinds[name],
    needsApproval: name === 'refund',
    async execute({ line }) {
      point('tool before');
      // A stay takes the milliseconds in its line.
      await sleep(name === 'stay' ? Number(line) : paceMs);
      deed(`${name} ${line}`);
      if (name === 'exit') exit();
      point('tool after');
      await sleep(paceMs);
      return `${name} ${line}: done`;
    },
  });
}
