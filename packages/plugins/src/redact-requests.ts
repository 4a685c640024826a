import {
  defineHook,
  definePlugin,
  type InferenceEvent,
  type InferenceRequest,
  type JsonValue,
  type Message,
  type MessagePart,
  type Plugin,
} from '@vitrine/core';
import * as z from 'zod/mini';

type Names = ReadonlyMap<string, string>;
/** A value that must not leave, and its kind in capitals, such as `EMAIL`. */
type Found = { readonly kind: string; readonly value: string };
type Change = (text: string) => string;

const shortest = 3;
const mostSessions = 1000;

/**
 * Replaces what must not reach a model by stable names, such as `[EMAIL_3k9x2m]`, in the messages of every request. With
 * `restore`, answers and arguments of calls get the values back as they stream, so tools and people see the real ones.
 * Plugins that stand after it in the list see names.
 *
 * When `detect` throws, or gives a value of fewer than 3 characters, the request is not sent and the run fails.
 */
export function redactRequests(options: {
  /** Finds values in a text of a message. It has to find the same ones each time. */
  readonly detect: (text: string) => readonly Found[];
  /** Puts the values back into what the model answers. Default: true. */
  readonly restore?: boolean;
}): Plugin<unknown, 'redaction'> {
  const { restore = true } = options;
  const sessions = new Map<string, Names>();
  return definePlugin({
    id: 'redaction',
    state: z.unknown(),
    hooks: [
      defineHook({
        name: 'redact-requests',
        on: 'before-inference',
        // Behind all other hooks, which may add texts.
        priority: -1_000_000,
        run(state, ctx): void {
          const { request } = ctx.fields;
          if (request === undefined) return;
          const names = namesOf(request, state.agentId, options.detect);
          sessions.delete(state.agentId);
          sessions.set(state.agentId, names);
          if (sessions.size > mostSessions) sessions.delete([...sessions.keys()][0] ?? '');
          if (names.size > 0) ctx.replace('request', redactMessages(request, names));
        },
      }),
    ],
    async *aroundModel({ agentState }, next) {
      const names = sessions.get(agentState.agentId);
      if (!restore || names === undefined || names.size === 0) return yield* next();
      yield* restoreValues(next(), names);
    },
  });
}

/** The names of all values in a request. They depend on the session and the value alone. */
function namesOf(
  { messages }: InferenceRequest,
  salt: string,
  detect: (text: string) => readonly Found[],
): Names {
  const names = new Map<string, string>();
  const values = new Set<string>();
  const find = (text: string): string => {
    for (const { kind, value } of foundIn(text, detect)) {
      if (values.has(value)) continue;
      values.add(value);
      let name = '';
      for (let n = 0; name === '' || names.has(name); n += 1)
        name = `[${kind.toUpperCase().replaceAll(/[^A-Z]+/g, '_') || 'VALUE'}_${shortHash(`${salt} ${n} ${value}`)}]`;
      names.set(name, value);
    }
    return text;
  };
  for (const message of messages) changedMessage(message, find);
  return names;
}

/** @throws Error without the text, which must not stand in the journal of errors */
function foundIn(text: string, detect: (text: string) => readonly Found[]): readonly Found[] {
  let found: readonly Found[];
  try {
    found = detect(text);
  } catch {
    throw new Error('redactRequests: detect threw, so the request was not sent.');
  }
  const isSound =
    Array.isArray(found) &&
    found.every(
      (one) => typeof one?.kind === 'string' && typeof one.value === 'string' && one.value.length >= shortest,
    );
  if (!isSound)
    throw new Error(
      `redactRequests: detect has to return { kind, value } of at least ${shortest} characters each, so the request was not sent.`,
    );
  return found;
}

function redactMessages(request: InferenceRequest, names: Names): InferenceRequest {
  // The longest first, because one value may be a part of another.
  const pairs = [...names].sort(([, a], [, b]) => b.length - a.length);
  const replace: Change = (text) =>
    pairs.reduce((left, [name, value]) => left.replaceAll(value, () => name), text);
  return { ...request, messages: request.messages.map((message) => changedMessage(message, replace)) };
}

