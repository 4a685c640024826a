import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Provider } from './provider.ts';

/** Any server with OpenAI's chat completions: Ollama, LM Studio, vLLM, gateways. A key is optional. */
export const openaiCompatible: Provider = {
  id: 'openai-compatible',
  variables: {
    baseURL: 'OPENAI_COMPATIBLE_BASE_URL',
    apiKey: 'OPENAI_COMPATIBLE_API_KEY',
    name: 'OPENAI_COMPATIBLE_NAME',
  },
  requires: 'baseURL',
  defaults: ['llama3.3'],
  listsModels: true,
  list: {
    baseURL: '',
    headers: (apiKey): Record<string, string> => (apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
  },
  connect({ baseURL = '', name = 'openai-compatible', ...settings }) {
    const provider = createOpenAICompatible({ ...settings, baseURL, name, includeUsage: true });
    return (model) => provider.chatModel(model);
  },
};
