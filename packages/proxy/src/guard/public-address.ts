import ipaddr from 'ipaddr.js';

/** The global unicast range of IPv6. Addresses outside lead to it indirectly or to a local network. */
const globalUnicast = ipaddr.IPv6.parse('2000::');

/** True for a public address: not in a private, local, shared, documentation or translation range. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(globalUnicast, 3);
}

/** The IP address in a URL's host, without brackets; null when the host is a name. */
export function addressOf(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(bare) ? bare : null;
}
