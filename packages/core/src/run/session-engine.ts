// What a session needs of the loop, as one module: it is loaded when a session starts, not with the page.
export { withApproval, withRejection } from '../graph/agent-state/approvals.ts';
export { createAgentLoop } from './create-agent-loop.ts';
export { endInterrupted } from './end-interrupted.ts';
