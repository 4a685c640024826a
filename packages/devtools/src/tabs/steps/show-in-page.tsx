import type { AgentStep } from '@vitrine/core';
import { type ReactNode, useContext, useState } from 'react';
import { PageLink } from '../../kit/page-link.ts';
import { useTexts } from '../../texts.ts';

/** The button that shows a step's part of the page. */
export function ShowInPage({ step }: { readonly step: AgentStep }): ReactNode {
  const texts = useTexts().step;
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
          {texts.notInPage}
        </span>
      )}
      <button onClick={() => setMissing(!show(ids))}>{texts.showInPage}</button>
    </>
  );
}
