import * as errors from '../kit/definition-error.ts';
import type { Tool } from './tool.ts';

/** Checks that tool names are unique. @throws AgentError `tools-duplicate` when two tools have one name. */
export function assertUnique(tools: readonly Tool[], owner: string): void {
  const names = tools.map((tool) => tool.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  const why = `two tools are named ${JSON.stringify(twice)}; rename one of them.`;
  throw errors.toolsDuplicate({ owner, toolName: twice, why });
}
