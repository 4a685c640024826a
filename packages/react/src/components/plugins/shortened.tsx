'use client';

import type { AgentState } from '@vitrine/core';
import type { ReactNode } from 'react';
import { useAgentState } from '../../hooks/use-agent-state.ts';
import { VisibleText } from '../kit/visible-text.tsx';
import { compactionTexts } from '../later-texts.ts';
import { useTexts } from '../texts-provider.tsx';

type ShortenedProps = { readonly id: string; readonly ids: readonly string[] };

/** The mark below the last message that the model reads as a summary by `compaction`, with the summary. */
export function Shortened({ id, ids }: ShortenedProps): ReactNode {
  const { through, summary } = useAgentState(compactedIn) ?? {};
  const { compaction } = useTexts();
  // A plugin of the application may have this id too.
  if (!Array.isArray(through) || typeof summary !== 'string') return null;
  if (id !== ids.findLast((one) => through.includes(one))) return null;
  return (
    <details className="vitrine-shortened">
      <summary>{{ ...compactionTexts, ...compaction }.title}</summary>
      <p dir="auto">
        <VisibleText text={summary} />
      </p>
    </details>
  );
}

type Compacted = { readonly through?: unknown; readonly summary?: unknown };

function compactedIn(state: AgentState): Compacted | null | undefined {
  return state.plugins['compaction']?.data as Compacted | null | undefined;
}
