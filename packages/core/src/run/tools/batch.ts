import type { Tool } from '../../agent/tool.ts';
import { answeredQuestion } from '../../agent/tool-question.ts';
import type { ErrorInfo } from '../../graph/error-info.ts';
import type { ToolApproval } from '../../graph/types.ts';
import { hashText } from '../../kit/hash.ts';
import type { JsonValue } from '../../kit/json.ts';
import { textBytes } from '../estimate-call.ts';
import { commit, stateOf, workKey } from '../run.ts';
import { indexOfCall } from '../state-at.ts';
import type { Batch, Run } from '../slots.ts';

/** The key of a call: its position, the same in an equal run, and the answer to its question. */
export function keyOf(run: Run, id: string): string {
  const calls = stateOf(run).execution?.currentStep?.toolExecutions ?? [];
  const place = indexOfCall(calls, id);
  return workKey(run, `${place}${markOfAnswer(calls[place]?.approval ?? null)}`, 1);
}

/** A part of the key of a call that has the answer to its question; empty for a call that has asked none. */
function markOfAnswer(approval: ToolApproval | null): string {
  const asked = answeredQuestion(approval);
  return asked === null ? '' : `.${hashText(JSON.stringify([asked.form, asked.answer]))}`;
}

/** Takes a turn of a call when no other has one: a hook may read and write a value. An error ends the step. */
export function takeTurn<Value>(batch: Batch, take: () => Promise<Value>): Promise<Value> {
  const mine = batch.turn.then(take).catch((thrown: unknown) => endStep(batch, thrown));
  batch.turn = mine.catch(() => undefined);
  return mine;
}

/** Waits for the calls that came before this one, so that calls begin in their order. */
export function earlierOpened(batch: Batch, id: string): Promise<void> | null {
  const isFirst = (): boolean => batch.opening.values().next().value === id;
  return isFirst() ? null : untilOpened(batch, isFirst);
}

/** Begins a call. It goes on when those that came with it have begun, asked or ended too, so that none works before. */
export async function beginCall(
  batch: Batch,
  toolCallId: string,
  changed: { readonly input?: JsonValue } = {},
): Promise<void> {
  const { run, opening } = batch;
  commit(run, { type: 'tool-start', toolCallId, key: keyOf(run, toolCallId), ...changed });
  const forget = (): void => void (batch.opened = null);
  if (opening.size > 0) batch.opened ??= untilOpened(batch, () => opening.size === 0).finally(forget);
  await batch.opened;
}

/** A call that is slow to open is waited for until nothing else is due. */
function untilOpened({ run }: Batch, isOpened: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const leave = run.lease.subscribe(() => isOpened() && end());
    const cancel = run.env.schedule(0, end);
    function end(): void {
      leave();
      cancel();
      resolve();
    }
  });
}

/** Ends the step of a call: none of its calls begins from now on. @throws the given error */
export function endStep(batch: Batch, thrown: unknown): never {
  batch.fatal ??= { thrown };
  throw thrown;
}

/** Bytes reserved for the sentence that says how much was cut. */
const noteBytes = 160;

const mostBytesOfUnit = 3;

/**
 * Cuts the result of a tool to the bytes that the tool or its agent allows. A longer result becomes text:
 * its beginning (of its JSON, unless it was text) and a sentence that tells the model how much was cut.
 */
export function cutResult(run: Run, tool: Tool | undefined, result: JsonValue): JsonValue {
  return cutToBytes(result, tool?.maxResultBytes ?? run.agent.maxResultBytes ?? Infinity);
}

/** Cuts a result to so many bytes of JSON, as {@link cutResult} does. */
export function cutToBytes(result: JsonValue, most: number): JsonValue {
  if (most === Infinity) return result;
  const json = JSON.stringify(result);
  if (json.length * mostBytesOfUnit <= most) return result;
  const bytes = textBytes(json);
  if (bytes <= most) return result;
  return cutText(typeof result === 'string' ? result : json, bytes, most);
}

/** Cuts an error message like a result, because the model receives it. */
export function cutError(run: Run, tool: Tool | undefined, error: ErrorInfo): ErrorInfo {
  const message = cutResult(run, tool, error.message);
  return message === error.message ? error : { ...error, message: message as string };
}

/** The part of a text that fits into the given bytes of JSON, followed by the sentence. */
function cutText(text: string, total: number, most: number): string {
  const room = Math.max(0, most - noteBytes);
  let kept = 0;
  let end = 0;
  for (const character of text) {
    const size = jsonBytes(character);
    if (kept + size > room) break;
    kept += size;
    end += character.length;
  }
  return `${text.slice(0, end)}\n[Cut: these are the first ${kept} bytes of a result of ${total}; ${total - kept} bytes are left out.]`;
}

function jsonBytes(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (character === '"' || character === '\\') return 2;
  if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) return 6;
  if (code < 0x80) return 1;
  return code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}
