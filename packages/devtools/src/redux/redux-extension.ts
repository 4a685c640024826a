/** A message of the extension: that it was opened or closed, or a request. */
export type ReduxMessage = {
  readonly type: string;
  readonly payload?: unknown;
  /** A state that was sent before, as JSON. */
  readonly state?: string;
};

/** One instance in the extension. */
export type ReduxConnection = {
  readonly init: (state: unknown) => void;
  readonly send: (action: { readonly type: string } | null, state: unknown) => void;
  readonly subscribe: (listener: (message: ReduxMessage) => void) => (() => void) | undefined;
  readonly unsubscribe?: () => void;
  /** Shows a message to the person. */
  readonly error?: (message: string) => void;
};

type ReduxExtension = { readonly connect: (options: object) => ReduxConnection };

/** Returns the Redux DevTools extension; null if it is not installed. */
export function reduxExtension(): ReduxExtension | null {
  const { __REDUX_DEVTOOLS_EXTENSION__: extension } = globalThis as {
    __REDUX_DEVTOOLS_EXTENSION__?: Partial<ReduxExtension>;
  };
  return typeof extension?.connect === 'function' ? (extension as ReduxExtension) : null;
}
