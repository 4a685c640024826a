import { Usage } from '@vitrine/core';
import type { Context, Handler } from 'hono';
import { admit, type AdmittedCall, type AdmittedInference } from '../guard/admit.ts';
import { announcedBody } from '../guard/body.ts';
import type { GuardEnv } from '../guard/guard.ts';
import { type Hold, leastHeld } from '../guard/held-bytes.ts';
import { type RequestLimits, withLimits } from '../guard/limits.ts';
import { type Admission, createStanding, type Standing } from '../guard/quotas.ts';
import { type Problem, problems, refuse } from '../guard/problems.ts';
import type { ProxyContext } from './proxy-context.ts';
import type { FoundInference } from '../stream/inferences.ts';
import type { ModelCall, SwitchEvent } from '../stream/model-calls.ts';
import type { StreamReport } from '../stream/stream-report.ts';
import type { StandIn } from './stand-ins.ts';
import { readerHeld, servedStream, takeBytes } from './get-inference.ts';

const maxKeyLength = 255;

/** A request for an answer before it is admitted. */
type Asked = {
  readonly context: Context<GuardEnv>;
  readonly limits: RequestLimits;
  readonly key: string | null;
  readonly standing: Standing;
  /** The bytes of the request, reserved until its answer has ended. */
  readonly hold: Hold;
  /** Reserves so many bytes in all, when more arrive than were announced; false when there is no room. */
  readonly makeRoom: (bytes: number) => boolean;
};

type Outcome = (FoundInference & { readonly isNew: boolean }) | { readonly problem: Problem };

/**
 * `POST /v1/inference`: answers with the events of a model as they arrive. The headers are sent at once, so an upstream
 * error is an event. The same `Idempotency-Key` and body give the same stream. Every quota is reserved before it is
 * spent: bytes, a place and a request before the body is read, and the cost before the call.
 */
export function postInference(proxy: ProxyContext): Handler<GuardEnv> {
  const inTurn = createTurns();
  return async (context) => {
    const principal = context.get('principal');
    const key = context.req.header('idempotency-key') || null;
    if (key !== null && key.length > maxKeyLength)
      return refuse(context, problems.invalid(`Idempotency-Key: at most ${maxKeyLength} characters`));
    const limits = withLimits(principal.limits, proxy.limits);
    const body = announcedBody(context.req.raw, limits);
    if ('problem' in body) return refuse(context, body.problem);
    const announced = body.length ?? leastHeld;
    const hold = takeBytes(proxy.held, principal, announced, limits);
    if ('problem' in hold) return refuse(context, hold.problem);
    const readerHold = takeBytes(proxy.held, principal, readerHeld, limits);
    if ('problem' in readerHold) {
      hold.release();
      return refuse(context, readerHold.problem);
    }

    const makeRoom = (bytes: number): boolean => bytes <= announced || hold.resize(bytes);
    const asked: Asked = { context, limits, key, standing: createStanding(), hold, makeRoom };
    // The second of two concurrent requests finds the stream of the first and needs no room of its own.
    const turn = key === null ? null : JSON.stringify([principal.id, key]);
    let outcome: Outcome = { problem: problems.internal };
    try {
      outcome = await inTurn(turn, () => begin(proxy, asked));
    } finally {
      // A new stream holds its bytes to its end; its reader holds some until it leaves.
      if ('problem' in outcome || !outcome.isNew) hold.release();
      if ('problem' in outcome) readerHold.release();
    }
    return answerTo(asked, outcome, readerHold);
  };
}

function answerTo({ context, standing }: Asked, outcome: Outcome, readerHold: Hold): Response {
  const { raw } = context.req;
  // A request that its client aborted is not a malformed one.
  const response =
    'problem' in outcome
      ? refuse(context, raw.signal.aborted ? problems.cancelled : outcome.problem)
      : servedStream(context, outcome, readerHold);
  for (const [name, value] of Object.entries(standing.headers())) response.headers.set(name, value);
  return response;
}

