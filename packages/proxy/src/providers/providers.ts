import { anthropic } from './anthropic.ts';
import { google } from './google.ts';
import { openai } from './openai.ts';
import { openaiCompatible } from './openai-compatible.ts';
import type { Provider } from './provider.ts';

/** Every provider that the environment can configure, in the order of the default models. */
export const providers: readonly Provider[] = [openai, anthropic, google, openaiCompatible];
