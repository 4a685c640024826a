import { Notice } from '../kit/notice.tsx';
import type { SessionSnapshot } from '@vitrine/core';
import { type HubSource, type SourceKnowledge } from '@vitrine/inspect';
import { redactText } from '@vitrine/inspect/internal/redact';
import { type ReactNode, useCallback, useSyncExternalStore } from 'react';
import { type Texts, useTexts } from '../texts.ts';

/**
 * The place of a session that this page does not run alone: who runs it, what waits, and how it is saved. Empty for a
 * session that runs here with nothing to tell.
 */
export function PlaceLine({ source }: { readonly source: HubSource }): ReactNode {
  const { place } = useTexts();
  const subscribe = useCallback(
    (listener: () => void) => source.snapshots?.subscribe(listener) ?? (() => undefined),
    [source],
  );
  // As a text, so that a streaming answer renders nothing here.
  const text = useSyncExternalStore(subscribe, () => placeText(source, place));
  return <Notice text={text} />;
}

function placeText(source: HubSource, texts: Texts['place']): string {
  const { snapshots, isFollowing, knows } = source;
  if (knows !== undefined) return watchedText(knows, texts);
  if (snapshots === undefined) return '';
  const { where, activity, queue, unsent, persistence, status } = snapshots.getState();
  if (status === 'loading') return '';
  const follows = isFollowing?.() === true;
  return [
    ...(follows || where === 'nobody' ? [texts[lostPlace(activity) ?? where]] : []),
    ...(follows ? versionText(source, texts) : []),
    ...(queue.length > 0 ? [texts.queued(queue.length)] : []),
    ...(unsent.length > 0 ? [texts.unsent(unsent.length)] : []),
    ...savingText(persistence, follows && where !== 'nobody', texts),
  ].join(' ');
}

/** The reason why nobody is known to run a session; null for one whose connection is not lost. */
function lostPlace({ type }: SessionSnapshot['activity']): 'offline' | 'reconnecting' | null {
  return type === 'offline' || type === 'reconnecting' ? type : null;
}

/** The sentence about the agent that runs elsewhere, where that is another version than the one here. */
function versionText({ version, agent }: HubSource, texts: Texts['place']): readonly string[] {
  const [there, here] = [version?.() ?? null, agent?.().version ?? null];
  return there === here ? [] : [texts.otherVersion(there, here)];
}

/** The sentence about a run that this library only watches. */
function watchedText(knows: SourceKnowledge, texts: Texts['place']): string {
  const missing = (['prompt', 'usage', 'times', 'results'] as const).filter((fact) => !knows[fact]);
  return texts.watched(missing.map((fact) => texts.facts[fact]));
}

/** The sentence about the store: errors always, and that all is saved where the runner says it. */
function savingText(
  { status, error }: SessionSnapshot['persistence'],
  isShown: boolean,
  texts: Texts['place'],
): readonly string[] {
  if (status === 'degraded') return [texts.notSaved(error && redactText(error.message, 'error'))];
  if (status === 'unknown') return [texts.silent];
  return isShown && status === 'saved' ? [texts.saved] : [];
}
