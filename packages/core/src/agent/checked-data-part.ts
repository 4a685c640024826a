import * as errors from '../kit/errors.ts';
import type { JsonValue } from '../kit/json.ts';
import { toJson } from '../kit/to-json.ts';
import type { AgentDefinition } from './agent-definition.ts';
import { describeIssues, parseSync } from './schema.ts';

/**
 * Validates the content of a data part as JSON with the schema that the agent declares for its name. An agent without
 * declarations accepts parts of any name.
 * @throws AgentError `message-invalid` for a name that is not declared, or data that does not fit.
 */
export function checkedDataPart(
  { name: agentName, dataParts }: Pick<AgentDefinition, 'name' | 'dataParts'>,
  name: string,
  data: unknown,
): JsonValue {
  if (dataParts === null) return toJson(data);
  const schema = Object.hasOwn(dataParts, name) ? dataParts[name] : undefined;
  if (schema === undefined) {
    const known = Object.keys(dataParts).join(', ') || 'none';
    const message = `Agent ${JSON.stringify(agentName)} declares no data part ${JSON.stringify(name)}. Declared: ${known}.`;
    throw errors.messageInvalid(message);
  }
  const parsed = parseSync(schema, data, 'message-invalid');
  if (parsed.ok) return toJson(parsed.value);
  throw errors.messageInvalid(
    `Data part ${JSON.stringify(name)} is invalid: ${describeIssues(parsed.issues)}`,
  );
}
