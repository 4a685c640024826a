import type { MigrationChain } from '@vitrine/core/internal/graph/document/migrate-chain';

/** The version of the format of stored sessions: heads, rows and records. */
export const sessionFormat = 1;

/**
 * The migrations of heads, one step per format. Only heads need steps, because every change rewrites them. Rows are
 * never rewritten: their names state their kind, so a new layout is a new kind beside the old one.
 */
export const headChain: MigrationChain = {
  kind: 'session',
  field: 'format',
  version: sessionFormat,
  steps: {},
};
