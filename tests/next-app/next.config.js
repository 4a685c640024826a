/** Routes are prerendered, and kept while others are shown. */
const config = { cacheComponents: true };

export default config;
