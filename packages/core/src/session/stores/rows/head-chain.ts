import type { MigrationChain } from '../../../graph/document/migrate-chain.ts';
import { sessionFormat } from './head-schema.ts';

/**
 * How heads of older formats are read: one step per format. Heads alone need steps, because they are written anew with
 * the next change. Rows never are: they say in their name what they are, so that another layout is another kind of row,
 * beside the one that stays readable.
 */
export const headChain: MigrationChain = {
  kind: 'session',
  field: 'format',
  version: sessionFormat,
  steps: {},
};
