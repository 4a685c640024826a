import {
  type HookContext,
  type InferenceEvent,
  type InferenceRequest,
  Message,
  type Usage,
} from '@vitrine/core';

type Answer = { readonly text: string; readonly usage: Extract<InferenceEvent, { type: 'finish' }>['usage'] };

const mostCharacters = 20_000;
const timeoutMs = 60_000;

/**
 * Asks the model of an agent from a hook, under the budgets of the run. The text is sent as it is: it has to come from a
 * request that other hooks have finished.
 * @throws Error for a call that fails or ends without a text, and what `callModel` throws
 */
export async function askModel(
  ctx: HookContext,
  given: { readonly model: string | null; readonly task: string; readonly text: string },
): Promise<string> {
  const { model, task, text } = given;
  const request: InferenceRequest = {
    model,
    messages: [Message.system(task, {}, ctx.env), Message.user(text, {}, ctx.env)],
    tools: [],
    toolChoice: 'auto',
    responseFormat: null,
    settings: {},
  };
  const answer = await ctx.callModel<Answer>({
    input: { task, text },
    model,
    timeoutMs,
    call: (signal) => readAnswer(ctx.inference.stream(request, { signal })),
    usageOf: ({ usage }) => usage as Partial<Usage>,
  });
  return answer.text;
}

async function readAnswer(events: AsyncIterable<InferenceEvent>): Promise<Answer> {
  let text = '';
  for await (const event of events) {
    if (event.type === 'error') throw new Error(event.message);
    if (event.type === 'text-delta') text = (text + event.delta).slice(0, mostCharacters);
    if (event.type !== 'finish') continue;
    if (text.trim() === '') throw new Error('The model gave no text.');
    return { text: text.trim(), usage: event.usage };
  }
  throw new Error('The answer broke off.');
}
