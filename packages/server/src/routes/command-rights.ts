import type { AgentDefinition, JsonObject } from '@vitrine/core';
import type { HostedCommand } from '../host/session-host.ts';
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

function isGiven(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** The longest time that a grant moves a deadline to, in milliseconds from now. */
const deadlineMs = 3_600_000;

/** A command whose grant gives each limit of the agent at most once more. */
export function withinLimits(
  command: HostedCommand,
  { budget, sessionBudget, subagentPolicy }: AgentDefinition,
  now: number,
): HostedCommand {
  const { grant } = command;
  if (!isGiven(grant)) return command;
  const most: Readonly<Record<string, number>> = {
    steps: Math.max(budget.maxSteps ?? 0, subagentPolicy.maxTotalSteps ?? 0),
    tokens: Math.max(budget.maxTokens ?? 0, sessionBudget.tokens ?? 0),
    seconds: budget.maxSeconds ?? 0,
    cost: Math.max(budget.maxCost ?? 0, sessionBudget.cost ?? 0),
    deadline: now + deadlineMs,
  };
  const amounts = Object.entries(grant as Readonly<Record<string, number>>);
  const kept = amounts.map(([name, amount]) => [name, Math.min(amount, most[name] ?? 0)] as const);
  return { ...command, grant: Object.fromEntries(kept) };
}
