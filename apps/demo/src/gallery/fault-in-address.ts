const name = 'fault';

/** The fault in the address (`?fault=cut-answer`): empty for the list of all, null outside of the gallery. */
export function faultInAddress(): string | null {
  return new URLSearchParams(window.location.search).get(name);
}

/** Puts a fault into the address, so that a reload and the back button lead to it. */
export function putFaultIntoAddress(id: string): void {
  window.history.pushState(null, '', `?${name}=${id}${window.location.hash}`);
}
