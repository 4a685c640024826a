/** The messages that the page has sent to one instance of the Redux DevTools extension. */
export type ToldExtension = {
  readonly options: { readonly name: string };
  /** `init` or the type of the action, with the state as JSON; `error` with what is said to the person. */
  readonly told: readonly { readonly type: string; readonly state: string }[];
  /** The buttons of the extension. */
  readonly say: (message: object) => void;
};

declare global {
  var reduxInstances: ToldExtension[];
}

/** Stands in for the extension: it writes down what it is told, as JSON, and says what a test wants it to. */
export function installFakeExtension(): void {
  const instances: ToldExtension[] = [];
  const connect = (options: { name: string }): object => {
    const told: { type: string; state: string }[] = [];
    const listeners = new Set<(message: object) => void>();
    const add = (type: string, state: unknown): void =>
      void told.push({ type, state: JSON.stringify(state) });
    instances.push({ options, told, say: (message) => listeners.forEach((listener) => listener(message)) });
    return {
      init: (state: unknown) => add('init', state),
      send: (action: { type: string } | null, state: unknown) => add(action?.type ?? 'lifted', state),
      error: (message: string) => void told.push({ type: 'error', state: message }),
      subscribe(listener: (message: object) => void) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  };
  Object.assign(globalThis, { __REDUX_DEVTOOLS_EXTENSION__: { connect }, reduxInstances: instances });
}
