import type { JsonObject } from '@vitrine/core';
import type { HostedCommand } from '../host/session-host.ts';
import { isGiven } from '../run/grant-limits.ts';
import type { Access } from './asked-session.ts';

type Act = Parameters<Access>[2];

/** The rights that a command and its fields need, all of them. */
export function actsOf({ type, grant, action }: HostedCommand): readonly Act[] {
  if (type === 'answer') return ['approve'];
  if (type === 'continue' && isGiven(grant)) return ['command', 'grant'];
  // A breakpoint that is released with other arguments decides about a call, as an approval does.
  if (type === 'debug' && isGiven((action as JsonObject)['edit'])) return ['command', 'approve'];
  return ['command'];
}
