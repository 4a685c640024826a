import { createInferenceProxy } from '@vitrine/proxy';

export const { fetch } = createInferenceProxy();
