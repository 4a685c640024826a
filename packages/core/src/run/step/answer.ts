import { untilAborted } from '../../kit/async.ts';
import type { Message } from '../../graph/message.ts';
import type { JsonValue } from '../../kit/json.ts';
import type { InferenceEvent, InferenceRequest } from '../../model/inference-client.ts';
import { normalizeInferenceEvent } from '../../model/normalize-inference-event.ts';
import { type RecordedAnswer, recordAnswer } from '../perform-call.ts';
import { type Run, stateOf } from '../run.ts';
import { toErrorInfo } from '../run-hooks.ts';
import type { Receiver } from './receive.ts';

/** True for a run with an effect log. A replay answers through one, and repeats a run with or without. */
export function hasLog({ effects, recording }: Run): boolean {
  return effects !== null && recording === null;
}

type AnswerOptions = {
  /** The request as clients receive it. */
  readonly wire: InferenceRequest;
  readonly key: string;
  readonly inferenceId: string;
  /** True for a call that a reload interrupted. */
  readonly hasBegun: boolean;
  /** Called before the model, unless the answer is recorded. */
  readonly prepareAgain: () => Promise<void>;
  /** Commits the start of the call. */
  readonly begin: () => void;
};

/** The answer of the model, or the recorded one. */
export function askModel(
  run: Run,
  { wire, key, inferenceId, hasBegun, prepareAgain, begin }: AnswerOptions,
): RecordedAnswer {
  const stream = (signal: AbortSignal): AsyncIterable<InferenceEvent> =>
    run.agent.inference.stream(wire, { signal, inferenceId, agentId: stateOf(run).agentId });
  const { effects } = run;
  if (!hasLog(run)) begin();
  if (effects === null) return { events: () => stream(run.signal), isNew: () => true, thrownBy: () => null };
  const input = wire as unknown as JsonValue;
  const recorded = recordAnswer(run, effects, {
    effect: { key, kind: 'model', name: wire.model ?? '', effects: 'idempotent', input, hasBegun },
    answer: (signal) => wholeAnswer(stream(signal), signal),
    async before() {
      await prepareAgain();
      begin();
    },
    describe: (thrown) => toErrorInfo(run, thrown),
  });
  return hasLog(run) ? recorded : { ...recorded, isNew: () => true };
}

/** The events of an answer in the accepted shape, up to the one that ends it. */
async function* wholeAnswer(
  stream: AsyncIterable<unknown>,
  signal: AbortSignal,
): AsyncGenerator<InferenceEvent> {
  for await (const raw of untilAborted(stream, signal)) {
    const event = normalizeInferenceEvent(raw);
    if (event === null) continue;
    yield event;
    if (event.type === 'finish' || event.type === 'error') return;
  }
}

/** Reads the stream. @returns the error event of the stream, or null. */
export async function receive(
  run: Run,
  { events, thrownBy }: RecordedAnswer,
  receiver: Receiver,
  begin: () => void,
): Promise<Extract<InferenceEvent, { type: 'error' }> | null> {
  let failed: Extract<InferenceEvent, { type: 'error' }> | null = null;
  for await (const raw of untilAborted(events(), run.signal)) {
    // A recorded answer begins with its first event.
    begin();
    const event = normalizeInferenceEvent(raw);
    if (event === null) {
      const error = thrownBy(raw);
      if (error !== null) throw error.thrown;
      continue;
    }
    if (event.type === 'error') failed = event;
    else receiver.take(event);
    // A log has recorded the answer when its stream has ended.
    if (run.effects === null && (failed !== null || receiver.finish() !== null)) break;
  }
  begin();
  return failed;
}

/** Error codes of a request whose content the model or its provider does not take. */
const refusedContent: readonly string[] = ['upstream-invalid-request', 'request-not-supported'];

/** A sentence with the files of the person's last message, when they may be the cause of an error; empty otherwise. */
export function refusedFiles(code: string, messages: readonly Message[]): string {
  if (!refusedContent.includes(code)) return '';
  const parts = messages.findLast(({ role }) => role === 'user')?.parts ?? [];
  const names = parts.flatMap((part) => (part.type === 'file' ? [part.filename ?? part.mediaType] : []));
  if (names.length === 0) return '';
  const listed = names
    .slice(0, 5)
    .map((name) => JSON.stringify(name))
    .join(', ');
  return ` It came with ${listed}: send the message without, or give the content in another format.`;
}
