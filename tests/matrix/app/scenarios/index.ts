import type { ComponentType } from 'react';
import { Anonymous } from './anonymous.tsx';
import { Hidden } from './hidden.tsx';
import { History } from './history.tsx';
import { InlineStore } from './inline-store.tsx';
import { LateBoundary } from './late-boundary.tsx';
import { Named } from './named.tsx';
import { Panel } from './panel.tsx';
import { TwoAgents } from './two-agents.tsx';
import { TwoStreams } from './two-streams.tsx';

/** Pages by name; each is rendered on the server, and hydrated in the browser, once for every root that it has. */
export const scenarios: { readonly [name: string]: readonly ComponentType[] } = {
  anonymous: [Anonymous],
  hidden: [Hidden],
  history: [History],
  'inline-store': [InlineStore],
  'late-boundary': [LateBoundary],
  named: [Named],
  panel: [Panel],
  'two-agents': [TwoAgents],
  'two-roots': [TwoStreams.Left, TwoStreams.Right],
  'two-streams': [TwoStreams],
};
