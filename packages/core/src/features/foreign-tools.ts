import type { ApprovalDecision } from '../agent/approval-decision.ts';
import { definePlugin } from './define-plugin.ts';
import { type Plugin, type PrepareContext } from '../agent/plugin/plugin.ts';
import type { Schema } from '../agent/schema.ts';
import type { Tool, ToolContext } from '../agent/tool.ts';
import { AgentError, isAgentError } from '../kit/agent-error.ts';
import { hashText } from '../kit/hash.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../kit/json.ts';
import { reportThrown } from '../kit/listeners.ts';
import { toJsonObject } from '../kit/to-json.ts';
import { cutText } from '../kit/text.ts';

/** A tool that another program describes and runs. Its texts are unchecked. */
export type ForeignTool = {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the input, as it was given. */
  readonly inputSchema: unknown;
  /** The way in which a call runs, where the other program says it. */
  readonly execution?: { readonly taskSupport?: unknown } | undefined;
  /** True when the other program says that the tool changes nothing. */
  readonly isReadOnly: boolean;
  /** True when the other program says that a repeated call changes nothing more. */
  readonly isRepeatable: boolean;
  /** True when a person has to be asked before a call. */
  readonly asks: boolean;
  /** Time limit of a call in milliseconds; null when `call` has its own. */
  readonly timeoutMs: number | null;
  readonly call: (input: JsonObject, ctx: ToolContext) => Promise<JsonValue>;
};

/** A call of a tool of another program, before it runs. */
type ForeignCall = {
  readonly toolName: string;
  readonly input: JsonValue;
  /** True when the other program says that the tool changes nothing. */
  readonly isReadOnly: boolean;
};

/** The rule that replaces what the other program says about its tools. */
export type ForeignRule =
  boolean | ((call: ForeignCall, ctx: ToolContext) => ApprovalDecision | Promise<ApprovalDecision>);

/** Bounds of what another program may describe. */
const most = { tools: 128, description: 4_000, schemaValues: 5_000, schemaLength: 64_000 };

/** The tools of another program, asked for anew before each model call. */
export type ForeignSource = {
  readonly id: string;
  /** The other program in a sentence, e.g. `the MCP server "files"`. */
  readonly owner: string;
  /** Put before each name; empty for none. */
  readonly prefix: string;
  readonly rule: ForeignRule | undefined;
  readonly list: (signal: AbortSignal) => Promise<readonly ForeignTool[]>;
  /** Called once for each cause. Default: `reportError`, which the console shows. */
  readonly onError: ((error: AgentError) => void) | undefined;
};

/**
 * A plugin that offers the tools of another program as they are before each model call. While they cannot be listed,
 * those of the last list are offered, and without one the model is told.
 */
export function foreignTools(source: ForeignSource): Plugin<unknown> {
  const note = createReporter(source.onError);
  let known: readonly Tool[] | null = null;
  return definePlugin({
    id: source.id,
    state: anything,
    persist: 'none',
    async prepare({ signal }: PrepareContext<unknown>) {
      try {
        known = ownTools(source, await source.list(signal), note);
        return { tools: known };
      } catch (thrown) {
        signal.throwIfAborted();
        // A source that knows what to do says so itself.
        const isExplained = isAgentError(thrown) && thrown.code === 'tools-unavailable';
        const sentence = isExplained
          ? thrown.message
          : `The tools of ${source.owner} cannot be listed: ${shortMessageOf(thrown)}`;
        note(sentence, thrown);
        if (known !== null) return { tools: known };
        const content = `${sentence} Say so if you need them.`;
        return { context: [{ name: `Tools of ${source.owner}`, content }] };
      }
    },
  });
}

/** The schema of a plugin that keeps no state. */
export const anything: Schema = {
  '~standard': { version: 1, vendor: 'vitrine', validate: (value) => ({ value }) },
};

type Note = (sentence: string, cause?: unknown) => void;

/** Reports each sentence once, and at most a hundred: a hostile program has any number of them. */
function createReporter(onError: ForeignSource['onError'] = reportThrown): Note {
  const reported = new Set<string>();
  return (sentence, cause) => {
    if (reported.has(sentence) || reported.size >= 100) return;
    reported.add(sentence);
    onError(new AgentError('tools-unavailable', sentence, cause === undefined ? {} : { cause }));
  };
}

/** The message of an error, cut to 1,000 characters. */
export function shortMessageOf(thrown: unknown): string {
  return cutText(thrown instanceof Error ? thrown.message : String(thrown), 1_000);
}

