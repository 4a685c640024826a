import type { ChatCompletionFunctionTool } from 'openai/resources';

type Tool = {
  readonly description: string;
  readonly parameters: Record<string, unknown>;
  /** The question for a person before the call runs. */
  readonly ask?: (args: Record<string, unknown>) => string;
  readonly execute: (args: Record<string, unknown>) => unknown;
};

export const tools: Record<string, Tool> = {
  get_weather: {
    description: 'Get the weather in a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'number' } },
      required: ['city', 'days'],
    },
    execute: ({ city }) => ({ city, temperature: 21 }),
  },
  send_email: {
    description: 'Send an email',
    parameters: {
      type: 'object',
      properties: { to: { type: 'string' }, text: { type: 'string' } },
      required: ['to', 'text'],
    },
    ask: ({ to }) => `Send this email to ${to}?`,
    execute: ({ to }) => `sent to ${to}`,
  },
};

/** The tools as the model is told about them. */
export const definitions = Object.entries(tools).map(
  ([name, { description, parameters }]): ChatCompletionFunctionTool => ({
    type: 'function',
    function: { name, description, parameters },
  }),
);
