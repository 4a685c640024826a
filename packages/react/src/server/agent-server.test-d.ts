import { type AgentDefinition, defineAgent, type SessionStore } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { expectTypeOf, it } from 'vitest';
import { agentServer } from './agent-server.ts';

const clerk = defineAgent({ name: 'clerk', inference: scriptedInference([{ text: 'Hi' }]) });
/** A server as `createAgentServer` types it. */
type Server = {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly '~agents'?: { readonly clerk: typeof clerk };
};

it('a page has the agents of its server by name and type', () => {
  const remote = agentServer<Server>({ url: '/api' });
  expectTypeOf(remote.agents.clerk).toEqualTypeOf<typeof clerk>();
  expectTypeOf(remote.agents.clerk).toExtend<AgentDefinition>();
  expectTypeOf(remote.sessions).toEqualTypeOf<SessionStore>();
  // @ts-expect-error -- the server has no such agent
  void remote.agents.clark;
});
