import type { Schema } from './schema.ts';

/** The part of a plugin that its state needs; a tool can name it without importing the plugin. */
export type PluginReference<State> = {
  readonly id: string;
  readonly version: number;
  readonly state: Schema<State>;
  readonly initial: (() => State) | null;
};

/** Reads and writes the state of one plugin. */
export type PluginHandle<State> = {
  /**
   * Returns the state with the writes of this call; undefined until it was set, unless the plugin has an initial
   * value. It is frozen: change it by writing.
   */
  readonly get: () => State | undefined;
  /**
   * Replaces the state by a copy. When another call has written meanwhile, the write is lost and reported as an error
   * of the step.
   * @throws AgentError `plugin-state-invalid` with the schema's issues.
   */
  readonly set: (value: State) => void;
  /**
   * Replaces the state, computed from the present value: safe when parallel calls write the same state. The function
   * is called again on their result, so it must be pure.
   */
  readonly update: (update: (value: State | undefined) => State) => void;
};
