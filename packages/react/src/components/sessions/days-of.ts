import type { SessionSummary } from '@vitrine/core';

/** Sessions of one period, under its name. */
export type Days = { readonly name: string; readonly sessions: readonly SessionSummary[] };

const dayMs = 24 * 60 * 60 * 1000;

/** Groups sessions, newest first, by the time of their last message relative to `now`. */
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
  // An unreadable session has no time.
  if (time === 0) return 'Not readable';
  // Rounded, because a day has 23 or 25 hours when clocks change.
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
