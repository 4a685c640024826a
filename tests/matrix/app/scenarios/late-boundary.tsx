import { AgentSessionProvider, useAgentSession, useAgentStatus, useMessageIds } from '@vitrine/react';
import { lazy, type ReactNode, Suspense } from 'react';
import { answering } from '../agents.ts';

const agent = answering('scribe', ['the ', 'answer']);

declare global {
  /** Lets the boundary hydrate. */
  var letHydrate: (() => void) | undefined;
}

function Count(): ReactNode {
  return <p aria-label="late">{useMessageIds().length} messages</p>;
}

const isServer = typeof window === 'undefined';
const Late = lazy(async () => {
  if (!isServer) await new Promise<void>((resolve) => (globalThis.letHydrate = resolve));
  return { default: Count };
});

function Early(): ReactNode {
  const { sendMessage } = useAgentSession();
  const { status } = useAgentStatus();
  return (
    <section aria-label="early" data-status={status}>
      <p>{useMessageIds().length} messages</p>
      <button type="button" onClick={() => void sendMessage('question')}>
        Ask
      </button>
    </section>
  );
}

/** A part of the page that hydrates when the conversation has long gone on. */
export function LateBoundary(): ReactNode {
  return (
    <AgentSessionProvider agent={agent}>
      <Early />
      <Suspense fallback={<p>loading</p>}>
        <Late />
      </Suspense>
    </AgentSessionProvider>
  );
}
