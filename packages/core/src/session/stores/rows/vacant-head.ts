import { validate } from '../../../graph/document/document.ts';
import { systemEnv, type Timestamp } from '../../../graph/env.ts';
import * as errors from '../../../kit/errors.ts';
import { sessionFormat, type VacantHeadData, vacantHeadSchema } from './head-schema.ts';
import { isVacant } from './is-vacant.ts';
import type { RowWrite, StoredHead } from './row-storage.ts';
import { openSealed, sealedText } from './sealed-text.ts';

/**
 * The head of an id without a session: one that was removed, or one whose first epoch was taken before its
 * first save.
 */
export type Vacancy = VacantHeadData['vacant'] & { readonly stored: StoredHead };

/**
 * Parses the vacancy in a stored head; null for the head of a session.
 * @throws AgentError `state-invalid` for a damaged or foreign head.
 */
export function readVacancy(id: string, stored: StoredHead): Vacancy | null {
  if (!isVacant(stored.text)) return null;
  const found = openSealed(stored.text, 'head') as Partial<VacantHeadData>;
  if (Number(found.format) > sessionFormat) return null;
  const { vacant } = validate(vacantHeadSchema, found, 'head');
  if (vacant.id !== id)
    throw errors.stateInvalid({ path: 'head', what: `it is of session ${JSON.stringify(vacant.id)}` });
  return { ...vacant, stored };
}

/** Creates a write that leaves a vacancy and no text of a session. */
export function vacantWrite(
  expected: StoredHead | null,
  vacant: Omit<VacantHeadData['vacant'], 'at'>,
): RowWrite {
  const { id, epoch, version, removedAt } = vacant;
  const at: Timestamp = Math.round(systemEnv.now());
  const data: VacantHeadData = {
    format: sessionFormat,
    stamp: systemEnv.id(),
    vacant: { id, epoch, version, at, removedAt },
  };
  return { expected, head: sealedText(data), put: new Map(), drop: 'rest', blobs: null };
}
