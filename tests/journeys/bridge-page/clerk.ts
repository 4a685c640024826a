import { defineAgent, defineTool, Message } from '@vitrine/core';
import { scriptedInference, type ScriptedEntry } from '@vitrine/testing';
import * as z from 'zod';

const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount',
  input: z.object({ amount: z.number() }),
  needsApproval: ({ amount }) => ({ ask: `Pay ${amount}?` }),
  execute: ({ amount }) => `paid ${amount}`,
});

const double = defineTool({
  name: 'double',
  description: 'Doubles a number',
  input: z.object({ n: z.number() }),
  execute: ({ n }) => n * 2,
});

const fail = defineTool({
  name: 'fail',
  description: 'Fails',
  input: z.object({}),
  execute: () => Promise.reject(new Error('It is broken.')),
});

let answers = 0;
const answer: ScriptedEntry = ({ messages }) => {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const asked = Message.text(messages[at]!);
  const steps = messages.slice(at).filter(({ role }) => role === 'assistant').length;
  if (asked === 'pay' && steps === 0) return { toolCalls: [{ name: 'pay', input: { amount: 5 } }] };
  if (asked === 'twice' && steps < 2) return { toolCalls: [{ name: 'double', input: { n: steps + 1 } }] };
  if (asked === 'both' && steps === 0)
    return { toolCalls: [10, 20].map((n) => ({ name: 'double', input: { n } })) };
  if (asked === 'mixed' && steps === 0)
    return {
      toolCalls: [
        { name: 'double', input: { n: 30 } },
        { name: 'fail', input: {} },
      ],
    };
  if (asked === 'helper' && steps === 0)
    return { toolCalls: [{ name: 'delegate', input: { agent: 'cashier', task: 'pay' } }] };
  if (asked === 'broken') return { text: 'Half an answer', error: new Error('The model is gone.') };
  if (asked === 'long') return { text: 'word '.repeat(300) + 'end', chunks: 300, delayMs: 10 };
  if (asked === 'endless') return { text: 'word '.repeat(5_000) + 'end', chunks: 5_000, delayMs: 10 };
  return { text: `Answer ${++answers} to ${asked}` };
};

const cashier = defineAgent({
  name: 'cashier',
  description: 'Pays',
  tools: [pay],
  inference: scriptedInference([answer]),
});

/** An agent that pays after an approval, itself or by a subagent, doubles numbers, fails, and numbers its answers. */
export const clerk = defineAgent({
  name: 'clerk',
  tools: [pay, double, fail],
  subagents: [cashier],
  inference: scriptedInference([answer]),
});
