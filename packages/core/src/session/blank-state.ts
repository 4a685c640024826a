import { empty } from '../graph/message-store.ts';
import type { AgentState } from '../graph/types.ts';
import { freeze } from '../kit/freeze.ts';

/** The state of an unused session. It needs no clock and no id, so it is equal on server and client. */
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
  spentBefore: null,
  execution: null,
});
