import { type AgentDefinition, defineAgent, defineTool } from '@vitrine/core';
import * as z from 'zod';
import { modelOfWords } from '../../model-of-words.ts';

type ClerkOptions = {
  /** Called with each thing that a tool has done. */
  readonly deed: (text: string) => void;
  /** Resolves when `look` has found something. */
  readonly found: () => Promise<void>;
  /** Milliseconds between the beginning and the end of `pay`. */
  readonly payMs: number;
};

/**
 * An agent of a page and of a server. Its model asks for the tools in the message of the person, one a step, such as
 * `look:a pay:b refund:c`, and then says some words slowly.
 */
export function createClerk({ deed, found, payMs }: ClerkOptions): AgentDefinition {
  const input = z.object({ line: z.string() });
  const look = defineTool({
    input,
    name: 'look',
    description: 'Looks something up',
    effects: 'idempotent',
    async execute({ line }) {
      await found();
      return `found ${line}`;
    },
  });
  const pay = defineTool({
    input,
    name: 'pay',
    description: 'Pays once',
    effects: 'once',
    async execute({ line }) {
      deed(`pay ${line} begins`);
      await pause(payMs);
      deed(`pay ${line}`);
      return `paid ${line}`;
    },
  });
  const refund = defineTool({
    input,
    name: 'refund',
    description: 'Pays back once a person has approved it',
    effects: 'once',
    needsApproval: true,
    async execute({ line }) {
      deed(`refund ${line}`);
      return `refunded ${line}`;
    },
  });
  return defineAgent({ name: 'clerk', inference: model, tools: [look, pay, refund] });
}

const model = modelOfWords({
  words: (said) => `Done with ${said}. That is all of it, and it took a while to say so.`.split(/(?= )/),
  pause: () => pause(60),
});

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
