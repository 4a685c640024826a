import { afterAll, afterEach, expect } from 'vitest';
import { endPanelVisits, panelVisit, type PanelVisit } from './panel-visit.ts';

/**
 * Opens the panel's page, or the one of another folder, in the tests of a file. Each visit is closed after its test, and none may have seen a complaint
 * of the browser.
 */
export function panelJourneys(folder?: string): typeof panelVisit {
  const visits: PanelVisit[] = [];

  afterEach(async () => {
    const left = visits.splice(0);
    const complaints = left.flatMap((visit) => visit.complaints);
    await Promise.all(left.map((visit) => visit.close()));
    expect(complaints).toEqual([]);
  });
  afterAll(endPanelVisits);
  return async (options) => {
    const visit = await panelVisit({ folder, ...options });
    visits.push(visit);
    return visit;
  };
}
