import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { scriptedInference } from '@vitrine/testing';
import { createInferenceProxy } from '@vitrine/proxy';
import { bearerAuth, type BearerAuthOptions } from '@vitrine/proxy/jose';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const secret = 'a secret that is long enough for HS256';
const key = new TextEncoder().encode(secret);
const own = { issuer: 'https://id.example', audience: 'chat' };
type Claims = { readonly [Name in keyof JWTPayload]?: JWTPayload[Name] | undefined };
const issued = (claims: Claims = {}): SignJWT =>
  new SignJWT({
    sub: 'ann',
    iss: own.issuer,
    aud: own.audience,
    exp: inSeconds(60),
    ...claims,
  } as JWTPayload);
const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;
const hs256 = (claims: Claims = {}, by = key): Promise<string> =>
  issued(claims).setProtectedHeader({ alg: 'HS256' }).sign(by);

/** The proxy's answer to a request with this header `authorization`. */
async function statusFor(authorization: string | null, options: Partial<BearerAuthOptions>): Promise<number> {
  const client = scriptedInference([{ text: 'x' }]);
  const proxy = createInferenceProxy({
    models: ['m', 'n'].map((name) => ({ id: `p:${name}`, name, provider: 'p', client })),
    authorize: bearerAuth({ ...own, ...options }),
    log: () => undefined,
  });
  const headers: Record<string, string> = authorization === null ? {} : { authorization };
  const response = await proxy.fetch(new Request('https://chat.example/v1/models', { headers }));
  return response.status;
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a token with a shared secret', () => {
  it('a token with a shared secret lets its bearer in', async () => {
    expect(await statusFor(`Bearer ${await hs256()}`, { secret })).toBe(200);
    expect(await statusFor(`bearer  ${await hs256()}`, { secret: key })).toBe(200);
  });

  it.each<[string, () => Promise<string> | string]>([
    ['of another issuer', () => hs256({ iss: 'https://evil.example' })],
    ['of no issuer', () => hs256({ iss: undefined })],
    ['for another service', () => hs256({ aud: 'mail' })],
    ['for no service', () => hs256({ aud: undefined })],
    ['that is over', () => hs256({ exp: inSeconds(-60) })],
    ['that never ends', () => hs256({ exp: undefined })],
    ['that has not begun', () => hs256({ nbf: inSeconds(600) })],
    ['for nobody', () => hs256({ sub: undefined })],
    ['for an empty name', () => hs256({ sub: '' })],
    ['of another key', () => hs256({}, new TextEncoder().encode('another secret that is long enough too'))],
    [
      'of another algorithm',
      () =>
        issued()
          .setProtectedHeader({ alg: 'HS512' })
          .sign(new Uint8Array([...key, ...key])),
    ],
    ['without a signature', () => new UnsecuredJWT({ sub: 'ann' }).setExpirationTime('1h').encode()],
    [
      'with another content',
      async () => (await hs256()).replace(/\.[\w-]+\./, `.${encode({ sub: 'root' })}.`),
    ],
    ['with another signature', async () => (await hs256()).replace(/.{6}$/, 'AAAAAA')],
    [
      'with a header that asks for none',
      async () => (await hs256()).replace(/^[\w-]+/, encode({ alg: 'none' })),
    ],
    [
      'with a header that asks for an unknown extension',
      async () => (await hs256()).replace(/^[\w-]+/, encode({ alg: 'HS256', crit: ['x'], x: 1 })),
    ],
    ['that is too short', () => 'a.b'],
    ['of five parts', () => 'a.b.c.d.e'],
    ['that is no token', () => 'é.b.c'],
  ])('%s lets nobody in', async (_what, make) => {
    expect(await statusFor(`Bearer ${await make()}`, { secret })).toBe(401);
  });

  it.each<[string, (token: string) => string | null]>([
    ['nowhere', () => null],
    ['without the word Bearer', (token) => token],
    ['as Basic', (token) => `Basic ${token}`],
    ['twice', (token) => `Bearer ${token}, Bearer ${token}`],
    ['with more behind it', (token) => `Bearer ${token} x`],
    ['as nothing', () => 'Bearer '],
  ])('given %s lets nobody in', async (_how, write) => {
    expect(await statusFor(write(await hs256()), { secret })).toBe(401);
  });

  it('a token gives its bearer the principal that the application chooses', async () => {
    const authorize = bearerAuth({
      ...own,
      secret,
      principal: ({ sub, plan }) => (plan === 'none' ? null : { id: sub, models: ['p:m'] }),
    });
    const as = async (plan: string): Promise<unknown> =>
      authorize(
        new Request('https://x.example', { headers: { authorization: `Bearer ${await hs256({ plan })}` } }),
      );
    expect(await as('free')).toEqual({ id: 'ann', models: ['p:m'] });
    expect(await as('none')).toBeNull();
  });
});

describe('a token with the key pair of an issuer', () => {
  let jwksUrl: string;
  let answer = { status: 200, body: '' };
  let publicText: string;
  let sign: (claims?: JWTPayload, kid?: string) => Promise<string>;
  const server = createServer((_request, response) => response.writeHead(answer.status).end(answer.body));

  beforeAll(async () => {
    const pair = await generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
    publicText = await exportSPKI(pair.publicKey);
    answer = { status: 200, body: JSON.stringify({ keys: [jwk] }) };
    sign = (claims = {}, kid = 'k1') =>
      issued(claims).setProtectedHeader({ alg: 'ES256', kid }).sign(pair.privateKey);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  it('a token with the key pair of an issuer lets its bearer in', async () => {
    expect(await statusFor(`Bearer ${await sign()}`, { jwksUrl })).toBe(200);
  });

  it('a token with an unknown key of the issuer lets nobody in', async () => {
    expect(await statusFor(`Bearer ${await sign({}, 'k2')}`, { jwksUrl })).toBe(401);
    const other = await generateKeyPair('ES256');
    const forged = await issued().setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(other.privateKey);
    expect(await statusFor(`Bearer ${forged}`, { jwksUrl })).toBe(401);
  });

  it('a token that was signed with the public key as a secret is refused', async () => {
    const forged = await issued()
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .sign(new TextEncoder().encode(publicText));
    expect(await statusFor(`Bearer ${forged}`, { jwksUrl })).toBe(401);
  });

  it('a key is not fetched from an address in the token', async () => {
    const forged = await issued()
      .setProtectedHeader({ alg: 'HS256', jku: `${jwksUrl}?evil`, kid: 'k1' })
      .sign(key);
    expect(await statusFor(`Bearer ${forged}`, { jwksUrl })).toBe(401);
  });

  it.each([
    ['fails', { status: 500, body: '' }],
    ['answers with a page', { status: 200, body: '<html>' }],
    ['leads elsewhere', { status: 302, body: '' }],
  ])(
    'a token lets nobody in while the issuer %s, and the error does not blame the bearer',
    async (_how, given) => {
      const before = answer;
      answer = given;
      expect(await statusFor(`Bearer ${await sign()}`, { jwksUrl })).toBe(503);
      answer = before;
    },
  );
});

it.each([{}, { secret: 'short' }, { secret, jwksUrl: 'https://id.example/jwks.json' }])(
  'a sign-in with %j is refused when it is made',
  (options) => {
    expect(() => bearerAuth({ ...own, ...options })).toThrow(/either a jwksUrl, or a secret of at least 32/);
  },
);
