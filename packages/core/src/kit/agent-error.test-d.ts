import { AgentError, type AgentErrorCode, isAgentError } from '@vitrine/core';
import { expectTypeOf, it } from 'vitest';

declare module '@vitrine/core' {
  interface AgentErrorCodes {
    'quota-used-up': true;
  }
}

it('the error codes are those of the table, of servers and of the application', () => {
  new AgentError('tool-not-found', '');
  new AgentError('upstream-overloaded', '');
  new AgentError('http-502', '');
  new AgentError('quota-used-up', '');
  expectTypeOf<'stream-incomplete'>().toExtend<AgentErrorCode>();
});

it('an unknown error code does not compile', () => {
  // @ts-expect-error -- a misspelled code
  new AgentError('tool-notfound', '');
  // @ts-expect-error -- a misspelled code
  isAgentError(null, 'upstrem-error');
  // @ts-expect-error -- a status is missing
  new AgentError('http-error', '');
  expectTypeOf<string>().not.toExtend<AgentErrorCode>();
});
