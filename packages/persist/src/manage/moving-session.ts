import { withoutChosenModel } from '@vitrine/core/internal/graph/agent-state/chosen-model';
import { storageKey } from '@vitrine/core/internal/graph/agent-state/remembered';
import { ownJson } from '@vitrine/core/internal/graph/document/document';
import { type Env, systemEnv } from '@vitrine/core/internal/graph/env';
import type { Message } from '@vitrine/core/internal/graph/message';
import type { MessageStore } from '@vitrine/core/internal/graph/message-store';
import type { AgentState, AgentStep, ToolExecution } from '@vitrine/core/internal/graph/types';
import { AgentError, isAgentError } from '@vitrine/core/internal/kit/agent-error';
import * as errors from '@vitrine/core/internal/kit/errors';
import type { JsonObject } from '@vitrine/core/internal/kit/json';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import { branchMessages } from '@vitrine/core/internal/session/branches/branch-messages';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import type { MovingSession } from '@vitrine/core/internal/session/store/session-move';
import type {
  SessionCheckpoint,
  SessionRecord,
  SessionStore,
} from '@vitrine/core/internal/session/store/session-store';
import { readRecord } from '../writer/plan-write.ts';
import { notFound } from './change-sessions.ts';
import { putFiles, withFiles } from './document-files.ts';
import { readSessionDocument, writeRecord } from './session-document.ts';
import { withoutOrders, withoutOrdersAt } from './without-trust.ts';

/**
 * Writes a stored session for another store: journal, queue, branches, runs and files. @throws AgentError
 * `session-not-found`, and the errors of the store
 */
export async function writeMovingSession(
  store: SessionStore,
  id: string,
  { moveId, env = systemEnv }: { readonly moveId: string; readonly env?: Env },
): Promise<MovingSession> {
  const record = loadedSession(await store.load(id));
  if (record === null) throw notFound(id);
  const { journal } = record;
  const earlier = (await store.runs?.(id)) ?? [];
  // Runs that ended in the tail come with its events.
  const replaced = new Set(liveRecord(record).replacedRuns.map(({ executionId }) => executionId));
  const runs = earlier.filter(({ executionId }) => !replaced.has(executionId));
  const whole = await withFiles(writeRecord(record, runs, Math.round(env.now())), store);
  return {
    moveId,
    journal: { id: journal.id, records: journal.records },
    document: ownJson(whole) as JsonObject,
  };
}

/** The session that a moving one becomes in another store. */
export type TakenSession = { readonly sessionId: string; readonly agentName: string };

/**
 * Keeps a session that a page moves here, whose run then goes on. Given again, it changes nothing: the stored session may
 * have gone on since. The page is not trusted with orders: system prompt, system messages, model, response format, grants
 * and remembered approvals are left out, and so are the names of persons, which only a server knows.
 * @throws AgentError `state-invalid` for one that cannot be read, `session-conflict` when another session has the id,
 * `session-deleted` when that one was removed, and the errors of the store; then nothing was written.
 */
export async function takeMovingSession(
  store: SessionStore,
  given: unknown,
  { sessionId, agentName }: TakenSession,
  { env = systemEnv }: { env?: Env } = {},
): Promise<void> {
  const { moveId, journal, document } = checkMoving(given);
  const { record, runs, files, tail } = readSessionDocument(document, store);
  const { movedTo: _movedTo, ...head } = record;
  const whole = {
    ...head,
    id: sessionId,
    agentName,
    version: 0,
    journal: { ...journal, tail: tail.map(withoutName) },
  };
  const session = withoutOrdersIn(withoutNames(whole), env);
  if (await isThere(store, session, moveId)) return;
  await putFiles(files, store, sessionId);
  try {
    await store.save(session, { expectedVersion: 0, newRuns: runs, commands: [moveId] });
  } catch (thrown) {
    // The same request may have come twice.
    if (!isAgentError(thrown, 'session-conflict') || !(await isThere(store, session, moveId))) throw thrown;
  }
}

function checkMoving(given: unknown): MovingSession {
  const { moveId, journal, document } = (given ?? {}) as Partial<MovingSession>;
  const isJournal = typeof journal?.id === 'string' && Number.isSafeInteger(journal.records);
  if (typeof moveId !== 'string' || !isJournal || journal.records < 0 || document === undefined)
    throw errors.stateInvalid({ path: '', what: 'it is not a session that moves' });
  return { moveId, journal: { id: journal.id, records: journal.records }, document };
}

