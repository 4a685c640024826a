import { AgentDevtools } from '@vitrine/devtools';
import type { ReactNode } from 'react';

/** Another one with every edit of this module. */
const edit = crypto.randomUUID();

/** The panel, taken away and brought again by every edit, as where the components above it begin anew. */
export function Tools(): ReactNode {
  return <AgentDevtools key={edit} initialIsOpen position="right" />;
}
