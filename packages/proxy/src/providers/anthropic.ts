import { createAnthropic } from '@ai-sdk/anthropic';
import { messageFrames } from './message-frames.ts';
import type { Provider } from './provider.ts';

/** Models whose thoughts have a budget of their own. */
const withBudget = /^claude-(?:3|[a-z]+-4(?:-[0-5])?(?:-\d{8})?$)/;

/** Anthropic, by its messages API. */
export const anthropic: Provider = {
  id: 'anthropic',
  variables: { apiKey: 'ANTHROPIC_API_KEY', baseURL: 'ANTHROPIC_BASE_URL' },
  requires: 'apiKey',
  defaults: ['claude-sonnet-5-5', 'claude-haiku-5-5'],
  thinkers: /^claude-(3-7|[a-z]+-[4-9])/,
  // The package adds so many of a model's 64,000 output tokens to the limit of the answer. Newer models think within it.
  thinkingTokens: (name) => (withBudget.test(name) ? { low: 6400, medium: 19_200, high: 38_400 } : undefined),
  list: {
    baseURL: 'https://api.anthropic.com/v1',
    query: '?limit=1000',
    headers: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
  },
  frames: () => messageFrames,
  connect: (settings) => createAnthropic(settings),
};