/** True when the store has taken this move; also when the session went on since, or was deleted there. */
async function isThere(store: SessionStore, moving: SessionRecord, moveId: string): Promise<boolean> {
  const found = loadedSession(await store.load(moving.id));
  if (found === null) return false;
  if (found.taken?.includes(moveId) === true) return true;
  const text = JSON.stringify([found.state, found.journal.tail, found.branches, found.queue]);
  const said = [...branchMessages(liveRecord(moving).state), ...moving.queue];
  const isSame = said.length > 0 && said.every(({ id }) => text.includes(JSON.stringify(id)));
  if (isSame) return true;
  const message = `Another session has the id ${JSON.stringify(moving.id)} there. Import this one under another id instead.`;
  throw new AgentError('session-conflict', message, { data: { id: moving.id } });
}

/** The session without orders. Where there are any, all events are folded in, because they may repeat them. */
function withoutOrdersIn(record: SessionRecord, env: Env): SessionRecord {
  const { live } = readRecord(record);
  const lines = [live.state, ...record.branches.map(({ state }) => state)];
  const rest = {
    ...record,
    queue: record.queue.map(({ options: _model, ...message }) => message),
    executionStatus: live.state.execution?.status ?? null,
  };
  if (!lines.some(hasOrders) && !live.checkpoints.some(hasOrdersAt)) return rest;
  return {
    ...rest,
    journal: { id: env.id(), records: 0, tail: [] },
    branches: record.branches.map((branch) => ({ ...branch, state: withoutOrders(branch.state, env) })),
    checkpoints: live.checkpoints.map(withoutOrdersAt),
    state: withoutOrders(live.state, env),
  };
}

function hasOrders(state: AgentState): boolean {
  const { llmConfig, context, plugins, execution } = state;
  const { systemPrompt, responseFormat, store } = context;
  const calls = execution?.currentStep?.toolExecutions ?? [];
  return (
    systemPrompt !== '' ||
    responseFormat !== null ||
    llmConfig !== null ||
    execution?.grants !== undefined ||
    execution?.turnModel !== undefined ||
    withoutChosenModel(state) !== state ||
    hasOrdersAt({ store, plugins }) ||
    calls.some(({ childState }) => childState !== null && hasOrders(childState))
  );
}

function hasOrdersAt({ store, plugins }: Pick<SessionCheckpoint, 'store' | 'plugins'>): boolean {
  const hasSystem = store.sections.some(({ messages }) => messages.some(({ role }) => role === 'system'));
  return hasSystem || Object.hasOwn(plugins, storageKey);
}

/** A session of a page without the principals that it names: only a server knows who gave a command. */
function withoutNames(record: SessionRecord): SessionRecord {
  return {
    ...record,
    state: withoutNamesIn(record.state),
    branches: record.branches.map((branch) => ({ ...branch, state: withoutNamesIn(branch.state) })),
    checkpoints: record.checkpoints.map((point) => ({ ...point, store: unnamedStore(point.store) })),
    queue: record.queue.map(({ by: _by, ...message }) => message),
  };
}

function withoutName(event: AgentChange): AgentChange {
  const { by: _by, ...rest } = event as AgentChange & { readonly by?: string };
  if (rest.type === 'message-add') return { ...rest, message: unnamedMessage(rest.message) };
  if (rest.type !== 'stop-signal') return rest as AgentChange;
  const { by: _stoppedBy, ...context } = rest.signal.context;
  return { ...rest, signal: { ...rest.signal, context } };
}

function withoutNamesIn(state: AgentState): AgentState {
  const { execution, context } = state;
  const store = unnamedStore(context.store);
  if (execution === null) return { ...state, context: { ...context, store } };
  const { by: _by, ...rest } = execution;
  const stepExecutions = rest.stepExecutions.map((entry) => ({ ...entry, step: unnamedStep(entry.step) }));
  const currentStep = rest.currentStep && unnamedStep(rest.currentStep);
  return {
    ...state,
    context: { ...context, store },
    execution: { ...rest, stepExecutions, currentStep } as AgentState['execution'],
  };
}

function unnamedStore({ sections }: MessageStore): MessageStore {
  return {
    sections: sections.map(({ name, messages }) => ({ name, messages: messages.map(unnamedMessage) })),
  };
}

function unnamedMessage(message: Message): Message {
  if (!Object.hasOwn(message.metadata, 'by')) return message;
  const { by: _by, ...metadata } = message.metadata;
  return { ...message, metadata };
}

function unnamedStep(step: AgentStep): AgentStep {
  return { ...step, toolExecutions: step.toolExecutions.map(unnamedCall) };
}

function unnamedCall(call: ToolExecution): ToolExecution {
  if (call.approval?.by === undefined) return call;
  const { by: _by, ...approval } = call.approval;
  return { ...call, approval };
}
