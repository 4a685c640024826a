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
  /**
   * The state with what this call has written; undefined until it was set, unless the plugin has an initial value. It is
   * frozen: change it by writing.
   */
  readonly get: () => State | undefined;
  /**
   * Replaces the state, by a copy. Lost, and told as an error of the step, when somebody else has written meanwhile.
   * @throws AgentError `plugin-state-invalid` with the schema's issues.
   */
  readonly set: (value: State) => void;
  /**
   * Like `set`, but from the present value: safe when parallel calls write the same state. The function is called again
   * on what they have written, so it should do nothing but compute.
   */
  readonly update: (update: (value: State | undefined) => State) => void;
};
