import { type AgentDefinition, AgentState } from '@vitrine/core';
import type { HostedCommand } from '../host/session-host.ts';

/** True for a field of a command that says something. */
export function isGiven(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** The longest time that a grant moves a deadline to, in milliseconds from now. */
const deadlineMs = 3_600_000;

type Amounts = Readonly<Record<string, number>>;

/** The most that may be granted to a run: each limit of the agent once more. */
function mostOf({ budget, sessionBudget, subagentPolicy }: AgentDefinition, now: number): Amounts {
  return {
    steps: Math.max(budget.maxSteps ?? 0, subagentPolicy.maxTotalSteps ?? 0),
    tokens: Math.max(budget.maxTokens ?? 0, sessionBudget.tokens ?? 0),
    seconds: budget.maxSeconds ?? 0,
    cost: Math.max(budget.maxCost ?? 0, sessionBudget.cost ?? 0),
    deadline: now + deadlineMs,
  };
}

/** A command whose grant gives each limit of the agent at most once more. */
export function withinLimits(command: HostedCommand, agent: AgentDefinition, now: number): HostedCommand {
  const { grant } = command;
  return isGiven(grant) ? { ...command, grant: capped(grant as Amounts, mostOf(agent, now)) } : command;
}

/** The amount that a command without one grants, by the limit that ended the run. A deadline is moved as often as it ends. */
const grantedAlone: Readonly<Record<string, string>> = {
  'steps-limit-reached': 'steps',
  'token-limit-reached': 'tokens',
  'time-limit-reached': 'seconds',
  'cost-limit-reached': 'cost',
};

/** A command that grants at most what is left of the most after the earlier grants of the run. */
export function withinRest(
  command: HostedCommand,
  {
    agent,
    state,
    now,
  }: { readonly agent: AgentDefinition; readonly state: AgentState; readonly now: number },
): HostedCommand {
  const grants = state.execution?.grants as Amounts | undefined;
  if (command.type !== 'continue' || grants === undefined) return command;
  const rest = Object.fromEntries(
    Object.entries(mostOf(agent, now)).map(([name, most]) => [
      name,
      name === 'deadline' ? most : Math.max(0, most - (grants[name] ?? 0)),
    ]),
  );
  if (isGiven(command.grant)) return { ...command, grant: capped(command.grant as Amounts, rest) };
  const alone = grantedAlone[AgentState.stopReason(state) ?? ''];
  const isDeadline = alone === 'seconds' && agent.budget.maxSeconds === undefined;
  return alone === undefined || isDeadline ? command : { ...command, grant: { [alone]: rest[alone] ?? 0 } };
}

function capped(grant: Amounts, most: Amounts): Amounts {
  return Object.fromEntries(
    Object.entries(grant).map(([name, amount]) => [name, Math.min(amount, most[name] ?? 0)]),
  );
}
