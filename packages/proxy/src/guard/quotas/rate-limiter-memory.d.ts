// The package's entry takes cluster and crypto of Node along, which no worker has; this file of it takes nothing.
declare module 'rate-limiter-flexible/lib/RateLimiterMemory.js' {
  import { RateLimiterMemory } from 'rate-limiter-flexible';

  export default RateLimiterMemory;
}
