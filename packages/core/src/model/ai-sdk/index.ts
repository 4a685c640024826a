export { fromLanguageModel } from './from-language-model.ts';
export type { LanguageModel, ModelStream } from './language-model.ts';
