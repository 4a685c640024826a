import type { Turn } from '../agent-session.ts';
import { isKept, type SessionCommand } from '../machine/session-input.ts';

/** True for commands without a promise to settle. */
export function isTold(command: SessionCommand): boolean {
  const { type } = command;
  if (type === 'resume') return command.isAutomatic;
  return type === 'set-draft' || type === 'clear-error' || type === 'cancel-queued';
}

/** The kind of the turn that a command makes; null for commands that make none. */
export function kindOf(command: SessionCommand): Turn['kind'] | null {
  switch (command.type) {
    case 'send':
    case 'resume':
    case 'retry':
    case 'answer':
      return command.type;
    case 'move':
      return command.kind;
    default:
      return null;
  }
}

/** True for a command that begins a run, so the version of the agent matters. */
export function isRunning({ type }: SessionCommand): boolean {
  return type === 'send' || type === 'move' || type === 'retry';
}

/** True for a command that any later leader may do. A function cannot be stored. */
export function mayWait(command: SessionCommand): boolean {
  if (command.type === 'resume' && command.isAutomatic) return false;
  return isKept(command) && command.type !== 'update';
}

/** True for a command that another tab may have done, so only a session that was read can tell. */
export function needsRead(command: SessionCommand): boolean {
  return mayWait(command) && command.type !== 'retry';
}
