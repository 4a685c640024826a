import type { RecordedEvent } from '@vitrine/inspect';
import { expect, it } from 'vitest';
import { summarizeEvent } from './summarize-event.ts';
import { texts } from '../../texts.ts';

const entry = (event: object, toolName: string | null = null): RecordedEvent => ({
  number: 1,
  event: { path: [], at: 0, seq: 1, ...event } as unknown as RecordedEvent['event'],
  stepNumber: 1,
  toolName,
  count: 1,
});

it('the summary of an event that only a newer version knows says so', () => {
  expect(summarizeEvent(entry({ type: 'hologram-start' }), texts)).toBe('of a newer version');
  expect(summarizeEvent(entry({ type: 'tool-hologram' }, 'search'), texts)).toBe(
    'search, of a newer version',
  );
});

it('the summary of an event without more to say is the name of its tool', () => {
  expect(summarizeEvent(entry({ type: 'tool-start', toolCallId: 'c', key: 'k' }, 'search'), texts)).toBe(
    'search',
  );
  expect(summarizeEvent(entry({ type: 'step-start', stepId: 's' }), texts)).toBe('');
});

it.each([
  ['failed', 'failed'],
  ['aborted', 'was aborted'],
  ['interrupted', 'was interrupted'],
  ['of a newer version', 'ended'],
])('the summary of a charge for the reason "%s" says that the call %s', (reason, cause) => {
  const charge = { type: 'usage-charge', reason, hook: null, usage: { totalTokens: 5, isEstimated: true } };
  expect(summarizeEvent(entry(charge), texts)).toBe(`5 tokens, estimated of a call that ${cause}`);
});

it('the summary of a command names the person who gave it, and that of a hook does not', () => {
  const answer = { type: 'approval-answer', toolCallId: 'c', decision: 'approved', comment: null };
  expect(summarizeEvent(entry({ ...answer, by: 'anna' }, 'pay'), texts)).toBe('pay: approved, by anna');
  expect(summarizeEvent(entry(answer, 'pay'), texts)).toBe('pay: approved');
  const settled = { type: 'call-settle', toolCallId: 'c', outcome: 'blocked', by: 'policy' };
  expect(summarizeEvent(entry(settled, 'pay'), texts)).toBe('pay: blocked');
  const added = { type: 'message-add', section: 'messages', source: 'user', message: { role: 'user' } };
  expect(summarizeEvent(entry(added), texts)).toBe('user in messages, by user');
  expect(summarizeEvent(entry({ ...added, by: 'ben' }), texts)).toBe('user in messages, by ben');
});

it('the summary of a change that brings feedback says so, for the filter of the events', () => {
  const change = { type: 'section-change', name: 'messages', source: 'app', removed: [], added: [] };
  const put = [{ id: 'm', metadata: { feedback: 'up' } }];
  expect(summarizeEvent(entry({ ...change, put }), texts)).toBe('messages, feedback, by app');
  expect(summarizeEvent(entry({ ...change, put: [{ id: 'm', metadata: {} }] }), texts)).toBe(
    'messages, by app',
  );
});