async function begin(proxy: ProxyContext, asked: Asked): Promise<Outcome> {
  const { context, key, standing } = asked;
  const { inferences, quotas } = proxy;
  const principal = context.get('principal');
  // A caller that resumes an answer has paid for it already.
  const isBegun = await inferences.isBegun(principal.id, key);
  if (!isBegun && inferences.running.isClosing) return { problem: problems.shuttingDown };
  if (context.req.raw.signal.aborted) return { problem: problems.cancelled };
  let admission = isBegun ? null : await quotas.enter(principal.id, standing);
  if (admission !== null && 'problem' in admission) return admission;
  let outcome: Outcome = { problem: problems.internal };
  try {
    const admitted = await admit(context.req.raw, principal, proxy, {
      limits: asked.limits,
      makeRoom: asked.makeRoom,
      hasKey: key !== null,
    });
    if ('problem' in admitted) return (outcome = admitted);
    context.get('line').note({ model: admitted.calls[0].model });
    if (isBegun) {
      const found = await inferences.find({ ownerId: principal.id, key, digest: admitted.digest });
      if (found === 'key-reused') return (outcome = { problem: problems.keyReused });
      if (found !== null) return (outcome = { ...found, isNew: false });
      // The stream was forgotten while the body was read.
      const entered = await quotas.enter(principal.id, standing);
      if ('problem' in entered) return (outcome = entered);
      admission = entered;
    }
    return (outcome = await start(proxy, asked, admitted, admission as Admission));
  } finally {
    if ('problem' in outcome || !outcome.isNew) admission?.settle(null);
  }
}

async function start(
  { inferences, report, quotas, standIns }: ProxyContext,
  { context, key, hold }: Asked,
  { calls, digest }: AdmittedInference,
  admission: Admission,
): Promise<Outcome> {
  const line = context.get('line');
  const ownerId = context.get('principal').id;
  const asked = calls[0].model.id;
  // A conversation has a key of its own; requests of older pages have none.
  const conversation = calls[0].request.cache?.key ?? ownerId;
  const standIn = standIns.of(conversation, asked);
  const ordered = calls.toSorted((a, b) => rankOf(b, standIn) - rankOf(a, standIn));
  const [first = callOf(calls[0]), ...others] = ordered.map(callOf);
  const { signal } = context.req.raw;
  // The client has left, so no model is called.
  if (signal.aborted) return { problem: problems.cancelled };
  const refused = await admission.reserve(
    ordered.map(({ model, expected }) => ({ model: model.id, most: expected })),
  );
  if (refused !== null) return { problem: refused };
  if (inferences.running.isClosing) return { problem: problems.shuttingDown };
  if (signal.aborted) return { problem: problems.cancelled };

  let code = standIn?.code ?? null;

  function onSwitch(reported: StreamReport, call: ModelCall, told: SwitchEvent): void {
    code = told.code;
    const usage = paidUsage(reported, call);
    if (!Usage.isNone(usage)) quotas.charge(ownerId, usage, call.request.model ?? asked);
    report({ ...reported, usage });
  }

  function onEnd(reported: StreamReport, call: ModelCall): void {
    hold.release();
    const usage = paidUsage(reported, call);
    const answered = call.request.model ?? asked;
    admission.settle(usage, answered);
    if (code !== null && reported.outcome === 'completed')
      standIns.keep(conversation, asked, { model: answered, code });
    const { inputTokens, outputTokens, cost } = usage;
    const { id, outcome, code: ended, ms, firstEventMs, cause } = reported;
    line.writeAtEnd({ id, outcome, code: ended, inputTokens, outputTokens, cost, ms, firstEventMs, cause });
    report({ ...reported, usage });
  }

  let isNew = false;
  try {
    line.wait(true);
    const started = await inferences.start({
      ...first,
      others,
      switched:
        standIn && first.request.model !== asked
          ? { type: 'switch', from: asked, to: standIn.model, code: standIn.code, afterMs: 0 }
          : null,
      ownerId,
      key,
      digest,
      onSwitch,
      onEnd,
    });
    if (started === 'key-reused') return { problem: problems.keyReused };
    // Another process may have started the same key first.
    isNew = started.isNew;
    return started;
  } finally {
    line.wait(isNew);
  }
}

/** The operator's price takes precedence over a cost that an upstream reports. */
function paidUsage({ usage }: StreamReport, { price }: ModelCall): Usage {
  return price === null ? usage : Usage.withPrice({ ...usage, cost: null }, price);
}

function callOf({ model, request, expected }: AdmittedCall): ModelCall {
  return { client: model.client, request, expected, price: model.price ?? null };
}

/** Puts the model that answers in the place of another one first. */
function rankOf({ model }: AdmittedCall, standIn: StandIn | null): number {
  return model.id === standIn?.model ? 1 : 0;
}

/** Creates a function that runs work of the same name one after the other, in order, and other work concurrently. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return <Value>(name: string | null, run: () => Promise<Value>): Promise<Value> => {
    if (name === null) return run();
    const before = last.get(name) ?? Promise.resolve();
    const turn = before.then(run, run);
    last.set(name, turn);
    const leave = (): void => {
      if (last.get(name) === turn) last.delete(name);
    };
    turn.then(leave, leave);
    return turn;
  };
}
