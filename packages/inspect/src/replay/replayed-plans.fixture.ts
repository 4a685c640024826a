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

const ok = call('ok');
const held = { ...rest, kidScript: [{ text: '' }], answers: [{ ...unhurried, approve: false }] } as const;
const next = { at: 1, on: { type: 'next' }, isOnce: false, delay: 0 } as const;

/** Runs that wait at breakpoints while a person sets them, releases them and edits, by what a replay has to know. */
export const heldPlans: Readonly<Record<string, Plan>> = {
  'a breakpoint that was set behind its place': {
    ...held,
    script: [{ text: '  ', chunks: 2, reasoning: ' ', toolCalls: [ok] }],
    concurrency: 1,
    meddleEvery: 6,
    breaks: [
      {
        at: 11,
        on: { type: 'step', stepType: 'tool-execution' },
        isOnce: false,
        delay: 0,
        edit: 'input',
      },
    ],
  },
  'an edit that comes with the release of a later breakpoint': {
    ...held,
    script: [{ text: '', toolCalls: [call('form'), call('form'), ok] }, { text: '' }],
    concurrency: 3,
    breaks: [{ ...next, edit: 'result' }],
  },
  'arguments that are edited at a later breakpoint': {
    ...held,
    script: [{ text: '', toolCalls: [ok, ok, ok] }, { text: '' }],
    concurrency: 3,
    breaks: [{ ...next, edit: 'input' }],
  },
  'a wait that an earlier answer makes needless': {
    ...held,
    script: [{ text: '', toolCalls: [delegate] }],
    kidScript: [{ text: '', toolCalls: [call('form')] }],
    concurrency: 1,
    breaks: [{ at: 1, on: { type: 'model' }, isOnce: false, delay: 0, edit: 'step' }],
  },
  'a release behind the end of a step that was cut short': {
    ...held,
    script: [{ text: '', toolCalls: [delegate, ok] }],
    hooks: [{ point: 'before-tool-use', ticks: 0, act: 'metadata' }],
    breaks: [{ ...next, delay: 20, edit: 'input' }],
  },
  'an answer while the breakpoint at the end of the step was set': {
    ...held,
    script: [{ text: '', toolCalls: [call('form'), call('pay')] }, { text: '' }],
    answers: [{ ...unhurried, approve: false, delay: 6 }],
    breaks: [{ at: 1, on: { type: 'step', stepType: 'error' }, isOnce: false, delay: 0, edit: 'input' }],
  },
  'a call that starts while a person answers the one before': {
    ...held,
    script: [{ text: '', reasoning: '', toolCalls: [call('form'), ok, ok] }],
    answers: [
      { ...unhurried, approve: true },
      { ...unhurried, approve: false },
    ],
    breaks: [{ ...next, edit: 'input' }],
  },
  'an answer that came before the next call began': {
    ...held,
    script: [{ text: '', toolCalls: [call('pay'), ok] }],
    hooks: [
      { point: 'before-tool-use', ticks: 0, act: 'remove' },
      { point: 'after-tool-use', ticks: 0, act: 'remove' },
    ],
    answers: [
      { ...unhurried, approve: true, delay: 13 },
      { ...unhurried, approve: false },
    ],
    concurrency: 1,
    breaks: [{ ...next, edit: 'input' }],
  },
  'a call that ended before another reached its breakpoint': {
    ...held,
    script: [{ text: '', toolCalls: [ok, call('pay'), delegate] }],
    hooks: [{ point: 'before-tool-use', ticks: 0, act: 'metadata' }],
    breaks: [
      {
        at: 1,
        on: { type: 'tool', toolName: 'delegate', isAfter: false },
        isOnce: false,
        delay: 0,
        edit: 'input',
      },
    ],
  },
  'a result that came before its step was cut short': {
    ...held,
    script: [{ text: '', toolCalls: [delegate, ok, ok] }],
    concurrency: 3,
    breaks: [{ ...next, edit: 'input' }],
  },
  'a step that ended while another call could have begun': {
    ...held,
    script: [{ text: '', toolCalls: [call('count'), delegate, ok] }],
    breaks: [{ ...next, delay: 22, edit: 'input' }],
  },
  'a step that ended just before another call began': {
    ...held,
    script: [{ text: '', toolCalls: [delegate, ok] }],
    breaks: [{ ...next, delay: 12, edit: 'input' }],
  },
};
