import { createAnthropic } from '@ai-sdk/anthropic';
import type { JsonObject, JsonValue } from '@vitrine/core';
import { isObject } from '../kit/is-object.ts';
import { errorIn, type Frame, frameOf, type FrameReader, type Sent, unreadable } from './answer-frames.ts';
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

/** Reads Anthropic's messages as servers of this protocol send them, whole or in events. */
function messageFrames(): FrameReader {
  let hasBegun = false;
  let hasReason = false;
  let hasStopped = false;

  /** The event, behind the beginning that its package asks for before all else. */
  function behindStart(...frames: readonly Sent[]): readonly Sent[] {
    if (hasBegun) return frames;
    hasBegun = true;
    return [startOf({}), ...frames];
  }

  function readEvent(value: JsonObject): readonly Sent[] {
    const { type } = value;
    if (type === 'message_start') return begin(value);
    const error = type === 'error' ? errorIn(value) : null;
    if (error !== null) return [errorFrame(error)];
    if (type === 'message_delta') return behindStart(deltaOf(value));
    if (type === 'message_stop') hasStopped = true;
    return behindStart(
      ...(type === 'content_block_start' ? startBlock(withIndex(value)) : [frameOf(withIndex(value))]),
    );
  }

  /** A message begins once; gateways that join answers begin it again. */
  function begin({ message }: JsonObject): readonly Frame[] {
    if (hasBegun) return [];
    hasBegun = true;
    return [startOf(isObject(message) ? message : {})];
  }

  function deltaOf(value: JsonObject): Frame {
    const delta = isObject(value['delta']) ? value['delta'] : {};
    hasReason ||= typeof delta['stop_reason'] === 'string';
    const usage = isObject(value['usage']) ? value['usage'] : {};
    return frameOf({ ...value, delta, usage: { ...usage, output_tokens: figureOf(usage['output_tokens']) } });
  }

  const replaceLost = (): readonly Sent[] => behindStart(unreadable);

  return {
    read({ event, value }) {
      const type = typeof value['type'] === 'string' ? value['type'] : event;
      if (type === 'ping' || Object.keys(value).length === 0) return [];
      if (type === '') return replaceLost();
      const events = type === 'message' ? eventsOf(value) : [{ ...value, type }];
      return events.flatMap(readEvent);
    },
    replaceLost,
    // A message whose reason has come has ended.
    end: () => (hasReason && !hasStopped ? [frameOf({ type: 'message_stop' })] : []),
  };
}

function startOf({ id, model, usage: given }: JsonObject): Frame {
  const usage = isObject(given) ? given : {};
  const message = {
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof model === 'string' ? { model } : {}),
    usage: { ...numbersOf(usage), input_tokens: figureOf(usage['input_tokens']) },
  };
  return frameOf({ type: 'message_start', message });
}

/** The figures of a usage, and those of its writes to the cache by their life. */
function numbersOf(usage: JsonObject): JsonObject {
  const numbers = Object.entries(usage).filter(([, count]) => typeof count === 'number');
  const { cache_creation: written } = usage;
  return { ...Object.fromEntries(numbers), ...(isObject(written) ? { cache_creation: written } : {}) };
}

function figureOf(value: JsonValue | undefined): number {
  const figure = Number(value ?? 0);
  return Number.isFinite(figure) ? figure : 0;
}

/** An event of a block with its index as a number. */
function withIndex(value: JsonObject): JsonObject {
  const { index } = value;
  return index === undefined ? value : { ...value, index: figureOf(index) };
}

/** The beginning of a block, and the text that it brings along, which its package passes over. */
function startBlock(value: JsonObject): readonly Frame[] {
  const { index = 0, content_block: block } = value;
  const field = isObject(block) ? { text: 'text', thinking: 'thinking' }[String(block['type'])] : undefined;
  if (!isObject(block) || field === undefined) return [frameOf(value)];
  const text = block[field] ?? '';
  const beginning = frameOf({ ...value, content_block: { ...block, [field]: '' } });
  if (text === '') return [beginning];
  const delta = { type: `${field}_delta`, [field]: text };
  return [beginning, frameOf({ type: 'content_block_delta', index, delta })];
}

function errorFrame({ message = '', type = 'api_error', code }: JsonObject): Frame {
  const status = typeof code === 'number' ? { statusCode: code } : {};
  return frameOf({ type: 'error', error: { type: String(type), message, ...status } });
}

function eventsOf(message: JsonObject): readonly JsonObject[] {
  const { content, stop_reason: reason = null, usage = {} } = message;
  const blocks: readonly JsonValue[] = Array.isArray(content)
    ? content
    : [{ type: 'text', text: content ?? '' }];
  return [
    { type: 'message_start', message },
    ...blocks.flatMap((block, index) => (isObject(block) ? wholeBlock(block, index) : [])),
    { type: 'message_delta', delta: { stop_reason: reason }, usage },
    { type: 'message_stop' },
  ];
}

function wholeBlock(block: JsonObject, index: number): readonly JsonObject[] {
  const { type, text, thinking, signature, input, ...rest } = block;
  const deltas: readonly JsonObject[] = [
    ...(typeof text === 'string' ? [{ type: 'text_delta', text }] : []),
    ...(typeof thinking === 'string' ? [{ type: 'thinking_delta', thinking }] : []),
    ...(typeof signature === 'string' ? [{ type: 'signature_delta', signature }] : []),
    ...(isObject(input) ? [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }] : []),
  ];
  return [
    { type: 'content_block_start', index, content_block: { type: type ?? '', ...rest } },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}
