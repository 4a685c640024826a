import type { FinishReason } from '@vitrine/core/types';
import { bridgeTexts } from '../bridge-texts.ts';
import type { StreamEnd } from '../observations.ts';
import { textOf } from '../foreign-values.ts';
import type { ObservedSession } from '../observed-session.ts';

/** A chunk of a UI message stream, as any version of the AI SDK sends it. */
type Chunk = { readonly type: string; readonly [field: string]: unknown };

/** Takes the chunks of one answer of a chat. */
export type ChatStream = {
  readonly take: (chunk: unknown) => void;
  /** The stream has ended, was cancelled (`stopped`), or failed with an error. */
  readonly end: (how: StreamEnd) => void;
};

/** Chunks that say nothing that the journal has a place for. */
const quiet = new Set([
  'start',
  'text-start',
  'text-end',
  'reasoning-start',
  'reasoning-end',
  'message-metadata',
  'custom',
  'reasoning-file',
]);

const reasons: readonly unknown[] = ['stop', 'length', 'tool-calls', 'content-filter', 'error', 'other'];

type Handlers = { readonly [type: string]: (chunk: Chunk) => void };

/** The meaning of each chunk. `over` is called with the end of the run. */
function handlersOf(session: ObservedSession, over: (end: () => void) => void): Handlers {
  const { root } = session;
  const approvals = new Map<string, string>();
  return {
    'start-step': () => root.beginStep(),
    // The reason of the last step comes with the end of the stream.
    'finish-step': () => root.endStepWithCalls(),
    'reset-step': () => root.resetStep(),
    'text-delta': ({ id, delta }) => root.text(String(id), String(delta ?? '')),
    'reasoning-delta': ({ id, delta }) => root.text(String(id), String(delta ?? ''), 'reasoning-delta'),
    'tool-input-start': (chunk) => root.startCall(callOf(chunk), String(chunk['toolName'])),
    'tool-input-delta': (chunk) => root.growCall(callOf(chunk), String(chunk['inputTextDelta'] ?? '')),
    'tool-input-available': (chunk) =>
      root.giveCall(callOf(chunk), String(chunk['toolName']), chunk['input'] ?? {}),
    'tool-input-error': (chunk) => {
      root.giveCall(callOf(chunk), String(chunk['toolName']), chunk['input'] ?? {});
      root.settle(callOf(chunk), { outcome: 'failed', error: String(chunk['errorText']) });
    },
    'tool-approval-request': (chunk) => {
      approvals.set(String(chunk['approvalId']), callOf(chunk));
      root.ask(callOf(chunk), 'approval', textOf(chunk['reason']));
    },
    'tool-approval-response': ({ approvalId, approved, reason }) =>
      root.answer(approvals.get(String(approvalId)) ?? '', approved === true, textOf(reason)),
    'tool-output-available': (chunk) =>
      chunk['preliminary'] === true
        ? root.progress(callOf(chunk), chunk['output'])
        : root.settle(callOf(chunk), { outcome: 'completed', output: chunk['output'] }),
    'tool-output-error': (chunk) =>
      root.settle(callOf(chunk), { outcome: 'failed', error: String(chunk['errorText']) }),
    'tool-output-denied': (chunk) => {
      if (!root.isSettled(callOf(chunk))) root.settle(callOf(chunk), { outcome: 'rejected' });
    },
    'source-url': ({ sourceId, url, title }) =>
      root.cite({ id: String(sourceId), url: textOf(url), title: textOf(title) }),
    'source-document': ({ sourceId, title }) =>
      root.cite({ id: String(sourceId), url: null, title: textOf(title) }),
    file: ({ url, mediaType }) =>
      root.file({ type: 'file', mediaType: String(mediaType), url: String(url), filename: null }),
    'steering-message': ({ id, parts }) =>
      session.add([{ id: String(id), role: 'user', parts: partsOf(parts) }]),
    abort: ({ reason }) => over(() => session.stop(textOf(reason) ?? bridgeTexts.stopped)),
    error: ({ errorText }) =>
      over(() => session.fail(new Error(textOf(errorText) ?? bridgeTexts.streamFailed))),
    finish: ({ finishReason }) =>
      over(() => {
        root.endStep(reasons.includes(finishReason) ? (finishReason as FinishReason) : null);
        session.finish();
      }),
  };
}

/** Maps the chunks of a UI message stream of `ai` 6 and 7 to a watched session. */
export function chatStream(session: ObservedSession): ChatStream {
  let isOver = false;
  const over = (end: () => void): void => {
    isOver = true;
    end();
  };
  const handlers = handlersOf(session, over);

  return {
    take: (given) =>
      session.guarded(() => {
        const chunk = given as Chunk | null;
        const type = textOf(chunk?.type) ?? bridgeTexts.untyped;
        if (chunk === null || quiet.has(type) || type.startsWith('data-')) return;
        const handler = Object.hasOwn(handlers, type) ? handlers[type] : undefined;
        if (handler === undefined) session.skip(type);
        else if (!isOver) handler(chunk);
        else if (type !== 'finish' && type !== 'finish-step') session.skip(bridgeTexts.afterEnd(type));
      }),
    end: ({ stopped, error }) =>
      session.guarded(() => {
        if (isOver) return;
        if (stopped !== undefined) return over(() => session.stop(stopped));
        if (error !== undefined) return over(() => session.fail(error));
        session.skip(bridgeTexts.withoutEnd);
        over(() => session.stop(bridgeTexts.endedSilently));
      }),
  };
}

function callOf({ toolCallId }: Chunk): string {
  return String(toolCallId);
}

type Parts = Parameters<ObservedSession['add']>[0][number]['parts'];

/** The parts of a UI message that a conversation has: texts, reasoning and files. */
export function partsOf(parts: unknown): Parts {
  if (!Array.isArray(parts)) return [];
  return (parts as readonly (Chunk | null)[]).flatMap((part): Parts => {
    if (part?.type === 'text' || part?.type === 'reasoning')
      return [{ type: part.type, text: String(part['text'] ?? '') }];
    if (part?.type !== 'file') return [];
    const { mediaType, url, filename } = part;
    return [{ type: 'file', mediaType: String(mediaType), url: String(url), filename: textOf(filename) }];
  });
}
