// Conversations in the shapes of other libraries and applications.
export { exportMessages } from './export-messages.ts';
export { importMessages } from './import-messages.ts';
export type { ImportedMessages, ImportMessagesOptions, ImportShape } from './read-conversation.ts';
export type { ExportedMessages, ExportSource } from './export-messages.ts';
export type { NamedImportOptions } from './reading/import-named.ts';
export type { LeftPart } from './reading/reading.ts';
export type { AnyUiMessage, UiCall, UiEnvelope, UiPart, UiVitrine } from './ai-sdk/ui-message.ts';
