import { createOpenAI } from '@ai-sdk/openai';
import type { Provider } from './provider.ts';

/** OpenAI, by chat completions. */
export const openai: Provider = {
  id: 'openai',
  variables: { apiKey: 'OPENAI_API_KEY', baseURL: 'OPENAI_BASE_URL' },
  requires: 'apiKey',
  defaults: ['gpt-5-mini', 'gpt-5'],
  thinkers: /^(gpt-[5-9]|o\d)/,
  list: {
    baseURL: 'https://api.openai.com/v1',
    headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  },
  connect(settings) {
    const provider = createOpenAI(settings);
    return (name) => provider.chat(name);
  },
};