/** The usable ones of the described tools, as tools of ours. */
function ownTools(source: ForeignSource, given: readonly ForeignTool[], note: Note): readonly Tool[] {
  const { owner, prefix, rule } = source;
  const skip = (name: string, why: string): void =>
    note(`The tool ${JSON.stringify(name.slice(0, 128))} of ${owner} is left out: ${why}`);
  if (given.length > most.tools)
    note(`Only the first ${most.tools} of the ${given.length} tools of ${owner} are offered.`);
  return usableTools(given, prefix, skip).map(({ tool, name }) =>
    ownTool(tool, readSchema(tool), { name, rule }),
  );
}

type Described = Pick<ForeignTool, 'name' | 'inputSchema' | 'execution'>;

/** The first usable ones of the described tools with their names here; `skip` gets the reason for each other one. */
export function usableTools<Of extends Described>(
  given: readonly Of[],
  prefix: string,
  skip: (name: string, why: string) => void = () => undefined,
): readonly { readonly tool: Of; readonly name: string }[] {
  const seen = new Set<string>();
  const usable = given.slice(0, most.tools).filter((tool) => {
    const why = seen.has(tool.name) ? 'another one has its name.' : unusable(tool);
    seen.add(tool.name);
    if (why !== null) skip(tool.name, why);
    return why === null;
  });
  const names = ownNames(
    usable.map(({ name }) => name),
    prefix,
  );
  return usable.map((tool, index) => ({ tool, name: names[index] ?? '' }));
}

/** The reason why a described tool cannot be used; null for none. */
export function unusable({ name, inputSchema, execution }: Described): string | null {
  if (execution?.taskSupport === 'required') return 'it can only be called as a task.';
  if (name.trim() === '') return 'it has no name.';
  if (!isPlainObject(inputSchema)) return 'its input schema is no object.';
  const { type } = inputSchema;
  if (type !== undefined && type !== 'object') return 'its input is no object.';
  const { length } = JSON.stringify(readSchema({ inputSchema }));
  return length <= most.schemaLength ? null : `its input schema has ${length} characters.`;
}

/** The schema as JSON. Its dialect is left out, which some providers refuse. */
export function readSchema({ inputSchema }: Pick<Described, 'inputSchema'>): JsonObject {
  const { $schema: _dialect, ...schema } = toJsonObject(inputSchema, { maxValues: most.schemaValues });
  return { ...schema, type: 'object' };
}

function ownTool(
  tool: ForeignTool,
  inputSchema: JsonObject,
  { name, rule }: { readonly name: string; readonly rule: ForeignRule | undefined },
): Tool {
  const { isReadOnly, isRepeatable, asks } = tool;
  return {
    name,
    description: cutText(tool.description, most.description),
    input: null,
    inputSchema,
    output: null,
    needsApproval:
      typeof rule === 'function'
        ? (input: JsonValue, ctx) => rule({ toolName: tool.name, input, isReadOnly }, ctx)
        : () => rule ?? asks,
    effects: isReadOnly || isRepeatable ? 'idempotent' : 'once',
    timeoutMs: tool.timeoutMs,
    maxResultBytes: null,
    errorMessage: null,
    pluginId: null,
    execute(input: JsonValue, ctx) {
      if (isPlainObject(input)) return tool.call(input, ctx);
      const message = `Invalid input for tool ${JSON.stringify(name)}: expected an object.`;
      throw new AgentError('tool-input-invalid', message, { data: { toolName: name } });
    },
  };
}

const longestName = 64;

/**
 * Names that providers accept (1 to 64 letters, digits, `_` and `-`), all different. A name that is fine stays as it
 * is; other characters become `_`, and two that would be equal get a hash of the original.
 */
export function ownNames(names: readonly string[], prefix = ''): readonly string[] {
  const plain = names.map((name) => `${prefix}${name}`.replaceAll(/[^a-zA-Z0-9_-]/g, '_'));
  const fits = plain.map((name, at) => name === `${prefix}${names[at]}` && name.length <= longestName);
  const taken = new Set(plain.filter((_, at) => fits[at]));
  return plain.map((name, at) => {
    if (fits[at]) return name;
    const short = name.slice(0, longestName);
    const own = name === short && !taken.has(short) ? short : hashName(short, names[at] ?? '', taken);
    taken.add(own);
    return own;
  });
}

function hashName(name: string, original: string, taken: ReadonlySet<string>): string {
  for (let round = 0; ; round++) {
    const end = `_${hashText(`${round} ${original}`).slice(0, 8)}`;
    const own = `${name.slice(0, longestName - end.length)}${end}`;
    if (!taken.has(own)) return own;
  }
}
