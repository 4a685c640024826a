export { fromLanguageModel } from '../../model/ai-sdk/from-language-model.ts';
export type { LanguageModel } from '../../model/ai-sdk/language-model.ts';
export { type AiSdkTool, fromAiSdkTool } from './from-ai-sdk-tool.ts';
export { importUiMessages } from './import-ui-messages.ts';
export { toUiMessages } from './to-ui-messages.ts';
export { toUiMessageStream } from './ui-message-stream.ts';
export type { UiChunk, UiMessage } from './ui-message.ts';
export { vitrineTransport, type VitrineTransport } from './vitrine-transport.ts';
