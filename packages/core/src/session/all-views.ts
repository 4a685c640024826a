import { usage } from '../graph/agent-state/usage.ts';
import { budget } from './conversation-budget.ts';
import { output } from './conversation-output.ts';
import { messages } from './conversation.ts';
import type { LaterViews } from './session-views.ts';

/** What shows a state in which something has happened, as the engine and `AgentState` bring it. */
export const allViews: LaterViews = { messages, usage, budget, output };
