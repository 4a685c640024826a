import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import type { Detector } from './detector.ts';
import type { Finding } from './finding.ts';
import { listNames, quoteName } from './wording.ts';

/** The names of hooks and tools, and of agents, with the codes that each expects, at one depth of subagents. */
type Expecting = {
  readonly owner: string;
  readonly name: string;
  readonly depth: number;
  readonly codes: readonly string[];
};

/** Deepest subagents that are looked at; an agent may be its own subagent. */
const mostDepth = 8;

const expectingIn = memoize((agent: AgentDefinition): readonly Expecting[] => {
  const found: Expecting[] = [];
  let level: readonly AgentDefinition[] = [agent];
  for (let depth = 0; level.length > 0 && depth < mostDepth; depth++) {
    for (const { name, expects = [], hooks, tools, plugins } of level) {
      found.push({ owner: 'Agent', name, depth, codes: expects });
      for (const hook of hooks)
        found.push({ owner: 'Hook', name: hook.name, depth, codes: hook.expects ?? [] });
      for (const tool of [...tools, ...plugins.flatMap((plugin) => plugin.tools)])
        found.push({ owner: 'Tool', name: tool.name, depth, codes: tool.expects ?? [] });
    }
    level = [...new Set(level.flatMap(({ subagents }) => subagents.map((one) => one.agent)))];
  }
  return found.filter(({ codes }) => codes.length > 0);
});

/**
 * Marks the hints that an agent, or its hook, tool or subagent that did it, expects. A code that no detector has
 * becomes a hint of its own. @returns the same list when nothing is expected
 */
export function markExpected(
  findings: readonly Finding[],
  agent: AgentDefinition,
  detectors: readonly Detector[],
): readonly Finding[] {
  const expecting = expectingIn(agent);
  if (expecting.length === 0) return findings;
  const known = new Set(detectors.map(({ code }) => code));
  const marked = findings.map((finding): Finding => {
    const { code, severity, address, evidence } = finding;
    const isExpected =
      severity === 'hint' &&
      expecting.some(({ owner, name, depth, codes }) => {
        if (!codes.includes(code)) return false;
        const isOfAgent = owner === 'Agent' && depth === address.path.length;
        return isOfAgent || evidence.who === name || evidence.who === `schema of ${name}`;
      });
    return isExpected ? { ...finding, isExpected } : finding;
  });
  const unknown = expecting.flatMap(({ owner, name, codes }) => {
    const wrong = codes.filter((code) => !known.has(code));
    return wrong.length === 0 ? [] : [unknownCodes(`${owner} ${quoteName(name)}`, wrong, findings)];
  });
  return [...marked, ...unknown];
}

/** The finding about codes that no detector has. */
function unknownCodes(owner: string, codes: readonly string[], [first]: readonly Finding[]): Finding {
  return {
    code: unknownCode,
    severity: 'hint',
    sentence: `${owner} expects ${listNames(codes.map(quoteName))}, which no detector finds.`,
    remedy: 'Correct the code in `expects`; the guide lists all codes.',
    address: { path: [], seq: first?.address.seq ?? 0, executionId: first?.address.executionId ?? null },
    evidence: { codes: [...codes] },
  };
}

/** The code of a finding about codes in `expects` that do not exist. */
export const unknownCode = 'expects-unknown';
