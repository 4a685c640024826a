import { type HubSource, sessionHub } from '@vitrine/inspect';
import { reduxTexts } from '../redux-texts.ts';
import type { Texts } from '../texts.ts';
import { type ReduxBridge, reduxBridge, type ReduxConnection } from './redux-bridge.ts';

/**
 * Connects every session of the page to the Redux DevTools extension, one instance each, and performs the
 * requests made there. Does nothing if the extension is not installed. The panel is not needed for it.
 * @param texts The sentences that the extension shows. Default: English.
 * @returns The function that disconnects it.
 */
export function connectReduxDevtools(texts: Texts['redux'] = reduxTexts): () => void {
  const extension = reduxExtension();
  if (extension === null) return () => undefined;
  const hub = sessionHub();
  const bridges = new Map<string, ReduxBridge>();

  function follow(): void {
    const sources = new Map(hub.sources().map((source): [string, HubSource] => [source.id, source]));
    for (const [id, bridge] of bridges) {
      if (sources.has(id)) continue;
      bridge.end();
      bridges.delete(id);
    }
    for (const [id, source] of sources) {
      const known = bridges.get(id);
      if (known) known.follow(source);
      else bridges.set(id, bridgeTo(source));
    }
  }

  function bridgeTo(source: HubSource): ReduxBridge {
    const name = `${source.name} ${source.id.slice(0, 8)}`;
    const features = { pause: true, jump: true, import: 'custom', export: true };
    return reduxBridge(source, extension!.connect({ name, instanceId: source.id, features }), texts.refused);
  }

  follow();
  const leave = hub.subscribe(follow);
  return () => {
    leave();
    for (const bridge of bridges.values()) bridge.end();
    bridges.clear();
  };
}

type ReduxExtension = { readonly connect: (options: object) => ReduxConnection };

/** Returns the Redux DevTools extension; null if it is not installed. */
function reduxExtension(): ReduxExtension | null {
  const { __REDUX_DEVTOOLS_EXTENSION__: extension } = globalThis as {
    __REDUX_DEVTOOLS_EXTENSION__?: Partial<ReduxExtension>;
  };
  return typeof extension?.connect === 'function' ? (extension as ReduxExtension) : null;
}
