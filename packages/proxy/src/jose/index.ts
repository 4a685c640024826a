export { bearerAuth, type BearerAuthOptions, type Claims } from './bearer-auth.ts';
