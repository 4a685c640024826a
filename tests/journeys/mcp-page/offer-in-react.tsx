import type { AgentDefinition } from '@vitrine/core';
import { useWebMcp } from '@vitrine/web-mcp/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

/** Offers the tools of an agent from a component in StrictMode. @returns the function that unmounts it. */
export function offerInReact(agent: AgentDefinition): () => void {
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  root.render(
    <StrictMode>
      <Offer agent={agent} />
    </StrictMode>,
  );
  return () => root.unmount();
}

function Offer({ agent }: { readonly agent: AgentDefinition }): null {
  useWebMcp(agent);
  return null;
}
