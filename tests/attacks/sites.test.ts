import { describe, expect, it } from 'vitest';
import { attacked, codeOf } from './attacked-proxy.ts';

const allowed = 'https://chat.example';
const world = attacked(() => ({ allowedOrigins: [allowed, 'https://other.example:8443'] }));

const foreignOrigins = [
  'null',
  'http://chat.example',
  'https://chat.example.evil.example',
  'https://evilchat.example',
  'https://chat.example.',
  'https://chat.example:444',
  'https://chat.example:8443',
  'https://other.example',
  'https://other.example:84430',
  'https://a.chat.example',
  'https://chat-example',
  'https://chat.example@evil.example',
  'https://evil.example/https://chat.example',
  'https://evil.example#https://chat.example',
  'https://chat.example/',
  'https://chat.example, https://evil.example',
  'https://chatxexample',
  'https://*.example',
  '*',
  'file://',
  'chrome-extension://chat.example',
  'http://localhost.evil.example',
  'http://127.0.0.1.evil.example',
  'https://xn--cht-hoa.example',
  'not an origin',
];

describe('a page of the origin', () => {
  it.each(foreignOrigins)('%s may ask for nothing, nor whether it may', async (origin) => {
    const posted = await world.ask({}, { origin });
    const asked = await world.send('/v1/inference', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    const cancelled = await world.send('/v1/inference/any', { method: 'DELETE', headers: { origin } });
    for (const answer of [posted, asked, cancelled]) {
      expect([answer.status, codeOf(answer)]).toEqual([403, 'origin-not-allowed']);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
    const read = await world.send('/v1/models', { headers: { origin } });
    expect(read.headers.get('access-control-allow-origin')).toBeNull();
    expect(world.provider.sent).toEqual([]);
  });

  it.each([allowed, 'https://other.example:8443'])(
    '%s that is allowed is answered, and it alone',
    async (origin) => {
      const posted = await world.ask({}, { origin, 'sec-fetch-site': 'cross-site' });
      const asked = await world.send('/v1/inference', {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'DELETE',
          'access-control-request-headers': 'authorization,last-event-id',
        },
      });
      const missing = await world.send('/v1/inference/none', { headers: { origin } });
      expect([posted.status, asked.status, missing.status]).toEqual([200, 204, 404]);
      for (const { headers } of [posted, asked, missing]) {
        expect(headers.get('access-control-allow-origin')).toBe(origin);
        expect(headers.get('access-control-allow-credentials')).toBe('true');
        expect(headers.get('vary')).toMatch(/origin/i);
      }
      expect(asked.headers.get('access-control-allow-headers')).toBe('authorization,last-event-id');
      expect(posted.headers.get('access-control-expose-headers')).toContain('x-inference-id');
    },
  );
});

describe('what a form or a script of another site can send', () => {
  it.each([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a form with files', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['a text', { 'content-type': 'text/plain' }],
    ['JSON', { 'content-type': 'application/json' }],
    ['JSON without an Origin', { 'content-type': 'application/json', origin: '' }],
    [
      'JSON of a neighbour',
      { 'content-type': 'application/json', 'sec-fetch-site': 'same-site', origin: '' },
    ],
    [
      'JSON of no known site',
      { 'content-type': 'application/json', 'sec-fetch-site': 'cross-origin', origin: '' },
    ],
  ])('%s calls no model', async (_what, given) => {
    const { origin, ...headers } = {
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
      ...given,
    };
    const answer = await world.ask({}, origin === '' ? headers : { ...headers, origin });
    expect([answer.status, codeOf(answer)]).toEqual([403, 'origin-not-allowed']);
    expect(world.provider.sent).toEqual([]);
  });

  it.each(['same-origin', 'none'])('a form or script cannot send what a browser calls %s', async (site) => {
    expect((await world.ask({}, { 'sec-fetch-site': site, origin: 'http://localhost' })).status).toBe(200);
  });
});

describe('a page behind a server that changes the host', () => {
  // As the proxy of Vite's development server does by default.
  it('a page is answered when its browser calls the request same-origin', async () => {
    const origin = 'http://localhost:5173';
    expect((await world.ask({}, { 'sec-fetch-site': 'same-origin', origin })).status).toBe(200);
    expect(codeOf(await world.ask({}, { 'sec-fetch-site': 'same-site', origin }))).toBe('origin-not-allowed');
    expect(codeOf(await world.ask({}, { origin }))).toBe('origin-not-allowed');
  });
});

describe('a name that points at this machine', () => {
  it.each([
    'evil.example',
    'localhost.evil.example',
    'localhost-evil.example',
    'evil.localhost.example',
    '127.0.0.1.evil.example',
    '127.0.0.1.nip.io',
    'xlocalhost',
    'localhost.local',
    '10.0.0.1',
    '169.254.169.254',
    '[::2]',
    'chat.example',
  ])('a foreign name is not answered when it is %s', async (host) => {
    const answers = [
      await world.send('/v1/models', { host }),
      await world.send('/v1/inference', { host, method: 'POST', headers: { origin: `http://${host}` } }),
      await world.send('/v1/inference', { host, method: 'OPTIONS', headers: { origin: allowed } }),
    ];
    for (const answer of answers) expect([answer.status, codeOf(answer)]).toEqual([403, 'host-not-allowed']);
  });

  it.each(['x-forwarded-host', 'x-forwarded-for', 'forwarded', 'x-original-host', 'x-real-ip', 'x-host'])(
    'a foreign name is not accepted because of the header %s',
    async (header) => {
      const answer = await world.send('/v1/models', {
        host: 'evil.example',
        headers: { [header]: 'localhost' },
      });
      expect(answer.status).toBe(403);
    },
  );
});
