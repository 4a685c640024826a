import type { TabLink } from '@vitrine/core/internal/session/store/tab-link';

/** Simulated tabs of one browser: one lock, and one channel with controlled delivery. */
export type SimulatedTabs = {
  /** Opens a tab. */
  readonly open: () => SimulatedTab;
  /** The names of the open channels. */
  readonly channels: () => readonly string[];
};

export type SimulatedTab = {
  readonly link: TabLink;
  /** Kills the tab: it sends and receives nothing any more, and its locks are free. */
  readonly kill: () => void;
};

type Claim = { readonly tab: object; readonly onTurn: (isHeld: boolean) => void };
type Ear = { readonly tab: object; readonly name: string; readonly onMessage: (message: unknown) => void };

/**
 * Creates the tabs. `isLost` decides for each message and tab. `delays` are the delivery times, used in turn, so that
 * one message may overtake another.
 */
export function simulatedTabs(
  delays: readonly number[],
  sleep: (ms: number) => Promise<void>,
  isLost: () => boolean = () => false,
): SimulatedTabs {
  const claims = new Map<string, Claim[]>();
  const ears = new Set<Ear>();
  let sent = 0;

  function give(name: string): void {
    const [first] = claims.get(name) ?? [];
    if (first !== undefined) void sleep(1).then(() => claims.get(name)?.[0] === first && first.onTurn(true));
  }

  function drop(name: string, isGone: (claim: Claim) => boolean): void {
    const all = claims.get(name) ?? [];
    const left = all.filter((claim) => !isGone(claim));
    claims.set(name, left);
    if (all[0] !== left[0]) give(name);
  }

  function tell(ear: Ear, message: unknown): void {
    if (isLost()) return;
    const copy = structuredClone(message);
    const delay = delays[sent++ % delays.length] ?? 0;
    void sleep(delay).then(() => ears.has(ear) && ear.onMessage(copy));
  }

  return {
    channels: () => [...ears].map(({ name }) => name),
    open() {
      const tab = {};
      let isKilled = false;
      return {
        link: {
          lock(name, onTurn) {
            // A claim of a dead tab would never be dropped.
            if (isKilled) return () => undefined;
            const claim: Claim = { tab, onTurn: (isHeld) => (isKilled ? undefined : onTurn(isHeld)) };
            const all = [...(claims.get(name) ?? []), claim];
            claims.set(name, all);
            if (all.length === 1) give(name);
            else void sleep(1).then(() => claims.get(name)?.[0] !== claim && claim.onTurn(false));
            return () => drop(name, (entry) => entry === claim);
          },
          open(name, onMessage) {
            const mine: Ear = { tab, name, onMessage };
            ears.add(mine);
            return {
              post(message) {
                if (isKilled) return;
                for (const ear of ears) if (ear !== mine && ear.name === name) tell(ear, message);
              },
              close: () => void ears.delete(mine),
            };
          },
        },
        kill() {
          isKilled = true;
          for (const ear of ears) if (ear.tab === tab) ears.delete(ear);
          for (const name of claims.keys()) drop(name, (claim) => claim.tab === tab);
        },
      };
    },
  };
}
