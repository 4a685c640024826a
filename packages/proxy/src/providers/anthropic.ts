import { createAnthropic } from '@ai-sdk/anthropic';
import type { Provider } from './provider.ts';

/** Anthropic, by messages. */
export const anthropic: Provider = {
  id: 'anthropic',
  variables: { apiKey: 'ANTHROPIC_API_KEY', baseURL: 'ANTHROPIC_BASE_URL' },
  requires: 'apiKey',
  defaults: ['claude-sonnet-4-5', 'claude-haiku-4-5'],
  thinkers: /^claude-(3-7|[a-z]+-[4-9])/,
  list: {
    baseURL: 'https://api.anthropic.com/v1',
    query: '?limit=1000',
    headers: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
  },
  connect(settings) {
    const provider = createAnthropic(settings);
    return (name) => provider(name);
  },
};
