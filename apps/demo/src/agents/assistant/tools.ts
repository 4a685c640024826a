import { defineTool } from '@vitrine/react';
import * as z from 'zod/mini';
import { calculate } from './calculate.ts';

export const calculator = defineTool({
  name: 'calculator',
  description: 'Calculates an arithmetic expression with + - * / ^ and parentheses.',
  input: z.object({ expression: z.string().check(z.minLength(1)) }),
  output: z.number(),
  effects: 'idempotent',
  execute: ({ expression }) => calculate(expression),
});

export const currentTime = defineTool({
  name: 'current_time',
  description: 'Tells the date and time of the user.',
  input: z.object({}),
  effects: 'idempotent',
  execute: () => new Date().toLocaleString('en', { dateStyle: 'full', timeStyle: 'short' }),
});
