import { breakCondition } from '@vitrine/core/internal/graph/shapes';
import type { BreakCondition } from '@vitrine/core/types';
import * as z from 'zod';
import type { HostedCommand } from '../host/session-host.ts';

const id = z.string().regex(/^[A-Za-z0-9_-]{1,80}$/);
const json = z.json();
/** The id of a message, a step, a call and so on, which the library or a provider makes. */
const name = z.string().max(200);
/** The most characters of texts that stand in heads, in lists and in every look at a session. */
const most = { title: 500, reason: 2000, draft: 32_000 };
const message = z.strictObject({
  text: z.string(),
  files: z.array(z.record(z.string(), json)).optional(),
  data: z.record(z.string(), json).optional(),
  metadata: z.record(z.string(), json).optional(),
});
const remember = z.enum(['execution', 'session']).optional();
const decision = z.union([
  z.strictObject({ approved: z.literal(true), input: json.optional(), remember }),
  z.strictObject({ approved: z.literal(false), reason: z.string().max(most.reason).optional(), remember }),
  z.strictObject({ output: json }),
]);
const breakpointId = z.string().max(80);
const place = z.strictObject({
  point: z.enum(['model', 'tool', 'answer', 'end']),
  step: z.number(),
  toolCallId: name.nullable(),
  path: z.array(name).max(100),
});
/** It stands in the head of its session, so it is bounded. */
const condition = z.custom<BreakCondition>(
  (on) => breakCondition(on, 0) === null && JSON.stringify(on).length <= 2_000,
  'it must be the condition of a breakpoint, of 2,000 characters at most',
);
/** A result, a message and the prompt belong to the operator, so a client edits the arguments of a call only. */
const debugAction = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('set'),
    breakpoint: z.strictObject({ id: breakpointId, on: condition, isOnce: z.boolean() }),
  }),
  z.strictObject({ type: z.literal('remove'), breakpointId }),
  z.strictObject({
    type: z.literal('release'),
    place: place.optional(),
    edit: z.strictObject({ input: json.optional(), toolCallId: name.optional() }).optional(),
    isStep: z.boolean().optional(),
  }),
]);
const amount = z.number().nonnegative();
const model = { model: name.optional() };

/** The closed list of commands that travel. Those with functions do not, nor those of the session in one place. */
const commandShape = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('send'),
    id,
    message,
    options: z.strictObject({
      ...model,
      onBusy: z.enum(['queue', 'reject', 'interrupt', 'steer']).optional(),
    }),
    onBusy: z.enum(['queue', 'reject', 'interrupt', 'steer']),
    isWaiting: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.literal('stop'),
    id,
    message: z.string().max(most.reason),
    turnId: name.optional(),
    executionId: name.nullable().optional(),
  }),
  z.strictObject({ type: z.literal('resume'), id, isAutomatic: z.boolean() }),
  z.strictObject({ type: z.literal('retry'), id }),
  z.strictObject({
    type: z.literal('continue'),
    id,
    grant: z
      .strictObject({
        steps: amount.optional(),
        tokens: amount.optional(),
        seconds: amount.optional(),
        cost: amount.optional(),
        deadline: amount.optional(),
      })
      .nullable(),
    executionId: name.nullable().optional(),
    at: z.number(),
  }),
  z.strictObject({ type: z.literal('answer'), id, decisions: z.record(name, decision) }),
  z.strictObject({ type: z.literal('debug'), id, action: debugAction }),
  z.strictObject({ type: z.literal('reset'), id }),
  z.strictObject({
    type: z.literal('move'),
    id,
    kind: z.enum(['edit', 'regenerate', 'switch']),
    messageId: name.nullable(),
    message: message.nullable(),
    options: z.strictObject(model),
    at: z.number(),
    isOfOtherTab: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.literal('fork'),
    id,
    sessionId: id,
    messageId: name.optional(),
    stepId: name.optional(),
  }),
  z.strictObject({ type: z.literal('rename'), id, title: z.string().max(most.title) }),
  z.strictObject({
    type: z.literal('rate'),
    id,
    messageId: name,
    rating: z.enum(['up', 'down']).nullable(),
    text: z.string().max(most.reason).optional(),
  }),
  z.strictObject({
    type: z.literal('choose-model'),
    id,
    model: name.nullable(),
    reasoning: name.nullable(),
  }),
  z.strictObject({ type: z.literal('clear-error'), id }),
  z.strictObject({ type: z.literal('cancel-queued'), id, queuedId: name }),
  z.strictObject({ type: z.literal('set-draft'), id, draft: z.string().max(most.draft) }),
]);

const types = commandShape.options.map(({ shape }) => shape.type.value);

/** Reads a command, or says what is wrong with it. */
export function readCommand(
  value: unknown,
): { readonly command: HostedCommand } | { readonly issue: string } {
  const found = commandShape.safeParse(value);
  if (found.success) return { command: found.data as unknown as HostedCommand };
  const [first] = found.error.issues;
  const type: unknown =
    typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  if (!types.some((known) => known === type))
    return {
      issue: `the type is ${JSON.stringify(type)?.slice(0, 100) ?? 'missing'}; it must be one of ${types.join(', ')}.`,
    };
  return { issue: `${first?.path.join('.') ?? ''}: ${first?.message ?? 'invalid'}.` };
}
