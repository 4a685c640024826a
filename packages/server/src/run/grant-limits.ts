import { type AgentDefinition, AgentState } from '@vitrine/core';
import type { HostedCommand } from '../host/session-host.ts';

/** True for a field of a command that says something. */
export function isGiven(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

type Amounts = Readonly<Record<string, number>>;

/** The most that may be granted to a run: each limit of the agent once more. A deadline depends on the run. */
function mostOf({ budget, sessionBudget, subagentPolicy }: AgentDefinition): Amounts {
  return {
    steps: Math.max(budget.maxSteps ?? 0, subagentPolicy.maxTotalSteps ?? 0),
    tokens: Math.max(budget.maxTokens ?? 0, sessionBudget.tokens ?? 0),
    seconds: budget.maxSeconds ?? 0,
    cost: Math.max(budget.maxCost ?? 0, sessionBudget.cost ?? 0),
    deadline: Number.MAX_SAFE_INTEGER,
  };
}

/** A command whose grant gives each limit of the agent at most once more; {@link withinRest} bounds its deadline. */
export function withinLimits(command: HostedCommand, agent: AgentDefinition): HostedCommand {
  const { grant } = command;
  return isGiven(grant) ? { ...command, grant: capGrant(grant as Amounts, mostOf(agent)) } : command;
}

/** The amount that a command without one grants, by the limit that ended the run. */
const grantedAlone: Readonly<Record<string, string>> = {
  'steps-limit-reached': 'steps',
  'token-limit-reached': 'tokens',
  'time-limit-reached': 'seconds',
  'cost-limit-reached': 'cost',
};

type Running = { readonly agent: AgentDefinition; readonly state: AgentState; readonly now: number };

/** A command that grants each limit of the agent at most once more, together with the earlier grants of the run. */
export function withinRest(command: HostedCommand, { agent, state, now }: Running): HostedCommand {
  const { execution } = state;
  if (command.type !== 'continue' || execution === null) return command;
  const grants: Amounts = execution.grants ?? {};
  const left = Object.entries(mostOf(agent)).map(([name, most]) => [
    name,
    Math.max(0, most - (grants[name] ?? 0)),
  ]);
  // A run gets its time once more from the first grant on; later ones do not move that deadline.
  const own = agent.budget.deadline ?? now;
  const lengthMs = Math.max(0, own - (execution.startedAt ?? own));
  const rest: Amounts = { ...Object.fromEntries(left), deadline: grants['deadline'] ?? now + lengthMs };
  if (isGiven(command.grant)) return { ...command, grant: capGrant(command.grant as Amounts, rest) };
  const alone = grantedAlone[AgentState.stopReason(state) ?? ''];
  // The first one gives every limit once more by itself.
  if (alone === undefined || execution.grants === undefined) return command;
  const isLate = alone === 'seconds' && now >= (grants['deadline'] ?? own);
  const deadline = isLate ? { deadline: rest['deadline'] ?? 0 } : {};
  return { ...command, grant: { [alone]: rest[alone] ?? 0, ...deadline } };
}

function capGrant(grant: Amounts, most: Amounts): Amounts {
  return Object.fromEntries(
    Object.entries(grant).map(([name, amount]) => [name, Math.min(amount, most[name] ?? 0)]),
  );
}
