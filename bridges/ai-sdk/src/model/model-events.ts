import { unreported } from '@vitrine/core/internal/graph/usage-of-call';
import type {
  InferenceCall,
  InferenceEvent,
  InferenceRequest,
} from '@vitrine/core/internal/model/inference-client';
import type { ModelStreamPart } from './language-model.ts';
import { toInferenceEvent } from './to-inference-event.ts';
import { isUnreadable, isWithoutEnd, unreadableEvent, upstreamErrorEvent } from './upstream-error.ts';

const brokenOff: InferenceEvent = {
  type: 'error',
  code: 'stream-incomplete',
  message: 'The answer broke off: the provider ended the stream without saying that it was finished.',
  retryable: true,
  retryAfterMs: null,
};

/** The events of one model call, which begins when the first is requested. Only one request may be pending. */
export function modelEvents(
  open: () => Promise<ReadableStream<ModelStreamPart>>,
  { tools, settings }: Pick<InferenceRequest, 'tools' | 'settings'>,
  { signal, onError = () => undefined }: InferenceCall,
): AsyncIterator<InferenceEvent, undefined> {
  let reader: ReadableStreamDefaultReader<ModelStreamPart> | null = null;
  let isOver = false;
  const asked = Object.keys(settings).filter((name) => settings[name] !== null);
  const answer = createAnswer(
    tools.map(({ name }) => name),
    asked,
  );

  /** Also ends a stream that opens, or a read that is answered, only afterwards. */
  function close(): void {
    isOver = true;
    void reader?.cancel().catch(() => undefined);
  }

  const over: IteratorResult<InferenceEvent, undefined> = { done: true, value: undefined };

  return {
    async next() {
      try {
        if (reader === null && !isOver) {
          reader = (await open()).getReader();
          if (isOver) close();
        }
        while (reader !== null && !isOver) {
          const { done, value } = await reader.read();
          if (isOver) break;
          if (!done && value.type === 'error') onError(value.error);
          const event = done ? answer.end() : answer.take(value);
          if (event?.type === 'finish' || event?.type === 'error') close();
          if (event !== null) return { done: false, value: event };
        }
        return over;
      } catch (error) {
        const isLeft = isOver;
        close();
        if (signal.aborted) throw signal.reason;
        if (isLeft) return over;
        onError(error);
        return { done: false, value: upstreamErrorEvent(error, reader !== null) };
      }
    },
    async return() {
      close();
      return { done: true, value: undefined };
    },
  };
}

type Answer = {
  readonly take: (part: ModelStreamPart) => InferenceEvent | null;
  /** The last event of a stream that ended without one. */
  readonly end: () => InferenceEvent;
};

/** Converts the parts of one answer. Unreadable frames, and a missing finish reason, fail only an empty answer. */
function createAnswer(toolNames: readonly string[], settings: readonly string[]): Answer {
  const nameParts = createPartNames();
  /** The settings that the model does not support. */
  let unsupported: readonly string[] = [];
  let skippedFrames = 0;
  let isUnfinished = false;
  let hasContent = false;

  function finishEvent(told: Extract<InferenceEvent, { type: 'finish' }>, isSaid: boolean): InferenceEvent {
    const event = unsupported.length === 0 ? told : { ...told, unsupportedSettings: unsupported };
    if (skippedFrames === 0 && !isUnfinished) return event;
    // Packages end an answer with an error behind a frame that they could not read.
    if (!isSaid && !hasContent) return unreadableEvent;
    const skipped = skippedFrames === 0 ? {} : { skippedFrames };
    return { ...event, ...(isSaid ? {} : { finishReason: 'other' }), ...skipped };
  }

  return {
    take(part) {
      if (part.type === 'error' && isUnreadable(part.error)) {
        skippedFrames++;
        return null;
      }
      if (part.type === 'error' && isWithoutEnd(part.error)) {
        isUnfinished = true;
        return null;
      }
      if (part.type === 'stream-start') unsupported = unsupportedIn(part, settings);
      const event = toInferenceEvent(nameParts(part));
      if (event === null) return null;
      hasContent ||= isContent(event);
      if ('toolName' in event) return { ...event, toolName: offeredName(toolNames, event.toolName) };
      const isSaid = part.type === 'finish' && isReasonOfProvider(part.finishReason);
      return event.type === 'finish' ? finishEvent(event, isSaid) : event;
    },
    end() {
      if (skippedFrames === 0) return brokenOff;
      return finishEvent({ type: 'finish', finishReason: 'other', usage: unreported }, false);
    },
  };
}

/** The asked settings that a warning names. A package warns of a value that it changes in the same way. */
function unsupportedIn(
  { warnings = [] }: Extract<ModelStreamPart, { type: 'stream-start' }>,
  settings: readonly string[],
): readonly string[] {
  const unsupported = warnings.filter(({ type }) => type.startsWith('unsupported'));
  const named = unsupported.map(({ feature, setting }) => feature ?? setting);
  return settings.filter((name) => named.includes(name));
}

function isContent(event: InferenceEvent): boolean {
  if (event.type === 'text-delta') return event.delta !== '';
  return event.type === 'tool-call' || event.type === 'file';
}

const unsaid = ['error', 'interrupted', 'other', 'unknown'];

/** True for a finish reason that the provider gave; packages end an answer without one by a reason of their own. */
function isReasonOfProvider(reason: Extract<ModelStreamPart, { type: 'finish' }>['finishReason']): boolean {
  return typeof reason === 'string' || reason.raw !== undefined || !unsaid.includes(reason.unified);
}

/** Gives a part that begins again under the id of an ended one an id of its own, so that both stay in their order. */
function createPartNames(): (part: ModelStreamPart) => ModelStreamPart {
  const ended = new Set<string>();
  const names = new Map<string, string>();
  let count = 0;
  return (part) => {
    if (!/^(?:text|reasoning)-/.test(part.type) || !('id' in part) || part.id === undefined) return part;
    const { id } = part;
    if (part.type.endsWith('-start') && ended.delete(id)) names.set(id, `${id}~${++count}`);
    if (part.type.endsWith('-end')) ended.add(id);
    const name = names.get(id);
    return name === undefined ? part : { ...part, id: name };
  };
}

/**
 * The name of the offered tool that a model means: models put a namespace before a name (`functions.read`), or leave
 * marks of their template behind it (`read<|channel|>commentary`). A name that no single tool has stays.
 */
function offeredName(offered: readonly string[], name: string): string {
  if (offered.includes(name)) return name;
  const bare = name.split('<|', 1)[0]?.trim() ?? '';
  const last = Math.max(...['.', ':', '/'].map((sign) => bare.lastIndexOf(sign)));
  const wanted = [bare, bare.slice(last + 1)].map((one) => one.toLowerCase());
  const meant = offered.filter((one) => wanted.includes(one.toLowerCase()));
  return meant.length === 1 && meant[0] !== undefined ? meant[0] : name;
}
