// The entry `@vitrine/ag-ui`: sessions and conversations in the words of AG-UI.
export { aguiAgent, type AguiAgentOptions, type AgUiState } from './agui-agent.ts';
export type { RemoteQuestion as AgUiQuestion } from './remote/remote-run.ts';
export { importAgUiMessages, toAgUiMessages } from '@vitrine/messages/internal/ag-ui/messages';
export type { AgUiContentPart, AgUiMessage, AgUiToolCall } from '@vitrine/messages/internal/ag-ui/protocol';
export { type AgUiFetch, toAgUi, type ToAgUiOptions } from './to-ag-ui.ts';
