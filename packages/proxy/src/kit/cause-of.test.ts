import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { causeOf } from './cause-of.ts';

/** An error as the AI SDK throws it. */
const callError = (message: string, more: object = {}): Error =>
  Object.assign(new Error(message), { name: 'AI_APICallError', ...more });

describe('the cause of a failure', () => {
  it.each<[string, unknown, string]>([
    [
      'is status and message',
      callError('Maximum context length is 8192 tokens.', {
        statusCode: 400,
        responseBody: '{"error":{"message":"Maximum context length is 8192 tokens."}}',
      }),
      'status 400: Maximum context length is 8192 tokens.',
    ],
    [
      'has the body when the message is not from it',
      callError('Bad Request', { statusCode: 400, responseBody: '{"detail":"no such\nfield"}' }),
      'status 400: Bad Request: {"detail":"no such field"}',
    ],
    [
      'has what was behind it',
      callError('Cannot connect to API', { cause: new Error('connect ECONNREFUSED 127.0.0.1:9') }),
      'Cannot connect to API: connect ECONNREFUSED 127.0.0.1:9',
    ],
    ['says nothing twice', callError('Cannot reach: x', { cause: new Error('x') }), 'Cannot reach: x'],
    ['is the text that was thrown', 'broken', 'broken'],
    ['is what an event of the provider says', { type: 'overloaded', message: 'Busy' }, 'Busy'],
    ['is that event, when it has no message', { type: 'overloaded' }, '{"type":"overloaded"}'],
    [
      'tells no key',
      callError('Incorrect API key provided: sk-live-canary-1234. See https://u:pw@x.example/?key=abc', {
        statusCode: 401,
      }),
      'status 401: Incorrect API key provided: ••• See https://•••@x.example/?key=•••',
    ],
    ['of nothing is nothing', undefined, ''],
  ])('%s', (_what, error, cause) => expect(causeOf(error)).toBe(cause));

  it('the cause is one line of at most 300 characters, whatever is thrown', () => {
    const loop: Record<string, unknown> = {};
    loop['cause'] = loop;
    expect(causeOf(loop)).toBe('an error that says nothing');
    fc.assert(
      fc.property(fc.anything(), fc.string({ unit: 'binary', maxLength: 900 }), (thrown, message) => {
        for (const error of [thrown, { message }, { responseBody: message, cause: thrown }]) {
          const cause = causeOf(error);
          expect(cause.length).toBeLessThanOrEqual(300);
          expect(cause).not.toMatch(/[\n\r\p{Cc}]/u);
        }
      }),
    );
  });
});
