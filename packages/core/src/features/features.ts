import type { Feature } from '../run/slots.ts';
import { approvals, questions } from './approvals.ts';
import { breakpoints } from './breakpoints.ts';
import { budgets, prices } from './budgets.ts';
import { effects } from './effects.ts';
import { files } from './files.ts';
import { hooks } from './hooks.ts';
import { interruptedCalls, lostAnswers } from './interrupted-calls.ts';
import { retries } from './retries.ts';
import { steering } from './steering.ts';
import { storedStart } from './stored-start.ts';
import { structuredOutput } from './structured-output.ts';
import { subagents } from './subagents.ts';
import { wireIds } from './wire-messages.ts';

/** The features of a run, outermost first. Their order is part of what they mean. */
export const features: readonly Feature[] = [
  breakpoints,
  // No hook sees a rejected call.
  approvals,
  // A hook sees a request without bytes of files and ids of providers, and the answer of the last attempt.
  hooks,
  files,
  wireIds,
  // The charge of an interrupted call and the room of each attempt need the price.
  prices,
  // Once a call, before the first room is taken.
  interruptedCalls,
  retries,
  // What follows happens once an attempt, in its room. A delay between attempts holds none.
  budgets,
  lostAnswers,
  // Nothing begins before its start is stored. What goes on elsewhere is not recorded, and a question is no outcome.
  storedStart,
  subagents,
  questions,
  effects,
  // A steered message comes behind the request for a better answer.
  structuredOutput,
  steering,
];
