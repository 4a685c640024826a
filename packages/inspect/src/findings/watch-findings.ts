import type { HubSource } from '@vitrine/core/internal/session/hub';
import type { Detector } from './detector.ts';
import { withDetectors } from './diagnose.ts';
import { createDiagnosis } from './diagnosis.ts';

/** Pauses a run before the next call after a finding that a breakpoint waits for. @returns the function that ends it */
export function watchFindings(
  { journal, commands }: Pick<HubSource, 'journal' | 'commands'>,
  detectors?: readonly Detector[],
): () => void {
  if (commands === undefined) return () => undefined;
  const diagnosis = createDiagnosis(journal.state(), withDetectors(detectors));
  return journal.subscribe((event, state) => {
    const found = diagnosis.add(event, state);
    const isWanted = state.breakpoints.some(
      ({ on }) => on.type === 'finding' && found.some(({ code }) => on.code === null || on.code === code),
    );
    if (isWanted) void commands.pause();
  });
}
