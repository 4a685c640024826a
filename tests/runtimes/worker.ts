import { createInferenceProxy, type InferenceProxy, modelsFromEnv, optionsFromEnv } from '@vitrine/proxy';

type Env = Readonly<Record<string, string>>;

let proxy: InferenceProxy | undefined;

/** A proxy as applications write it for a runtime without Node: the models of its environment, nothing else. */
const worker = {
  fetch(request: Request, env: Env): Promise<Response> {
    proxy ??= createInferenceProxy({
      models: modelsFromEnv(env),
      ...optionsFromEnv(env),
      log: () => undefined,
    });
    return proxy.fetch(request);
  },
};
export default worker;
