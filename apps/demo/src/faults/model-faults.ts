import * as z from 'zod';
import { agentOf, call, type FaultyAgent, toRome, trains } from './faulty-agent.ts';

/** Agents whose fault lies in the answer of the model. */
export const modelFaults: readonly FaultyAgent[] = [
  {
    id: 'cut-answer',
    title: 'The itinerary stops in the middle of day two',
    cause: 'The model reached its output limit.',
    question: 'Plan five days in Rome.',
    code: 'answer-cut',
    place: null,
    create: () =>
      agentOf([
        {
          text: 'Day 1: the Colosseum and the Forum. Day 2: begin at the',
          finishReason: 'length',
          usage: { inputTokens: 210, outputTokens: 64 },
        },
      ]),
  },
  {
    id: 'silent-agent',
    title: 'It searches and then says nothing',
    cause: 'The model ended its turn with an empty answer after the tool had its result.',
    question: 'When is the next train to Rome?',
    code: 'answer-empty',
    place: null,
    create: () => agentOf([call('find_trains', toRome), { text: '' }], { tools: [trains] }),
  },
  {
    id: 'filtered-answer',
    title: 'Half a sentence about Roman battles',
    cause: 'A content filter of the provider stopped the answer.',
    question: 'How did the battle of Zama go?',
    code: 'answer-withheld',
    place: null,
    create: () =>
      agentOf([
        {
          text: 'Hannibal began with his elephants, and',
          finishReason: 'content-filter',
          explanation: 'violence',
        },
      ]),
  },
  {
    id: 'rate-limited',
    title: 'Every answer takes long',
    cause: 'The provider rejected the first calls, because the rate limit was reached.',
    question: 'Is the Vatican open today?',
    code: 'model-retried',
    place: null,
    create: () => {
      const error = { code: 'rate-limited', message: 'The rate limit is reached.', retryable: true };
      return agentOf([{ error }, { error }, { error }, { text: 'Yes, until 18:00.' }], {
        retry: { maxAttempts: 4 },
      });
    },
  },
  {
    id: 'wrong-format',
    title: 'Each form costs three times as much as expected',
    cause: 'Two answers in a row did not fit the schema and were requested again.',
    question: 'Fill in the booking form for one adult.',
    code: 'output-repaired',
    place: null,
    create: () =>
      agentOf([{ text: '{"adults":"one"}' }, { text: '{"adults":"1"}' }, { text: '{"adults":1}' }], {
        responseFormat: z.object({ adults: z.number() }),
      }),
  },
  {
    id: 'overthinker',
    title: 'A short answer costs as much as a long one',
    cause: 'Reasoning takes nearly all output tokens.',
    question: 'Is Rome in Italy?',
    code: 'reasoning-heavy',
    place: null,
    create: () =>
      agentOf([
        {
          reasoning: 'Let me consider every city with this name …',
          text: 'Yes.',
          usage: { inputTokens: 120, outputTokens: 12_600, reasoningTokens: 12_400 },
        },
      ]),
  },
];
