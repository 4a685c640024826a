'use client';

import type { JsonValue } from '@vitrine/core';
import type { ReactNode } from 'react';
import { gist } from '../kit/gist.ts';
import { useIsInterrupted } from '../kit/use-is-interrupted.ts';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';

/** The progress of a tool; `share` is null when the tool reports no number. */
type Progress = { readonly share: number | null; readonly label: string };

/** The last progress that a running tool reported. */
export function ToolProgress({ value, of }: { readonly value: JsonValue; readonly of: string }): ReactNode {
  const { share, label } = readProgress(value);
  const { progressOf } = useTexts().tools;
  if (useIsInterrupted()) return null;
  return (
    <span className="vitrine-progress">
      {share !== null && <progress aria-label={progressOf(of)} max={1} value={share} />}
      {label !== '' && <VisibleText text={label} />}
    </span>
  );
}

/**
 * Reads a progress value: a share from 0 to 1, a text, or an object with `value`, `max` (default 1) and a
 * `label` or `message`.
 */
export function readProgress(value: JsonValue): Progress {
  if (typeof value === 'number') return { share: shareOf(value, 1), label: '' };
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { share: null, label: gist(value) };
  const { value: done, max, label, message } = value as Readonly<Record<string, JsonValue | undefined>>;
  const text = label ?? message;
  if (typeof done !== 'number') return { share: null, label: gist(text ?? value) };
  return { share: shareOf(done, typeof max === 'number' ? max : 1), label: gist(text ?? '') };
}

function shareOf(done: number, max: number): number | null {
  const share = done / max;
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : null;
}
