import type { AgentStep } from '@vitrine/core';
import { type ReactNode, useContext, useState } from 'react';
import { PageLink } from '../../kit/page-link.ts';

/** The button that shows a step's part of the page. */
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
          The page shows no part of this step.
        </span>
      )}
      <button onClick={() => setMissing(!show(ids))}>Show in page</button>
    </>
  );
}
