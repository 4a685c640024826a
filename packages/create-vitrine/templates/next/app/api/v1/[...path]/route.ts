import { createInferenceProxy, optionsFromEnv } from '@vitrine/proxy';

const { fetch } = createInferenceProxy(optionsFromEnv(process.env));
export { fetch as DELETE, fetch as GET, fetch as POST };
