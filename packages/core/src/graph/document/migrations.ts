import { documentVersion } from './document-version.ts';
import { migrateChain } from './migrate-chain.ts';

/** One step per older version: the function at 1 makes version 2 out of version 1. */
const steps = {};

/**
 * Migrates a document to the version that this library reads.
 * @throws AgentError `state-version-unsupported` for a newer version, or one older than any migration.
 */
export function migrate(kind: string, document: unknown, path: string): unknown {
  return migrateChain({ kind, field: 'version', version: documentVersion, steps }, document, path);
}
