import type { AgentStep } from '@vitrine/core';
import { type ReactNode, useContext, useState } from 'react';
import { PageLink } from '../../kit/page-link.ts';

/** The way from a step to the part of the page that shows it. */
export function ShowInPage({ step }: { readonly step: AgentStep }): ReactNode {
  const show = useContext(PageLink);
  const [isMissing, setMissing] = useState(false);
  const ids = [
    ...step.toolExecutions.map(({ id }) => id),
    ...step.outputMessages.map(({ id }) => String(id)),
  ];
  return (
    <>
      {isMissing && (
        <span role="status" className="figure">
          Nothing of it is on the page.
        </span>
      )}
      <button onClick={() => setMissing(!show(ids))}>Show in page</button>
    </>
  );
}
