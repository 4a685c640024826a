import { AgentState, createAgentSession, defineAgent, defineTool } from '@vitrine/core';
import { type ScriptedEntry, scriptedInference } from '@vitrine/testing';
import { webMcpTools } from '@vitrine/web-mcp';
import * as z from 'zod';
import { offerInReact } from './offer-in-react.tsx';
import { showMcpChat } from './show-mcp-chat.tsx';

/** A tool of the agent, one that asks, and one of a plugin's kind, which changes the state of a session. */
const tools = [
  defineTool({
    name: 'add',
    description: 'Adds two numbers',
    input: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => a + b,
  }),
  defineTool({
    name: 'erase',
    description: 'Erases everything',
    input: z.object({}),
    needsApproval: true,
    execute: () => 'erased',
  }),
  defineTool({
    name: 'note',
    description: 'Notes something',
    input: z.object({}),
    execute: (_input, ctx) => ctx.update((state) => state),
  }),
];

const page = {
  showMcpChat,
  /** Mounts a component that offers the tools of an agent. @returns the function that unmounts it. */
  offer: (): (() => void) => offerInReact(defineAgent({ tools })),
  /** Runs an agent with the tools of this page. @returns its calls. */
  async runWithPageTools(script: readonly ScriptedEntry[]) {
    const agent = defineAgent({ plugins: [webMcpTools()], inference: scriptedInference(script) });
    const session = createAgentSession({ agent });
    await session.sendMessage('Go');
    const { state } = session.store.getState();
    const calls = AgentState.steps(state).flatMap(({ toolExecutions }) =>
      toolExecutions.map(({ toolCall, status, result, error }) => ({
        name: toolCall.name,
        status,
        result: result ?? null,
        error: error?.message ?? null,
      })),
    );
    return { status: AgentState.status(state), calls };
  },
};

export type McpPage = typeof page;
Object.assign(globalThis, { mcpPage: page });
document.documentElement.dataset['ready'] = 'yes';
