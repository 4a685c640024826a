import ipaddr from 'ipaddr.js';
import type { InferenceRequest } from '@vitrine/core';
import { withoutEnd } from '@vitrine/core/internal/kit/text';
import { within } from '../kit/time.ts';

/** The rules for file addresses that are passed on to providers. */
export type FileUrlRules = {
  /** The only allowed hosts, as `files.example` or `files.example:8443`; null allows any host on the internet. */
  readonly allowed: readonly string[] | null;
  /** Null where names cannot be resolved. Then only allowed hosts are trusted. */
  readonly resolve: ResolveHost | null;
};

/** The longest time for resolving a name, in milliseconds. */
const resolveMs = 3000;

/** The most different hosts that one request may name. */
const maxHosts = 20;

/** The reason why providers may not fetch a file's address, as one in the internal network; null for none. */
export async function checkFileUrls(request: InferenceRequest, rules: FileUrlRules): Promise<string | null> {
  const urls = request.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'file' && part.url !== undefined ? [part.url] : [])),
  );
  const names = new Set<string>();
  for (const url of urls) {
    const found = checkUrl(url, rules);
    if ('issue' in found) return found.issue;
    names.add(found.host);
  }
  if (names.size > maxHosts) return `files lie on ${names.size} hosts; send them from at most ${maxHosts}`;
  const hosts = await Promise.all([...names].map((host) => checkHost(host, rules)));
  return hosts.find((issue) => issue !== null) ?? null;
}

function checkUrl(
  text: string,
  { allowed }: FileUrlRules,
): { readonly issue: string } | { readonly host: string } {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'https:') return { issue: 'a file’s url is no address that begins with https://' };
  if (url.username !== '' || url.password !== '')
    return { issue: 'a file’s url holds a user name or a password' };
  const host = withoutEnd(url.hostname, '.');
  const names = url.port === '' ? [host, `${host}:443`] : [`${host}:${url.port}`];
  if (allowed !== null && !allowed.some((entry) => names.includes(entry.toLowerCase())))
    return {
      issue: `files of ${host} are not allowed; the allowed hosts are ${allowed.join(', ') || 'none'}`,
    };
  if (allowed === null && url.port !== '') return { issue: 'a file’s url names a port' };
  return { host };
}

async function checkHost(host: string, { allowed, resolve }: FileUrlRules): Promise<string | null> {
  const issue = `files of ${host} are not allowed: it is no host on the internet`;
  const address = addressOf(host);
  if (address !== null) return isPublicAddress(address) ? null : issue;
  if (!host.includes('.')) return issue;
  if (resolve === null)
    return allowed === null ? `files of ${host} are not allowed: add the host to allowedFileHosts` : null;
  const addresses = await within(resolveMs, resolve(host), []);
  return addresses.length > 0 && addresses.every(isPublicAddress) ? null : issue;
}

/** The global unicast range of IPv6. Addresses outside lead to it indirectly or to a local network. */
const globalUnicast = ipaddr.IPv6.parse('2000::');

/** True for a public address: not in a private, local, shared, documentation or translation range. */
function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(globalUnicast, 3);
}

/** The IP address in a URL's host, without brackets; null when the host is a name. */
function addressOf(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(bare) ? bare : null;
}

/** Resolves a name to its IP addresses. Rejects, or returns none, when it has none. */
export type ResolveHost = (name: string) => Promise<readonly string[]>;

type Dns = {
  readonly lookup: (name: string, options: { all: true }) => Promise<readonly { readonly address: string }[]>;
};
type Process = { readonly getBuiltinModule?: (name: string) => unknown };

/** The system's resolver on Node; null on other runtimes. It imports no module of Node. */
export function systemResolver(): ResolveHost | null {
  const { process } = globalThis as { readonly process?: Process };
  const dns = process?.getBuiltinModule?.('node:dns/promises') as Dns | undefined;
  if (typeof dns?.lookup !== 'function') return null;
  return async (name) => (await dns.lookup(name, { all: true })).map(({ address }) => address);
}
