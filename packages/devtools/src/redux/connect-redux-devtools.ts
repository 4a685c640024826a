import { type HubSource, sessionHub } from '@vitrine/core/inspect';
import { type ReduxBridge, reduxBridge } from './redux-bridge.ts';
import { reduxExtension } from './redux-extension.ts';

/**
 * Connects every session of the page to the Redux DevTools extension, one instance each, and performs the
 * requests made there. Does nothing if the extension is not installed.
 * @param refusal The sentence for a state that cannot be applied.
 * @returns The function that disconnects it.
 */
export function connectReduxDevtools(refusal: string): () => void {
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
    return reduxBridge(source, extension!.connect({ name, instanceId: source.id, features }), refusal);
  }

  follow();
  const leave = hub.subscribe(follow);
  return () => {
    leave();
    for (const bridge of bridges.values()) bridge.end();
    bridges.clear();
  };
}
