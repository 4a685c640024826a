export { fromLanguageModel } from './from-language-model.ts';
export type { LanguageModel } from './language-model.ts';
