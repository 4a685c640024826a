import { createInferenceProxy } from '@vitrine/proxy';

const { fetch } = createInferenceProxy();
export { fetch as GET, fetch as POST, fetch as DELETE, fetch as OPTIONS };
