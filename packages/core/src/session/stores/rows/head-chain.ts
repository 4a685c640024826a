import type { MigrationChain } from '../../../graph/document/migrate-chain.ts';
import { sessionFormat } from './head-schema.ts';

/**
 * The migrations of heads, one step per format.
 * Only heads need steps, because every change rewrites them. Rows are never rewritten: their names state
 * their kind, so a new layout is a new kind beside the old one.
 */
export const headChain: MigrationChain = {
  kind: 'session',
  field: 'format',
  version: sessionFormat,
  steps: {},
};
