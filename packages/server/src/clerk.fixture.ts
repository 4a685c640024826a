import { type AgentDefinition, defineAgent, defineTool } from '@vitrine/core';
import * as z from 'zod';
import { modelOfWords } from '../../../tests/model-of-words.ts';

/** The world of a clerk: its deeds, and the pauses of its tools. */
export type ClerkWorld = {
  /** Does a deed, such as `pay a`. */
  readonly deed: (text: string) => void;
  readonly pause: (ms: number) => Promise<void>;
};

export const pauseFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** An agent whose model asks for the tools in the message of the user, one a step, such as `pay:a look:b refund:c`. */
export function clerkOf({ deed, pause }: ClerkWorld): AgentDefinition {
  const model = modelOfWords({ words: () => ['All', ' of', ' it', ' is', ' done'], pause: () => pause(20) });
  const input = z.object({ line: z.string() });
  const pay = defineTool({
    input,
    name: 'pay',
    description: 'Pays once',
    effects: 'once',
    async execute({ line }) {
      await pause(40);
      deed(`pay ${line}`);
      await pause(40);
      return `paid ${line}`;
    },
  });
  const look = defineTool({
    input,
    name: 'look',
    description: 'Looks something up',
    effects: 'idempotent',
    async execute({ line }) {
      deed(`look ${line}`);
      await pause(60);
      return `found ${line}`;
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
      await pause(20);
      return `refunded ${line}`;
    },
  });
  return defineAgent({ name: 'clerk', inference: model, tools: [pay, look, refund] });
}
