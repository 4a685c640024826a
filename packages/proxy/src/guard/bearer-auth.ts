import { wrongSetting } from '../kit/env-record.ts';
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify, type JWTVerifyOptions } from 'jose';
import type { Authorize, Principal } from './guard.ts';

/** The claims of a token; `sub` is the user or client that it was issued to. */
export type Claims = JWTPayload & { readonly sub: string };

/** Options of {@link bearerAuth}. One of `jwksUrl` and `secret` is required. */
export type BearerAuthOptions = {
  /** The address of the issuer's public keys, e.g. `https://id.example/.well-known/jwks.json`. */
  readonly jwksUrl?: string | URL;
  /** A secret of at least 32 bytes that issuer and proxy share. Tokens are then HS256. */
  readonly secret?: string | Uint8Array;
  /** The required issuer of the token (`iss`). */
  readonly issuer: string | string[];
  /** The required audience of the token (`aud`). A token for another service of the same issuer is refused. */
  readonly audience: string | string[];
  /** Allowed difference between the clocks of issuer and proxy, in seconds. Default: 5. */
  readonly clockToleranceSec?: number;
  /** The principal of a valid token, e.g. with models and limits; null refuses it. Default: `{ id: claims.sub }`. */
  readonly principal?: (claims: Claims) => Principal | null | Promise<Principal | null>;
};

/** Signatures by key pairs. A public key must never be taken for a shared secret. */
const asymmetric = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

const leastSecretBytes = 32;

/**
 * An `authorize` for bearer tokens (`authorization: Bearer …`). It verifies signature, issuer, audience and times with
 * `jose`, and refuses a token without `sub` and `exp`. Nobody is let in without a valid token. When the keys of the
 * issuer cannot be fetched, the proxy answers 503.
 * @throws AgentError `agent-invalid` without a key, or with a secret that is too short.
 */
export function bearerAuth(options: BearerAuthOptions): Authorize {
  const { principal = ({ sub }: Claims) => ({ id: sub }) } = options;
  const verify = verifier(options);
  return async (request) => {
    const token = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    if (token === undefined) return null;
    const claims = await claimsOf(token, verify);
    return claims === null ? null : principal(claims);
  };
}

type Verify = (token: string) => Promise<{ readonly payload: JWTPayload }>;

function verifier({ jwksUrl, secret, issuer, audience, clockToleranceSec = 5 }: BearerAuthOptions): Verify {
  const checks: JWTVerifyOptions = {
    issuer,
    audience,
    clockTolerance: clockToleranceSec,
    requiredClaims: ['sub', 'exp'],
  };
  if (jwksUrl !== undefined && secret === undefined) {
    const keys = createRemoteJWKSet(new URL(jwksUrl));
    return (token) => jwtVerify(token, keys, { ...checks, algorithms: asymmetric });
  }
  const key = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret;
  if (jwksUrl !== undefined || key === undefined || key.length < leastSecretBytes) {
    throw wrongSetting(
      `bearerAuth: give either a jwksUrl, or a secret of at least ${leastSecretBytes} bytes.`,
    );
  }
  return (token) => jwtVerify(token, key, { ...checks, algorithms: ['HS256'] });
}

/** The claims of a valid token, otherwise null. Rejects when the token cannot be verified. */
async function claimsOf(token: string, verify: Verify): Promise<Claims | null> {
  try {
    const { payload } = await verify(token);
    return typeof payload.sub === 'string' && payload.sub !== '' ? { ...payload, sub: payload.sub } : null;
  } catch (error) {
    if (isFaultOfToken(error)) return null;
    throw error;
  }
}

function isFaultOfToken(error: unknown): boolean {
  const faultsOfKeys = ['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'];
  return error instanceof errors.JOSEError && !faultsOfKeys.includes(error.code);
}