/** The same message when nothing changes, so that a client may remember it. */
function changedMessage(message: Message, change: Change): Message {
  const parts = message.parts.map((part) => changedPart(part, change));
  return parts.every((part, at) => part === message.parts[at]) ? message : { ...message, parts };
}

function changedPart(part: MessagePart, change: Change): MessagePart {
  const fields = Object.entries(part).flatMap(([key, value]) => {
    if (!['text', 'input', 'output', 'url', 'title', 'filename'].includes(key) || value === undefined)
      return [];
    const changed = changedJson(value as JsonValue, change);
    return JSON.stringify(changed) === JSON.stringify(value) ? [] : [[key, changed] as const];
  });
  return fields.length === 0 ? part : { ...part, ...Object.fromEntries(fields) };
}

/** A copy of a value whose texts, keys and numbers are changed. */
function changedJson(value: JsonValue, change: Change): JsonValue {
  return JSON.parse(JSON.stringify(value), (_key, one: unknown) => {
    if (typeof one === 'string') return change(one);
    if (typeof one === 'number') return change(String(one)) === String(one) ? one : change(String(one));
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [change(key), inner]));
  }) as JsonValue;
}

/** The events of a model with the values in place of their names, wherever deltas cut them. */
async function* restoreValues(
  events: AsyncIterable<InferenceEvent>,
  names: Names,
): AsyncGenerator<InferenceEvent> {
  const plain: Change = (text) => text.replaceAll(form, (name) => names.get(name) ?? name);
  // Arguments stream as JSON.
  const inJson: Change = (text) =>
    text.replaceAll(form, (name) => JSON.stringify(names.get(name) ?? name).slice(1, -1));
  const longest = Math.max(...[...names.keys()].map(({ length }) => length));
  const held = new Map<string, Extract<InferenceEvent, { readonly delta: string }>>();
  const release = function* (isDue: (key: string) => boolean): Generator<InferenceEvent> {
    for (const [key, event] of held) {
      if (!isDue(key)) continue;
      held.delete(key);
      if (event.delta !== '')
        yield { ...event, delta: (key.startsWith('call ') ? inJson : plain)(event.delta) };
    }
  };
  for await (const event of events) {
    if (event.type === 'text-delta' || event.type === 'reasoning-delta' || event.type === 'tool-call-delta') {
      const isCall = event.type === 'tool-call-delta';
      const key = isCall ? `call ${event.toolCallId}` : `${event.type} ${event.partId ?? ''}`;
      // Texts keep their order; arguments of calls may come side by side.
      yield* release((other) => other !== key && !other.startsWith('call '));
      const text = (held.get(key)?.delta ?? '') + event.delta;
      const cut = cutOf(text, longest);
      held.set(key, { ...event, delta: text.slice(cut) });
      yield { ...event, delta: (isCall ? inJson : plain)(text.slice(0, cut)) };
      continue;
    }
    yield* release(
      (key) =>
        !key.startsWith('call ') ||
        event.type === 'finish' ||
        event.type === 'error' ||
        ('toolCallId' in event && key === `call ${event.toolCallId}`),
    );
    if (event.type === 'tool-call') yield { ...event, input: changedJson(event.input, plain) };
    else if (event.type === 'tool-elsewhere') yield { ...event, result: changedJson(event.result, plain) };
    else if (event.type === 'source')
      yield { ...event, url: event.url && plain(event.url), title: event.title && plain(event.title) };
    else yield event;
  }
}

const form = /\[[A-Z_]{1,40}_[0-9a-z]{1,12}\]/g;

/** The index from which a text may be the beginning of a name. */
function cutOf(text: string, longest: number): number {
  const open = text.lastIndexOf('[');
  return open === -1 || text.includes(']', open) || text.length - open >= longest ? text.length : open;
}

/** A hash of 53 bits as letters and digits. It is salted by the session, whose id no model is told. */
function shortHash(text: string): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
}
