import type { ValueOf } from '@vitrine/core/internal/kit/check';
import * as is from '@vitrine/core/internal/kit/check';
import * as errors from '@vitrine/core/internal/kit/errors';
import type { QueuedMessage } from '@vitrine/core/internal/session/store/queued-message';
import type { SessionHead, SessionSummary } from '@vitrine/core/internal/session/store/session-store';
import { systemEnv } from '@vitrine/core/internal/graph/env';
import type { SessionMove } from '@vitrine/core/internal/session/store/session-move';
import type { OutboxCommand } from '@vitrine/core/internal/session/store/session-outbox';
import { checkJson, readJsonAs } from '@vitrine/core/internal/graph/document/shape';
import { executionStatus } from '@vitrine/core/internal/graph/shapes';
import { migrateChain } from '@vitrine/core/internal/graph/document/migrate-chain';
import { summaryOf } from '@vitrine/core/internal/session/store/session-head';
import type { RowWrite, StoredHead } from './row-storage.ts';
import { idOfName, outboxId, ownerOfOutbox } from './rows-by-id.ts';
import { isVacant, openSealed, sealedText } from './head.ts';
import { unreadableStatus } from './store-errors.ts';
import { headChain, sessionFormat } from './format.ts';

/** The part that heads of all versions share, to see whether this version can read one. */
const anyHead = is.objectOf({ format: is.count });
const stamped = {
  ...anyHead.fields,
  /** A random id, new with every head, so that no two heads are equal. */
  stamp: is.text,
};
/** A queued message, with all its further fields. */
export const queuedMessage = is.loose<QueuedMessage>({ id: is.text, text: is.text, isSteered: is.flag });

/** The fields of a head that an exported document has too. */
export const headFields = {
  id: is.text,
  title: is.text,
  agentName: is.text,
  parentId: is.nullable(is.text),
  createdAt: is.timestamp,
  updatedAt: is.timestamp,
  queue: is.list(queuedMessage),
  draft: is.text,
};

/**
 * The names of the rows with the long parts of a head, which is empty for such a part. Each message of a long queue has a
 * row.
 */
export type HeadRows = { readonly draft?: string; readonly queue?: readonly string[] };

const headShape = is.objectOf({
  ...stamped,
  /** The summary at the time of the head; each later record raises the version. */
  summary: is.object<SessionHead>({
    ...headFields,
    version: is.count,
    status: is.literal('active', 'suspended', 'completed', 'broken', 'newer', 'deleted'),
    executionStatus: is.nullable(executionStatus),
    deletedAt: is.optional(is.timestamp),
    movedTo: is.optional(is.object<SessionMove>({ place: is.text, moveId: is.text, isThere: is.flag })),
  }),
  records: is.count,
  root: is.text,
  /** The journal, and the number of its records that the snapshot includes. */
  journal: is.objectOf({ id: is.text, records: is.count }),
  rows: is.optional(
    is.object<HeadRows>({ draft: is.optional(is.text), queue: is.optional(is.list(is.text)) }),
  ),
  /** The last writer epoch that was taken; absent for 0. */
  epoch: is.optional(is.count),
  /** The ids of the last commands taken, oldest first; absent for none. */
  taken: is.optional(is.list(is.text)),
  /** The id of the write of this head; empty for one without an id, absent where the last record tells it. */
  writeId: is.optional(is.text),
});
export type HeadData = ValueOf<typeof headShape>;

/** The head of an id without a session: it was removed, or an epoch was taken before its first save. */
const vacantHead = is.objectOf({
  ...stamped,
  vacant: is.objectOf({
    id: is.text,
    epoch: is.count,
    /** The last version under this id; a new session begins above it. */
    version: is.count,
    at: is.timestamp,
    /** The time of the removal; null for a session that was never saved. */
    removedAt: is.nullable(is.timestamp),
  }),
});
type VacantHead = ValueOf<typeof vacantHead>;

const outboxHead = is.objectOf({
  ...stamped,
  outbox: is.objectOf({
    id: is.text,
    at: is.timestamp,
    commands: is.list(is.loose<OutboxCommand>({ id: is.text })),
    /** The row that holds the commands where they are long: then there are none here. */
    row: is.optional(is.text),
  }),
});
export type OutboxData = ValueOf<typeof outboxHead>;

export type ReadHead = {
  readonly stored: StoredHead;
  readonly data: HeadData;
  /** The version of the session, records included. */
  readonly version: number;
};

/**
 * Parses a stored head.
 * @throws AgentError `state-invalid` for a damaged or foreign head, `state-version-unsupported` for a newer one.
 */
