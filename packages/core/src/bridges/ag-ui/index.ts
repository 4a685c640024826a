// The entry `@vitrine/core/ag-ui`: conversations in the words of AG-UI.
export { importAgUiMessages, toAgUiMessages } from './messages.ts';
export type { AgUiContentPart, AgUiMessage, AgUiToolCall } from './protocol.ts';
