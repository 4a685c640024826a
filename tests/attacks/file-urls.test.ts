import { describe, expect, it } from 'vitest';
import { attacked, codeOf, saying } from './attacked-proxy.ts';

/** Names as an attacker's own server answers for them. */
const names: Readonly<Record<string, readonly string[]>> = {
  'files.example': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'xn--bcher-kva.example': ['93.184.215.14'],
  'internal.example': ['10.1.2.3'],
  'metadata.example': ['169.254.169.254'],
  'loop.example': ['127.0.0.1'],
  'loop6.example': ['::1'],
  'mapped.example': ['::ffff:10.0.0.1'],
  'translated.example': ['64:ff9b::7f00:1'],
  'half.example': ['93.184.215.14', '192.168.0.1'],
  'shared.example': ['100.64.0.7'],
  'unique.example': ['fd12:3456:789a::1'],
  metadata: ['93.184.215.14'],
  'nothing.example': [],
  'junk.example': ['not an address'],
};
const resolveHost = async (name: string): Promise<readonly string[]> => {
  const addresses = names[name];
  if (addresses === undefined) throw new Error(`getaddrinfo ENOTFOUND ${name}`);
  return addresses;
};

const refused = [
  'http://files.example/a.png',
  'ftp://files.example/a.png',
  'file:///etc/passwd',
  'data:text/html,<script>',
  'javascript:alert(1)',
  'gopher://files.example/',
  'blob:https://files.example/1',
  '//files.example/a.png',
  '/etc/passwd',
  'files.example/a.png',
  'https://',
  'https:// /',
  '',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://127.0.0.1./',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://127.0.0.1:443/',
  'https://0/',
  'https://0.0.0.0/',
  'https://10.0.0.1/',
  'https://167772161/',
  'https://172.16.0.1/',
  'https://172.31.255.255/',
  'https://192.168.1.1/',
  'https://192.168.257/',
  'https://169.254.169.254/latest/meta-data/',
  'https://2852039166/latest/meta-data/',
  'https://0xa9fea9fe/',
  'https://0251.0376.0251.0376/',
  'https://100.100.100.200/',
  'https://192.0.0.192/',
  'https://198.18.0.1/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://240.0.0.1/',
  'https://[::1]/',
  'https://[::]/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::127.0.0.1]/',
  'https://[::ffff:169.254.169.254]/',
  'https://[64:ff9b::a9fe:a9fe]/',
  'https://[64:ff9b:1::1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001:0:7f00:1::]/',
  'https://[fe80::1]/',
  'https://[fec0::1]/',
  'https://[fd00:ec2::254]/',
  'https://[ff02::1]/',
  'https://[2001:db8::1]/',
  'https://localhost/',
  'https://localhost./',
  'https://LOCALHOST/',
  'https://a.localhost/',
  'https://①②⑦.⓪.⓪.①/',
  'https://127。0。0。1/',
  'https://metadata/',
  'https://metadata.google.internal/',
  'https://kubernetes.default.svc/',
  'https://printer.local/',
  'https://user@files.example/',
  'https://user:pass@files.example/',
  'https://files.example@169.254.169.254/',
  'https://169.254.169.254@files.example/',
  'https://files.example%2f@127.0.0.1/',
  'https://files.example:22/',
  'https://files.example:6379/',
  'https://files.example:0/',
  'https://internal.example/',
  'https://metadata.example/',
  'https://metadata.example./',
  'https://loop.example/',
  'https://loop6.example/',
  'https://mapped.example/',
  'https://translated.example/',
  'https://half.example/',
  'https://shared.example/',
  'https://unique.example/',
  'https://nothing.example/',
  'https://junk.example/',
  'https://unknown.example/',
];

const part = (url: string): object => saying({ type: 'file', mediaType: 'image/png', url });

describe('a provider that may fetch what lies on the internet', () => {
  const world = attacked(() => ({ resolveHost }));

  it.each(refused)('a provider is not sent to the internal address %j', async (url) => {
    const answer = await world.ask(part(url));
    expect([answer.status, codeOf(answer)]).toEqual([400, 'file-url-not-allowed']);
    expect(world.provider.sent).toEqual([]);
  });

  it.each([
    'https://files.example/a.png',
    'https://files.example./a.png',
    'HTTPS://FILES.EXAMPLE/a.png?size=9#x',
    'https://files.example:443/a.png',
    'https://files.example\\@127.0.0.1/',
    'https:files.example/a.png',
    'https://bücher.example/a.png',
    'https://8.8.8.8/a.png',
    'https://[2606:4700:4700::1111]/a.png',
  ])('a provider is sent to the public address %j', async (url) => {
    expect((await world.ask(part(url))).status).toBe(200);
    expect(world.provider.sent[0]?.body).toContain(new URL(url).href);
  });

  it('a provider is sent to no address of a name when one of them is internal', async () => {
    const files = ['https://files.example/a.png', 'https://loop.example/'];
    const answer = await world.ask(
      saying(...files.map((url) => ({ type: 'file', mediaType: 'image/png', url }))),
    );
    expect(codeOf(answer)).toBe('file-url-not-allowed');
  });

  it('a request cannot make the proxy look up more names than a conversation has', async () => {
    const files = Array.from({ length: 30 }, (_, at) => ({
      type: 'file',
      mediaType: 'image/png',
      url: `https://${at}.files.example/`,
    }));
    const answer = await world.ask(saying(...files));
    expect(codeOf(answer)).toBe('file-url-not-allowed');
    expect(answer.text).toContain('30 hosts');
  });
});

describe('a provider that may fetch from some hosts alone', () => {
  const world = attacked(() => ({
    resolveHost,
    allowedFileHosts: ['files.example', 'loop.example', 'files.example:8443'],
  }));

  it.each([
    ['https://files.example/a.png', 200],
    ['https://files.example:8443/a.png', 200],
    ['https://files.example:444/a.png', 400],
    ['https://a.files.example/', 400],
    ['https://files.example.evil.example/', 400],
    ['https://evilfiles.example/', 400],
    ['https://8.8.8.8/', 400],
    ['https://xn--bcher-kva.example/', 400],
    // Somebody has let a name of ours point within.
    ['https://loop.example/', 400],
  ])('a provider is asked for %j with status %d', async (url, status) => {
    expect((await world.ask(part(url))).status).toBe(status);
    expect(world.provider.sent).toHaveLength(status === 200 ? 1 : 0);
  });
});

describe('where no name can be looked up', () => {
  describe('and no host is named', () => {
    const world = attacked(() => ({ resolveHost: null }));
    it.each(['https://files.example/', 'https://loop.example/', 'https://127.0.0.1/'])(
      '%j is refused',
      async (url) => {
        expect((await world.ask(part(url))).status).toBe(400);
      },
    );
  });

  describe('but hosts are named', () => {
    const world = attacked(() => ({ resolveHost: null, allowedFileHosts: ['files.example', '127.0.0.1'] }));
    it.each([
      ['https://files.example/', 200],
      ['https://other.example/', 400],
      ['https://127.0.0.1/', 400],
    ])('%j is answered with %d', async (url, status) => {
      expect((await world.ask(part(url))).status).toBe(status);
    });
  });
});

describe('a name server that does not answer', () => {
  const world = attacked(() => ({ resolveHost: () => new Promise(() => undefined) }));
  it(
    'a name server that does not answer blocks the file and delays nobody for ever',
    { timeout: 10_000 },
    async () => {
      expect((await world.ask(part('https://files.example/'))).status).toBe(400);
    },
  );
});
