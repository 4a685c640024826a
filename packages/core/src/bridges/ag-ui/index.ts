// The entry `@vitrine/core/ag-ui`: sessions and conversations in the words of AG-UI.
export { aguiAgent, type AguiAgentOptions, type AgUiState } from './agui-agent.ts';
export type { RemoteQuestion as AgUiQuestion } from './remote-step.ts';
export { importAgUiMessages, toAgUiMessages } from './messages.ts';
export type { AgUiContentPart, AgUiMessage, AgUiToolCall } from './protocol.ts';
export { type AgUiFetch, toAgUi, type ToAgUiOptions } from './to-ag-ui.ts';
