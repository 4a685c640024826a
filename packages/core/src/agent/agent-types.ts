import type { JsonOf, JsonValue } from '../kit/json.ts';
import type { ResponseFormat } from '../graph/llm-config.ts';
import type { Plugin } from './plugin/plugin.ts';
import type { PluginReference } from './plugin-handle.ts';
import type { Schema, SchemaOutput } from './schema.ts';
import type { Tool, ToolTypes } from './tool.ts';

/**
 * The types that an agent carries: its tools by name, the state of its plugins by id, the output of its response
 * format (undefined without a schema) and its data parts by name. They exist only at compile time.
 */
export type AgentTypes = {
  readonly tools: { readonly [name: string]: ToolTypes };
  readonly plugins: { readonly [id: string]: unknown };
  readonly output: unknown;
  readonly data: { readonly [name: string]: unknown };
};

/** Schemas of data parts by name. */
export type DataSchemas = { readonly [name: string]: Schema };

/** The types that `defineAgent` infers from its options. */
export type InferredTypes<T extends Tool, P extends Plugin, S, F, D extends DataSchemas> = Spelled<{
  readonly tools: Spelled<ToolMap<T | PluginTool<P> | DelegationTool<S>>>;
  readonly plugins: Spelled<PluginMap<P>>;
  readonly output: OutputOf<F>;
  readonly data: Spelled<DataMap<D>>;
}>;

export type PluginStateOf<P> = P extends PluginReference<infer State> ? State : never;

/** The same type, expanded: editors show its content and not its construction. */
type Spelled<T> = T extends infer Known ? { readonly [Key in keyof Known]: Known[Key] } : never;

type ToolMap<T extends Tool> = { readonly [Each in T as Each['name']]: NonNullable<Each['~types']> };

type PluginTool<P extends Plugin> = NonNullable<P['~types']>['tool'];

type PluginMap<P extends Plugin> = { readonly [Each in P as Each['id']]: PluginStateOf<Each> };

type DelegationTool<S> = [S] extends [never] ? never : Tool<DelegationInput, string, 'delegate'>;

type OutputOf<F> = [F] extends [never] ? undefined : OutputOfFormat<F>;
type OutputOfFormat<F> = F extends Schema ? SchemaOutput<F> : F extends ResponseFormat ? undefined : never;

type DataMap<D extends DataSchemas> = [D] extends [never]
  ? { readonly [name: string]: JsonValue }
  : { readonly [Name in keyof D]: JsonOf<SchemaOutput<D[Name]>> };

/** The arguments of `delegate`: the name of a subagent, and its task. */
export type DelegationInput = { readonly agent: string; readonly task: string };
