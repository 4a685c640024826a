import type { Context } from 'hono';
import { anyone, type GuardEnv, type Principal } from '../guard/guard.ts';
import type { HeldBytes, Hold } from '../guard/held-bytes.ts';
import type { RequestLimits } from '../guard/limits.ts';
import { type Problem, problems } from '../guard/problems.ts';
import { eventStream } from '../stream/event-stream.ts';
import type { FoundInference } from '../stream/inferences.ts';

/** Bytes of a reader: a page of its stream and a connection. */
export const readerHeld = 64 * 1024;

export function takeBytes(
  held: HeldBytes,
  principal: Principal,
  bytes: number,
  { heldBytes }: Pick<RequestLimits, 'heldBytes'>,
): Hold | { readonly problem: Problem } {
  // Without a sign-in one principal stands for everybody. The largest body fits beside its reader.
  const ownMost = principal === anyone ? Infinity : heldBytes + readerHeld;
  const hold = held.take(principal.id, bytes, ownMost);
  if (hold === 'own') return { problem: problems.tooManyBytes };
  return hold === 'all' ? { problem: problems.serverBusy } : hold;
}

/** Answers with a stream and notes it in the log line. The bytes of its reader are held until it leaves. */
export function servedStream(
  context: Context<GuardEnv>,
  { id, reader }: FoundInference,
  hold: Hold,
): Response {
  context.get('line').note({ id });
  const cancel = (): void => {
    reader.cancel();
    hold.release();
  };
  return eventStream(id, { ...reader, cancel }, context.req.raw);
}
