import { type AgentDefinition, defineAgent, defineTool, type InferenceClient, Message } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import * as z from 'zod';

type Call = { readonly name: string; readonly input: Record<string, string> };

const note = (words: string): Call => ({ name: 'note', input: { words } });
const delegate = (task: string): Call => ({ name: 'delegate', input: { agent: 'kid', task } });

/** The calls of the model by step: five steps of tools, two subagents, and one call that a person approves. */
const steps: readonly (readonly Call[])[] = [
  [note('first')],
  [note('second'), note('third')],
  [{ name: 'pay', input: { words: 'approved' } }],
  [delegate('note left'), delegate('note right')],
  [{ name: 'look', input: { words: 'again' } }, note('last')],
];

/** The final answer; every step is announced. */
const sayings = ['I begin. ', 'Two at once. ', 'This costs something. ', 'Others help. ', 'Nearly done. '];

/** A model that depends on nothing but which calls of the script have been asked for. */
const scripted: InferenceClient = scriptedInference([
  ({ messages }) => {
    const asked = new Set(messages.flatMap(Message.toolCalls).map(({ input }) => keyOf(input)));
    const task = Message.text(messages.findLast(({ role }) => role === 'user') ?? Message.user(''));
    const isKid = task.startsWith('note ');
    const script = isKid ? [[note(task.slice(5))]] : steps;
    const at = script.findIndex((calls) => !calls.every(({ input }) => asked.has(keyOf(input))));
    const text = isKid ? 'I do it.' : (sayings[at] ?? 'Everything is done, as it was asked for.');
    const toolCalls = (script[at] ?? []).map((call) => ({ ...call, id: `call-${keyOf(call.input)}` }));
    return { text, chunks: 3, delayMs: 2, toolCalls };
  },
]);

/** A model that says a word every so many milliseconds, for a minute; `say` is told of each before anybody else. */
function talking(everyMs: number, say: (word: string) => void): InferenceClient {
  const chunks = Array.from({ length: 60_000 / everyMs }, (_, at) => `${String(at).padStart(4, '0')} `);
  const client = scriptedInference([{ text: chunks.join(''), chunks, delayMs: everyMs }]);
  return {
    async *stream(request, options) {
      for await (const event of client.stream(request, options)) {
        if (event.type === 'text-delta') say(event.delta);
        yield event;
      }
    },
  };
}

/** `effect` is what a tool does to the world. */
export function scriptedAgent(effect: (key: string) => Promise<void>): AgentDefinition {
  const input = z.object({ words: z.string() });
  const make = (name: string, more: { needsApproval?: boolean; effects?: 'idempotent' }) =>
    defineTool({
      name,
      description: '',
      input,
      ...more,
      async execute({ words }) {
        await effect(words);
        return `${words} is done`;
      },
    });
  const tools = [
    make('note', {}),
    make('pay', { needsApproval: true }),
    make('look', { effects: 'idempotent' }),
  ];
  const kid = defineAgent({ name: 'kid', tools, inference: scripted });
  return defineAgent({ name: 'scripted', tools, subagents: [kid], inference: scripted });
}

export function talkingAgent(everyMs: number, say: (word: string) => void): AgentDefinition {
  return defineAgent({ name: 'talking', inference: talking(everyMs, say) });
}

function keyOf(input: unknown): string {
  const { words, task } = input as Record<string, string>;
  return words ?? task ?? '';
}
