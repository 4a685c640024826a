import * as z from 'zod';

const share = z.number().min(0).max(1).nullish();
const penalty = z.number().min(-2).max(2).nullish();
const count = z.number().int().min(1).max(10_000_000).nullish();

/** The model settings that a page may choose. Other settings are dropped; nulls are dropped later. */
export const settingsSchema = z.object({
  maxOutputTokens: count,
  temperature: z.number().min(0).max(2).nullish(),
  topP: share,
  topK: count,
  presencePenalty: penalty,
  frequencyPenalty: penalty,
  stopSequences: z.array(z.string().max(1000)).max(16).nullish(),
  seed: z.number().int().nullish(),
  reasoning: z.enum(['off', 'low', 'medium', 'high']).nullish(),
});
