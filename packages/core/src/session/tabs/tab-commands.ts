import type { Turn } from '../agent-session.ts';
import type { SessionCommand } from '../machine/session-input.ts';

/** Those that nobody waits for. */
export function isTold(command: SessionCommand): boolean {
  const { type } = command;
  if (type === 'resume') return command.isAutomatic;
  return type === 'set-draft' || type === 'clear-error' || type === 'cancel-queued';
}

/** What a turn that comes of a command is called; null for those that make none. */
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

/** True for what begins a run, and so is a matter of whose agent answers. */
export function isRunning({ type }: SessionCommand): boolean {
  return type === 'send' || type === 'move' || type === 'retry';
}
