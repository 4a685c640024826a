import { hasMarker } from '../kit/agent-error.ts';
import type { JsonObject, JsonValue } from '../kit/json.ts';
import type { AgentState, ToolApproval } from '../graph/types.ts';

const marker = Symbol.for('vitrine.tool-question');

/**
 * A question of a running tool to the person: its call waits for an approval with a form. When it is answered, the tool
 * is called again and reads the answer with `answerTo`. When it is rejected, the call ends without the tool.
 */
export class ToolQuestion extends Error {
  readonly reason: string;
  /** The JSON Schema of the answer. */
  readonly form: JsonObject;

  constructor(reason: string, form: JsonObject) {
    super(reason);
    this.name = 'ToolQuestion';
    this.reason = reason;
    this.form = form;
    Object.defineProperty(this, marker, { value: true });
  }
}

export function isToolQuestion(thrown: unknown): thrown is ToolQuestion {
  return hasMarker(thrown, marker);
}

/** The answer to the question of a call; undefined when none was asked, and null for one without a value. */
export function answerTo({ execution }: AgentState, toolCallId: string): JsonValue | undefined {
  const call = execution?.currentStep?.toolExecutions.find(({ id }) => id === toolCallId);
  return answeredQuestion(call?.approval ?? null)?.answer;
}

/** The last question of a tool with its answer; null when it has asked none. */
export function answeredQuestion(
  approval: ToolApproval | null,
): NonNullable<ToolApproval['answered']> | null {
  if (approval?.form === undefined) return approval?.answered ?? null;
  return { form: approval.form, answer: approval.answer ?? null };
}
