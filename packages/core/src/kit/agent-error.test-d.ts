import { AgentError, type AgentErrorCode, isAgentError } from '@vitrine/core';
import { expectTypeOf, it } from 'vitest';

declare module '@vitrine/core' {
  interface AgentErrorCodes {
    'quota-used-up': true;
  }
}

it('knows the codes of the table, of servers and of the application', () => {
  new AgentError('tool-not-found', '');
  new AgentError('upstream-overloaded', '');
  new AgentError('http-502', '');
  new AgentError('quota-used-up', '');
  expectTypeOf<'stream-incomplete'>().toExtend<AgentErrorCode>();
});

it('refuses a code that nothing has', () => {
  // @ts-expect-error -- a slip
  new AgentError('tool-notfound', '');
  // @ts-expect-error -- a slip
  isAgentError(null, 'upstrem-error');
  // @ts-expect-error -- no status
  new AgentError('http-error', '');
  expectTypeOf<string>().not.toExtend<AgentErrorCode>();
});
