import { bridgeTexts } from '@vitrine/inspect/internal/foreign/bridge-texts';
import { finishReasonOf, textOf } from '@vitrine/inspect/internal/foreign/foreign-values';
import type { ObservedSession } from '@vitrine/inspect/internal/foreign/observed-session';
import {
  type ForeignEvent,
  type Meanings,
  type ObservedStream,
  observedStream,
} from '@vitrine/inspect/internal/foreign/observed-stream';

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

/** The meaning of each chunk. `over` is called with the end of the run. */
function handlersOf(session: ObservedSession, over: (end: () => void) => void): Meanings['handlers'] {
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
        root.endStep(finishReasonOf(finishReason));
        session.finish();
      }),
  };
}

/** Maps the chunks of a UI message stream of `ai` 6 and 7 to a watched session. */
export function chatStream(session: ObservedSession): ObservedStream {
  return observedStream(session, (over) => ({
    handlers: handlersOf(session, over),
    isQuiet: (type, isOver) =>
      quiet.has(type) ||
      type.startsWith('data-') ||
      // An abort and an error come before the ends of their step and stream.
      (isOver && (type === 'finish' || type === 'finish-step')),
  }));
}

function callOf({ toolCallId }: ForeignEvent): string {
  return String(toolCallId);
}

type Parts = Parameters<ObservedSession['add']>[0][number]['parts'];

/** The parts of a UI message that a conversation has: texts, reasoning and files. */
export function partsOf(parts: unknown): Parts {
  if (!Array.isArray(parts)) return [];
  return (parts as readonly (ForeignEvent | null)[]).flatMap((part): Parts => {
    if (part?.type === 'text' || part?.type === 'reasoning')
      return [{ type: part.type, text: String(part['text'] ?? '') }];
    if (part?.type !== 'file') return [];
    const { mediaType, url, filename } = part;
    return [{ type: 'file', mediaType: String(mediaType), url: String(url), filename: textOf(filename) }];
  });
}