export function readHead(id: string, stored: StoredHead): ReadHead {
  const found = openSealed(stored.text, 'head');
  checkJson(anyHead, found, 'head');
  const value = migrateChain(headChain, found, 'head');
  const data = readJsonAs(headShape, value, 'head');
  if (data.summary.id !== id)
    throw errors.stateInvalid({ path: 'head', what: `it is of session ${JSON.stringify(data.summary.id)}` });
  if (stored.records < data.records)
    throw errors.stateInvalid({ path: 'journal', what: `record ${stored.records} is missing` });
  return { stored, data, version: data.summary.version + stored.records - data.records };
}

/** Creates a new head; `records` is the number of records that it will have, `rows` name what is not in the summary. */
export function writeHead(
  head: Omit<HeadData, 'format' | 'stamp' | 'summary' | 'rows'>,
  { summary, rows = {} }: Pick<HeadData, 'summary' | 'rows'>,
): ReadHead {
  const { version, queue, draft } = summary;
  const data: HeadData = {
    format: sessionFormat,
    stamp: systemEnv.id(),
    summary: { ...summaryOf(summary), queue, draft },
    ...(Object.keys(rows).length === 0 ? {} : { rows }),
    ...head,
  };
  return { stored: { text: sealedText(data), records: head.records }, data, version };
}

/** The summary of a session for a list, also of an unreadable one. `known` is the status that a failed load found. */
export function listedHead(id: string, stored: StoredHead, known: 'broken' | 'newer' | null): SessionSummary {
  try {
    const { data, version } = readHead(id, stored);
    const summary = { ...summaryOf(data.summary), version };
    return known === null ? summary : { ...summary, status: known };
  } catch (thrown) {
    const status = unreadableStatus(thrown);
    return { ...unreadable, id, status, ...(status === 'newer' ? readNewerHead(stored) : {}) };
  }
}

const unreadable = {
  version: 0,
  title: '',
  agentName: '',
  parentId: null,
  createdAt: 0,
  updatedAt: 0,
  executionStatus: null,
};

function readNewerHead({ text }: StoredHead): Partial<SessionSummary> {
  const { summary } = openSealed(text, 'head') as { summary?: Partial<SessionSummary> };
  const { title, updatedAt } = summary ?? {};
  return {
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof updatedAt === 'number' ? { updatedAt } : {}),
  };
}

/** The vacancy of an id without a session, and the head that states it. */
export type Vacancy = VacantHead['vacant'] & { readonly stored: StoredHead };

/**
 * Parses the vacancy in a stored head; null for the head of a session.
 * @throws AgentError `state-invalid` for a damaged or foreign head.
 */
export function readVacancy(id: string, stored: StoredHead): Vacancy | null {
  if (!isVacant(stored.text)) return null;
  const found = openSealed(stored.text, 'head') as { readonly format?: unknown };
  if (Number(found.format) > sessionFormat) return null;
  const { vacant } = readJsonAs(vacantHead, found, 'head');
  if (vacant.id !== id)
    throw errors.stateInvalid({ path: 'head', what: `it is of session ${JSON.stringify(vacant.id)}` });
  return { ...vacant, stored };
}

/** Creates a write that leaves a vacancy and no text of a session. */
export function vacantWrite(expected: StoredHead | null, vacant: Omit<Vacancy, 'at' | 'stored'>): RowWrite {
  const { id, epoch, version, removedAt } = vacant;
  const at = Math.round(systemEnv.now());
  const data: VacantHead = {
    format: sessionFormat,
    stamp: systemEnv.id(),
    vacant: { id, epoch, version, at, removedAt },
  };
  return { expected, head: sealedText(data), put: new Map(), drop: 'rest', blobs: null };
}

/** Parses a stored outbox. @throws AgentError `state-invalid` when it is damaged or foreign */
export function readOutbox(id: string, stored: StoredHead): OutboxData['outbox'] {
  const { outbox } = readJsonAs(outboxHead, openSealed(stored.text, 'outbox'), 'outbox');
  if (outboxId(outbox.id) === id) return outbox;
  throw errors.stateInvalid({ path: 'outbox', what: `it is of session ${JSON.stringify(outbox.id)}` });
}

/**
 * Returns the version in the head that is stored under a name, after validating it.
 * It is 0 for a removed session, one that is not saved yet, and an outbox, whose name begins with "-".
 * @throws AgentError `state-invalid` for a damaged head, a foreign one or one of another session.
 * @throws AgentError `state-version-unsupported` for a newer one.
 */
export function storedHeadVersion(name: string, stored: StoredHead): number {
  const id = idOfName(name);
  if (id === null)
    throw errors.stateInvalid({ path: 'head', what: `no session has the name ${JSON.stringify(name)}` });
  if (ownerOfOutbox(id) !== null) return readOutbox(id, stored) && 0;
  return readVacancy(id, stored) === null ? readHead(id, stored).version : 0;
}
