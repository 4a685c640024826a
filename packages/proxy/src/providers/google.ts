import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { googleFrames } from './google-frames.ts';
import type { Provider } from './provider.ts';

/** Google's Gemini API, by generateContent. */
export const google: Provider = {
  id: 'google',
  variables: { apiKey: 'GOOGLE_GENERATIVE_AI_API_KEY', baseURL: 'GOOGLE_GENERATIVE_AI_BASE_URL' },
  requires: 'apiKey',
  defaults: ['gemini-4-hydrogen', 'gemini-4-argon'],
  thinkers: /^gemini-(2\.5|[3-9])/,
  list: {
    baseURL: 'https://generativelanguage.googleapis.com/v1beta',
    query: '?pageSize=1000',
    headers: (apiKey) => ({ 'x-goog-api-key': apiKey }),
  },
  frames: () => googleFrames,
  connect: (settings) => createGoogleGenerativeAI(settings),
};
