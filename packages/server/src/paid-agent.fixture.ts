import { type AgentDefinition, defineAgent } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import type { AgentServerOptions } from './create-agent-server.ts';

/** An agent whose answers take a while, and whose model reports so many tokens for each. */
export function paidAgent(answerTokens: number): AgentDefinition {
  const inference = scriptedInference([
    { text: 'Yes.', delayMs: 60, usage: { inputTokens: 100, outputTokens: answerTokens - 100 } },
  ]);
  return defineAgent({
    name: 'clerk',
    inference,
    llmConfig: { model: 'm', settings: { maxOutputTokens: 400 } },
  });
}

/** For tests a token is the name of the person. */
export const byName: AgentServerOptions<never>['authorize'] = ({ headers }) => {
  const id = /^Bearer (\w+)$/.exec(headers.get('authorization') ?? '')?.[1];
  return id === undefined ? null : { id };
};
