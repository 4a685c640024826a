import type { HubSource } from '@vitrine/core/internal/session/hub';
import type { Detector } from './detector.ts';
import { withDetectors } from './diagnose.ts';
import { createDiagnosis } from './diagnosis.ts';

/**
 * Makes the breakpoints of a session that wait for a finding take effect: pauses its run before the next call after such
 * a finding. The panel does this while it is open.
 * @returns The function that ends it.
 */
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
