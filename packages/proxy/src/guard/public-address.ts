import ipaddr from 'ipaddr.js';

/** What IPv6 gives to hosts of the internet; what lies outside only leads to them, or to the network that one is in. */
const globalUnicast = ipaddr.IPv6.parse('2000::');

/** True for the address of a host on the internet: of no private, local, shared, documented or translated range. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(globalUnicast, 3);
}

/** The IP address that a URL's host is, without brackets; null when it is a name. */
export function addressOf(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(bare) ? bare : null;
}
