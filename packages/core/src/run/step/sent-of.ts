import { rangesOf } from '../../graph/sent.ts';
import { type Message, text } from '../../graph/message.ts';
import type { SentRequest } from '../../graph/types.ts';
import { hashText } from '../../kit/hash.ts';
import { memoize, nothing } from '../../kit/memoize.ts';
import type { JsonValue } from '../../kit/json.ts';
import type { InferenceRequest } from '../../model/inference-client.ts';
import { type Run, stateOf } from '../run.ts';

const hashOf = memoize((value: object): string => hashText(JSON.stringify(value)));
let lastPrompt = { text: '', hash: hashText('') };

function hashOfPrompt(prompt: string): string {
  if (lastPrompt.text !== prompt) lastPrompt = { text: prompt, hash: hashText(prompt) };
  return lastPrompt.hash;
}

/**
 * The content of a request by reference, and those of its texts that the state does not hold yet.
 * @param known The messages after the system prompt, when they are known as a list.
 * @param inferenceId Id of the call; a new one by default.
 */
export function sentOf(
  run: Run,
  request: InferenceRequest,
  known: readonly Message[] | null,
  inferenceId: string = run.env.id(),
): { sent: SentRequest; texts: { readonly [hash: string]: JsonValue } } {
  const state = stateOf(run);
  const isSystem = request.messages[0]?.role === 'system';
  const prompt = isSystem && request.messages[0] ? text(request.messages[0]) : '';
  const conversation = known ?? (isSystem ? request.messages.slice(1) : request.messages);
  const { ranges, extra, ...traces } = rangesOf(state, conversation);
  const { model, settings, toolChoice, tools, responseFormat } = request;
  const sent: SentRequest = {
    inferenceId,
    model,
    settings,
    toolChoice,
    prompt: hashOfPrompt(prompt),
    tools: hashOf(tools),
    responseFormat: responseFormat === null ? null : hashOf(responseFormat),
    messages: ranges,
    ...traces,
    extra,
    omitted: nothing,
  };
  const texts: Record<string, JsonValue> = {};
  const note = (hash: string, value: JsonValue): void => {
    if (!Object.hasOwn(state.texts, hash)) texts[hash] = value;
  };
  note(sent.prompt, prompt);
  note(sent.tools, tools as unknown as JsonValue);
  if (sent.responseFormat !== null) note(sent.responseFormat, responseFormat as unknown as JsonValue);
  return { sent, texts };
}
