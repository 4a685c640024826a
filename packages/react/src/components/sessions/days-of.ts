import type { SessionSummary } from '@vitrine/core';

/** Sessions of one stretch of time, under its name. */
export type Days = { readonly name: string; readonly sessions: readonly SessionSummary[] };

const dayMs = 24 * 60 * 60 * 1000;

/** Groups sessions, newest first, by when something was said in them last, seen from `now`. */
export function daysOf(sessions: readonly SessionSummary[], now: number): readonly Days[] {
  const groups: { name: string; sessions: SessionSummary[] }[] = [];
  for (const session of sessions) {
    const name = nameOf(session.updatedAt, now);
    const last = groups.at(-1);
    if (last?.name === name) last.sessions.push(session);
    else groups.push({ name, sessions: [session] });
  }
  return groups;
}

function nameOf(time: number, now: number): string {
  // What cannot be read has no time.
  if (time === 0) return 'Not readable';
  // Days have other lengths where clocks are put forward or back.
  const days = Math.round((startOfDay(now) - startOfDay(time)) / dayMs);
  if (days <= 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days < 7) return 'Previous 7 days';
  if (days < 30) return 'Previous 30 days';
  return new Date(time).toLocaleDateString('en', { month: 'long', year: 'numeric' });
}

function startOfDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}
