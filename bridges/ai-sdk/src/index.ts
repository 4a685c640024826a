export { fromLanguageModel } from './model/from-language-model.ts';
export type { LanguageModel } from './model/language-model.ts';
export { type AiSdkTool, fromAiSdkTool } from './from-ai-sdk-tool.ts';
export { importUiMessages } from '@vitrine/messages/internal/ai-sdk/import-ui-messages';
export { toUiMessages } from '@vitrine/messages/internal/ai-sdk/to-ui-messages';
export { toUiMessageStream } from './ui-message-stream.ts';
export type { UiChunk, UiMessage } from '@vitrine/messages/internal/ai-sdk/ui-message';
export { vitrineTransport, type VitrineTransport } from './vitrine-transport.ts';
