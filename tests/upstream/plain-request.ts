import { type InferenceRequest, Message } from '@vitrine/core';

/** A request with one word and nothing else, for tests in which it does not matter what is asked. */
export const request: InferenceRequest = {
  model: null,
  messages: [Message.user('Hi')],
  tools: [],
  toolChoice: 'auto',
  responseFormat: null,
  settings: {},
};
