import { empty } from '../graph/sections.ts';
import type { AgentState } from '../graph/types.ts';
import { freeze } from '../kit/freeze.ts';

/** No clock is read and no id is made for a session that nobody has used, so it is the same on server and client. */
export const blankState: AgentState = /* @__PURE__ */ freeze({
  agentId: '00000000-0000-0000-0000-000000000000',
  parentAgentId: null,
  createdAt: 0,
  updatedAt: 0,
  seq: 0,
  executionCount: 0,
  llmConfig: null,
  context: { store: /* @__PURE__ */ empty(), metadata: {}, systemPrompt: '', responseFormat: null },
  plugins: {},
  texts: {},
  retained: {},
  execution: null,
});
