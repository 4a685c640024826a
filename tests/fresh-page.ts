import { cleanup, configure } from '@testing-library/react';
import { createSessionHub, type SessionHub } from '@vitrine/core/internal/session/hub';

// The files of a worker share its page as well as its modules (tests/fresh-file.ts). What one of them has left in the page
// does not reach the next.

const hubKey = Symbol.for('vitrine.session-hub.2');
const holder = globalThis as { [hubKey]?: SessionHub; leaveHub?: Set<() => void> };

/** Gives the page a hub that notes how its sessions leave it. @returns what makes them leave */
function openHub(): Set<() => void> {
  const hub = createSessionHub();
  const leaves = new Set<() => void>();
  holder[hubKey] = {
    ...hub,
    register(...source) {
      const leave = hub.register(...source);
      leaves.add(leave);
      return leave;
    },
  };
  return leaves;
}

// What a page is to show is waited for as long as a busy machine takes to show it.
configure({ asyncUtilTimeout: 15_000 });
// A test that has set it would make React complain of each change outside of an `act`.
Reflect.deleteProperty(globalThis, 'IS_REACT_ACT_ENVIRONMENT');
// Some tests run in Node.
if (typeof document === 'object') {
  cleanup();
  for (const element of [document.documentElement, document.body])
    for (const name of element.getAttributeNames()) element.removeAttribute(name);
  document.head.replaceChildren();
  document.body.replaceChildren();
  localStorage.clear();
  sessionStorage.clear();
  // The hub stays: the record of a panel follows it for two seconds after the panel.
  for (const leave of holder.leaveHub ?? []) leave();
  holder.leaveHub?.clear();
  if (holder[hubKey] === undefined) holder.leaveHub = openHub();
}
