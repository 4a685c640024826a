export { fromLanguageModel } from './from-language-model.ts';
export type { LanguageModel, ModelStream, ModelStreamReader } from './language-model.ts';
export type { DirectIterator } from './model-events.ts';
