import type { Plan } from '@vitrine/core/internal/run/random-plan.fixture';

const unhurried = { delay: 0, twice: false, edit: false, remember: false } as const;
const call = (name: string, input = {}) => ({ name, id: 'same', input });
const delegate = call('delegate', { agent: 'kid', task: 'do' });
const rest = { hooks: [], concurrency: 2, meddleEvery: 2, abortAt: null, steerAt: null } as const;

/** Runs in which a person has a decision remembered while later calls, or calls of another agent, are in progress. */
export const rememberedPlans: readonly Plan[] = [
  {
    script: [{ text: '', toolCalls: [delegate, call('form'), call('pay')] }, { text: '' }],
    kidScript: [{ text: '', reasoning: ' ' }],
    answers: [
      { ...unhurried, approve: false, delay: 5 },
      { ...unhurried, approve: true, remember: true },
      { ...unhurried, approve: false },
    ],
    ...rest,
  },
  {
    script: [
      { text: '', toolCalls: [call('form')] },
      { text: '', toolCalls: [delegate, call('pay'), call('ok')] },
    ],
    kidScript: [{ text: '', toolCalls: [call('pay'), call('ok'), call('pay')] }, { text: '' }],
    answers: [
      { ...unhurried, approve: false },
      { ...unhurried, approve: true, delay: 5 },
      { ...unhurried, approve: true, delay: 15, remember: true },
    ],
    ...rest,
  },
  {
    script: [{ text: '', toolCalls: [delegate] }, { text: '' }],
    kidScript: [{ text: '', toolCalls: [call('count'), call('pay')] }],
    answers: [{ ...unhurried, approve: true, remember: true }],
    ...rest,
  },
  // A parallel call of the same subagent is prepared while the decision is taken.
  {
    ...rest,
    script: [
      { text: '', toolCalls: [call('form')] },
      { text: '', toolCalls: [call('form'), delegate] },
      { text: '' },
    ],
    kidScript: [{ text: '', toolCalls: [call('pay'), call('ok'), call('ok'), call('pay')] }, { text: '' }],
    answers: [
      { ...unhurried, approve: true, delay: 11, remember: true },
      { ...unhurried, approve: false },
    ],
    concurrency: 3,
  },
];
