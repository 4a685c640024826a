import type { AgentError } from '../../kit/agent-error.ts';
import * as errors from '../../kit/errors.ts';
import { documentVersion } from './document-version.ts';

type Document = { readonly [field: string]: unknown };

/** One step per older version: the function at 1 makes version 2 out of version 1. */
const steps: { readonly [fromVersion: number]: (document: Document) => Document } = {};

/**
 * Brings a document up to the version that this library reads.
 * @throws AgentError `state-version-unsupported` when it is newer, or older than any migration.
 */
export function migrate(kind: string, document: unknown, path: string): unknown {
  if (typeof document !== 'object' || document === null || !('version' in document)) return document;
  let current = document as Document;
  for (;;) {
    const { version } = current;
    if (version === documentVersion || typeof version !== 'number') return current;
    const step = steps[version];
    if (step === undefined) throw unsupported(kind, version, path);
    current = step(current);
  }
}

function unsupported(kind: string, version: number, path: string): AgentError {
  const advice =
    version > documentVersion
      ? 'Update the library to read it.'
      : 'No migration leads from it to the present version.';
  return errors.stateVersionUnsupported({ kind, path, version, supported: documentVersion, advice });
}
