import { validate } from '../../../graph/document/document.ts';
import { migrateChain } from '../../../graph/document/migrate-chain.ts';
import { systemEnv } from '../../../graph/env.ts';
import * as errors from '../../../kit/errors.ts';
import type { SessionSummary } from '../session-store.ts';
import { summaryOf } from '../session-head.ts';
import { anyHeadSchema, type HeadData, headSchema, sessionFormat } from './head-schema.ts';
import { headChain } from './head-chain.ts';
import type { StoredHead } from './row-storage.ts';
import { openSealed, sealedText } from './sealed-text.ts';
import { unreadableStatus } from './store-errors.ts';

/** A stored head and its content. */
export type ReadHead = {
  readonly stored: StoredHead;
  readonly data: HeadData;
  /** The version of the session, records included. */
  readonly version: number;
};

/**
 * Parses a stored head.
 * @throws AgentError `state-invalid` for a damaged or foreign head, `state-version-unsupported` for a newer
 * one.
 */
export function readHead(id: string, stored: StoredHead): ReadHead {
  const found = openSealed(stored.text, 'head');
  validate(anyHeadSchema, found, 'head');
  const value = migrateChain(headChain, found, 'head');
  const data = validate(headSchema, value, 'head');
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

/**
 * The summary of a session for a list, also of an unreadable one. `known` is the status that a failed load
 * found.
 */
export function listedHead(id: string, stored: StoredHead, known: 'broken' | 'newer' | null): SessionSummary {
  try {
    const { data, version } = readHead(id, stored);
    const summary = { ...summaryOf(data.summary), version };
    return known === null ? summary : { ...summary, status: known };
  } catch (thrown) {
    const status = unreadableStatus(thrown);
    return { ...unreadable, id, status, ...(status === 'newer' ? told(stored) : {}) };
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

/** The fields of a newer head that this version knows. */
function told({ text }: StoredHead): Partial<SessionSummary> {
  const { summary } = openSealed(text, 'head') as { summary?: Partial<SessionSummary> };
  const { title, updatedAt } = summary ?? {};
  return {
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof updatedAt === 'number' ? { updatedAt } : {}),
  };
}
