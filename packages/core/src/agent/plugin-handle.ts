import type { Schema } from './schema.ts';

/** As much of a plugin as its state needs; a tool can name it without importing the plugin. */
export type PluginReference<State> = {
  readonly id: string;
  readonly version: number;
  readonly state: Schema<State>;
  readonly initial: (() => State) | null;
};

/** Reads and writes the state of one plugin. */
export type PluginHandle<State> = {
  /** Undefined until it was set, unless the plugin has an initial value. */
  readonly get: () => State | undefined;
  /** @throws AgentError `plugin-state-invalid` with the schema's issues. */
  readonly set: (value: State) => void;
  /** Like `set`, but from the present value: safe when parallel calls write the same state. */
  readonly update: (update: (value: State | undefined) => State) => void;
};
